import { formatDuration } from "../../base/duration.ts";
import { groupBy } from "../../base/group-by.ts";
import { notificationStateOf } from "../../decide/notification-state.ts";
import type { LinePicture } from "../../model/index.ts";
import type { ReportLine } from "../../notices/report.ts";
import { GOOD_ICON, NEUTRAL_ICON, SEVERITY_ICONS } from "../../notices/wording.ts";
import type { Alert } from "../../web/api/schemas/alerts.ts";
import type { Row } from "../../web/live/row.ts";

export interface LineParts {
  readonly now: number;
  readonly show: (row: Row) => Alert;
  /** The last day of what an alert compares; null: there is nothing to draw. */
  readonly picture: (row: Row) => Promise<LinePicture | null>;
}

/** One line for each rule of these alerts: what needs somebody first, and within that in their order. */
export async function linesOf(rows: readonly Row[], parts: LineParts): Promise<ReportLine[]> {
  const byRule = groupBy(rows, (row) => row.rule);
  const groups = [...byRule.values()].map((group) => ({ group, first: mostUrgent(group) }));
  groups.sort((a, b) => urgency(a.first) - urgency(b.first));
  const lines: ReportLine[] = [];
  for (const { group, first } of groups) lines.push(await lineOf(group, first, parts));
  return lines;
}

/** Rules that are ok stay in the order of the configuration, and are told by what is nearest to its limit. */
function urgency(row: Row): number {
  return row.place === "ok" ? Number.MAX_SAFE_INTEGER : row.urgency;
}

function mostUrgent(group: readonly Row[]): Row {
  return group.reduce((first, row) => {
    if (row.place === "ok" && first.place === "ok") {
      return (row.ratio ?? -1) > (first.ratio ?? -1) ? row : first;
    }
    return row.urgency < first.urgency ? row : first;
  });
}

async function lineOf(group: readonly Row[], first: Row, parts: LineParts): Promise<ReportLine> {
  const { rule } = first.memory.watched;
  const text = textOf(group, first, parts);
  return {
    rule: rule.name,
    text,
    calm:
      first.place === "ok" ||
      (first.place === "waiting" && first.memory.alert?.state !== "pending"),
    picture: await parts.picture(first),
  };
}

function textOf(group: readonly Row[], first: Row, { now, show }: LineParts): string {
  const { rule } = first.memory.watched;
  const alert = first.memory.alert;
  const same = group.filter(({ place }) => place === first.place).length;
  const of = group.length === 1 ? "" : `${same} of ${group.length} `;
  const one = show(first);
  const lasts = (since: number): string => formatDuration(now - since);
  if (rule.event) {
    const many = group.length === 1 ? "" : ` of ${group.length} ${rule.words.subjects}`;
    return `${GOOD_ICON} each event${many} is told as it happens`;
  }
  if (alert === null || first.seen === null)
    return `${NEUTRAL_ICON} not looked at yet: ${one.name}`;
  switch (first.place) {
    case "firing":
    case "held_back": {
      const { acked } = notificationStateOf(alert);
      const [held] = first.place === "held_back" ? one.held_back : [];
      const who = acked === null ? "" : `, acknowledged by ${acked.by}`;
      const silent = held === undefined ? "" : `, ${held.by === "mute" ? "muted" : "silenced"}`;
      const since = lasts(alert.firedAt ?? alert.since);
      return `${SEVERITY_ICONS[rule.severity]} ${of}firing for ${since}${who}${silent}: ${one.sentence}`;
    }
    case "no_data":
      return `${NEUTRAL_ICON} ${of}without data for ${lasts(alert.missing?.since ?? alert.since)}: ${one.name}`;
    case "waiting": {
      const icon = alert.state === "pending" ? SEVERITY_ICONS.info : GOOD_ICON;
      return `${icon} ${of}${alert.state} for ${lasts(alert.since)}: ${one.sentence}`;
    }
    case "ok": {
      const far = one.compared?.distance?.text;
      const left = far === undefined ? "" : `, ${far}`;
      const all = group.length === 1 ? "ok" : `all ${group.length} ok, nearest`;
      return `${GOOD_ICON} ${all}: ${one.sentence}${left}`;
    }
  }
}

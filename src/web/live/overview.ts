import { groupBy } from "../../base/group-by.ts";
import type { Alert } from "../api/schemas/alerts.ts";
import type { FiringGroup, Overview } from "../api/schemas/overview.ts";
import type { Row } from "./row.ts";
import { furthest, mostUrgent } from "./select.ts";
import type { Snapshot } from "./snapshot.ts";

/** More that fire are shown by rule. */
const MOST_FIRING = 25;
const MOST_GROUPS = 25;
const MOST_WORST = 5;
const MOST_TICKS = 100;
/** Of the lists beneath. */
const MOST_OTHERS = 25;

/** The lists of the overview: bounded, however many alerts there are. */
export function listsOf(
  snapshot: Snapshot,
  show: (row: Row) => Alert,
): Pick<
  Overview,
  "firing" | "groups" | "groups_total" | "waiting" | "no_data" | "held_back" | "ok"
> {
  const { places, counts } = snapshot;
  const isMany = places.firing.length > MOST_FIRING;
  const some = (rows: readonly Row[], most: number): { total: number; first: Alert[] } => ({
    total: rows.length,
    first: mostUrgent(rows, most).map(show),
  });
  return {
    firing: isMany ? { total: places.firing.length, first: [] } : some(places.firing, MOST_FIRING),
    groups: isMany ? groupsOf(snapshot, show) : [],
    groups_total: isMany ? new Set(places.firing.map(({ rule }) => rule)).size : 0,
    waiting: some(places.waiting, MOST_OTHERS),
    no_data: some(places.no_data, MOST_OTHERS),
    held_back: some(places.held_back, MOST_OTHERS),
    ok: counts.ok,
  };
}

/** One for each rule that fires, the most urgent first. */
function groupsOf({ places }: Snapshot, show: (row: Row) => Alert): FiringGroup[] {
  const byRule = groupBy(places.firing, (row) => row.rule);
  const first = [...byRule.values()].map((rows) => ({ rows, urgency: least(rows) }));
  first.sort((a, b) => a.urgency - b.urgency);
  return first.slice(0, MOST_GROUPS).map(({ rows }) => groupOf(rows, show));
}

function least(rows: readonly Row[]): number {
  return rows.reduce((lowest, { urgency }) => Math.min(lowest, urgency), Infinity);
}

function groupOf(rows: readonly Row[], show: (row: Row) => Alert): FiringGroup {
  const [one] = rows;
  if (one === undefined) throw new Error("a group has one alert at least");
  const { rule } = one.memory.watched;
  const worst = furthest(rows, MOST_TICKS);
  const since = rows.reduce(
    (first, { memory }) => Math.min(first, memory.alert?.firedAt ?? first),
    Number.MAX_SAFE_INTEGER,
  );
  const acked = rows.filter(({ memory }) => (memory.alert?.life?.acked ?? null) !== null).length;
  const shown = worst.slice(0, MOST_WORST).map(show);
  const all = one.memory.watched.alerts.length;
  const of = all === rows.length ? "" : ` of ${all.toLocaleString("en-US")}`;
  return {
    rule: rule.name,
    severity: rule.severity,
    firing: rows.length,
    unacknowledged: rows.length - acked,
    sentence: `${rows.length.toLocaleString("en-US")}${of} ${rule.words.subjects}${whyOf(shown[0]) ?? ` fire ${rule.name}`}`,
    since: new Date(Math.min(since, 8.64e15)).toISOString(),
    ratios: worst.map(({ ratio }) => ratio).filter((ratio) => ratio !== null),
    worst: shown,
  };
}

/** `: TVL below $1,000,000`, ` not in range`; null: what it compares with is not known. */
function whyOf(alert: Alert | undefined): string | null {
  const compared = alert?.compared ?? null;
  if (compared === null) return null;
  const { label, fires } = compared;
  return fires.endsWith(label) ? ` ${fires}` : `: ${label} ${fires}`;
}

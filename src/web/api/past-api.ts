import { DAY } from "../../base/duration.ts";
import { countsRaw } from "../../base/quantity.ts";
import { matches } from "../../delivery/suppress/hold.ts";
import type { Silence } from "../../model/index.ts";
import { writtenAs } from "../../rules/describe/metric-words.ts";
import { iso } from "../live/alert-view.ts";
import type { Row } from "../live/row.ts";
import { limitsOn } from "../read/limits.ts";
import { isoOrNull, noticeView } from "../read/notice-view.ts";
import { lasting, pointsOf, stepFor } from "../read/samples.ts";
import { spansOf, timelineOf } from "../read/timeline.ts";
import { type Api, ProblemError } from "./api.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { ApiParts } from "./parts.ts";
import type { States } from "./schemas/history.ts";

/** The part of the API that says what was. */
export type PastApi = Pick<Api, "samples" | "states" | "timeline" | "notices">;

/** What nobody says is the last day. */
const USUAL_MS = DAY;
const WEEK = 7 * DAY;

export function pastApi(parts: ApiParts): PastApi {
  const { live, clock, db, store } = parts;

  return {
    async samples({ subject, metric, from, to, points }) {
      const owner = parts.memory().subjects.get(subject);
      const series = owner?.series.find((one) => one.metric === metric);
      if (owner === undefined || series === undefined) return null;
      const span = spanOf(from, to, clock.now(), USUAL_MS);
      const runs = await store.window([series.id], span.from);
      const stepMs = stepFor(span.from, span.to, points);
      const values = lasting(runs.get(series.id) ?? [], owner.kind.bucketMs, clock.now());
      const found = pointsOf(values, span.from, span.to, stepMs);
      const rows = owner.alerts.flatMap(({ watched }) => {
        const one = live.find(watched.rule.name, subject);
        return one === null || one.seen === null ? [] : [one];
      });
      // Units are kept of what a rule looks at.
      const row =
        rows.find(({ memory }) => memory.watched.rule.metrics.includes(metric)) ?? rows[0];
      const decimals = row?.seen?.decimals[metric] ?? null;
      const known = owner.kind.metrics.get(metric);
      return {
        subject,
        metric,
        label: known?.label ?? metric,
        unit:
          known === undefined
            ? ""
            : (writtenAs(known, decimals, row?.seen?.description ?? null, 24).unit ?? ""),
        decimals: countsRaw(series.quantity) ? decimals : null,
        from: iso(span.from),
        to: iso(span.to),
        step_ms: stepMs,
        ...found,
        points: [...found.points],
        limits: owner.alerts.flatMap((one) => limitsOn(one, metric, decimals)),
      };
    },

    async states({ rule, subject, from, to }) {
      const row = live.find(rule, subject);
      if (row === null) return null;
      const span = spanOf(from, to, clock.now(), USUAL_MS);
      const found = await db.use(async ({ history, silences }) => ({
        states: await history.states(rule, subject, span.from, span.to),
        knownFrom: await history.knownFrom(),
        commands: await history.commands(rule, subject, span.to, MOST_COMMANDS),
        silences: await silences.all(),
      }));
      const { rule: watched } = row.memory.watched;
      const about = { rule, subject, labels: watched.labels };
      const silent = found.silences.filter((one) => matches(one, about));
      return {
        rule,
        subject,
        from: iso(span.from),
        to: iso(span.to),
        known_from: isoOrNull(found.knownFrom),
        spans: withCurrent(row, spansOf(found.states, span.from, span.to), span),
        quiet: [...silenceSpans(silent, span), ...ackSpans(row, found.commands, span)],
      };
    },

    async timeline({ rule, subject, limit, cursor }) {
      const row = live.find(rule, subject);
      if (row === null) return null;
      const [before = clock.now() + DAY] = cursor === undefined ? [] : decodeCursor(cursor, 1);
      const to = cursor === undefined ? before : before - 1;
      const about = { rule, subject, labels: row.memory.watched.rule.labels };
      const happened = await db.use(async ({ history, silences }) => ({
        states: await history.statesBefore(rule, subject, to, limit),
        notices: await history.notices({ rule, subject, from: 0, to, most: limit }),
        commands: await history.commands(rule, subject, to, limit),
        silences: (await silences.all()).filter(
          (one) => one.createdAt <= to && matches(one, about),
        ),
      }));
      const page = timelineOf(happened, limit);
      const next = page.before === null ? null : encodeCursor([page.before]);
      return { rule, subject, entries: page.entries, next };
    },

    async notices({ rule, subject, channel, severity, kind, q, from, to, limit, cursor }) {
      const span = spanOf(from, to, clock.now(), WEEK);
      const [at = 0, seq = 0] = cursor === undefined ? [] : decodeCursor(cursor, 2);
      const found = await db.use(({ history }) =>
        history.notices({
          rule,
          subject,
          channel,
          severity,
          kind,
          text: q,
          ...span,
          after: cursor === undefined ? undefined : { at, seq },
          most: limit + 1,
        }),
      );
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        notices: page.map(noticeView),
        next:
          last === undefined || found.length <= limit
            ? null
            : encodeCursor([last.notice.at, last.seq]),
      };
    },
  };
}

const MOST_COMMANDS = 1_000;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Throws ProblemError for a span that ends before it begins. */
function spanOf(
  from: string | undefined,
  to: string | undefined,
  now: number,
  usual: number,
): Span {
  const end = to === undefined ? now : Date.parse(to);
  const begin = from === undefined ? end - usual : Date.parse(from);
  if (begin < end) return { from: begin, to: end };
  throw new ProblemError(400, "Bad time span", "`from` must be before `to`", [
    { at: "from", problem: "is not before `to`" },
  ]);
}

/** What was never written down is as it is now: most alerts have been ok since they began. */
function withCurrent(row: Row, spans: States["spans"], { from, to }: Span): States["spans"] {
  const { alert } = row.memory;
  if (spans.length > 0 || alert === null) return spans;
  const begin = Math.max(from, alert.createdAt);
  if (begin > to) return spans;
  const noData = alert.missing?.told === true;
  return [{ from: iso(begin), to: null, state: alert.state, no_data: noData }];
}

function silenceSpans(silences: readonly Silence[], { from, to }: Span): States["quiet"] {
  return silences
    .filter(({ startsAt, endsAt }) => startsAt < to && endsAt > from && startsAt < endsAt)
    .map(({ startsAt, endsAt }) => ({
      from: iso(Math.max(startsAt, from)),
      to: endsAt > to ? null : iso(endsAt),
      by: "silence" as const,
    }));
}

/** Each from the order on to the next one that takes it back; the end of the firing ends it as well. */
function ackSpans(
  { memory }: Row,
  commands: readonly { readonly kind: string; readonly at: number }[],
  { from, to }: Span,
): States["quiet"] {
  const acked = memory.alert?.life?.acked ?? null;
  return commands.toReversed().flatMap(({ kind, at }, i, all): States["quiet"] => {
    if (kind !== "ack") return [];
    const end = all.slice(i + 1).find((one) => one.kind !== "rearm")?.at ?? null;
    const isOpen = acked !== null && acked.at === at;
    if (end === null && !isOpen) return [];
    if (at > to || (end !== null && end < from)) return [];
    return [{ from: iso(Math.max(at, from)), to: end === null ? null : iso(end), by: "ack" }];
  });
}

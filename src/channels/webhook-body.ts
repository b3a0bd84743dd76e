import type { Notice } from "../model/index.ts";
import { isoTime } from "./lines.ts";

/**
 * What a webhook is posted: version 1. docs/channels.md says what each key means; a key may be added,
 * but none goes and none changes its meaning without another version.
 */
export function webhookBody(notice: Notice): string {
  const { id, kind, severity, rule, subject, at, headline, title, note } = notice;
  const { fields, values, range, recent, link, labels, ending } = notice;
  return JSON.stringify({
    version: 1,
    id,
    kind,
    severity,
    rule,
    subject,
    at: isoTime(at),
    headline,
    title,
    note,
    values: values.map(({ baseAt, ...value }) => ({
      ...value,
      base_at: baseAt === null ? null : isoTime(baseAt),
    })),
    fields,
    range: range === null ? null : rangeOf(range),
    recent,
    link,
    labels,
    ...(kind === "resolved" ? { ending: ending ?? "recovered" } : {}),
  });
}

function rangeOf(range: NonNullable<Notice["range"]>): unknown {
  const { lower, upper, price, unit, lowerTick, upperTick, tick, inverted } = range;
  return {
    lower,
    upper,
    price,
    unit,
    lower_tick: lowerTick,
    upper_tick: upperTick,
    tick,
    inverted,
  };
}

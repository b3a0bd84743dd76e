import { Decimal } from "../../base/decimal.ts";
import { DAY } from "../../base/duration.ts";
import type { LinePicture, Run } from "../../model/index.ts";
import type { Store } from "../../store/store.ts";
import type { Alert } from "../../web/api/schemas/alerts.ts";
import type { Row } from "../../web/live/row.ts";

/** A day in half hours. */
const PLACES = 48;

/** The last day of what an alert compares, or the range of a position; null: there is nothing to draw. */
export async function pictureOf(
  { memory, seen, place }: Row,
  shown: Alert,
  store: Pick<Store, "window">,
  now: number,
): Promise<LinePicture | null> {
  const evidence = seen?.evidence ?? null;
  if (evidence === null) return null;
  const isFiring =
    place === "firing" || place === "held_back" || memory.alert?.state === "recovering";
  const firing = isFiring ? memory.watched.rule.severity : null;
  const range = seen?.description?.range ?? null;
  if (evidence.metric.name === "in_range") {
    if (range === null) return null;
    const alt = `price ${range.price} ${range.unit}, range ${range.lower} to ${range.upper}`;
    return { values: [], limits: [], range, firing, alt };
  }
  if (!(evidence.value instanceof Decimal)) return null;
  const series = memory.owner.series.find(({ metric }) => metric === evidence.metric.name);
  if (series === undefined) return null;
  const runs = (await store.window([series.id], now - DAY)).get(series.id) ?? [];
  const values = sampled(runs, now, (last) => memory.watched.rule.schedule.third(last));
  if (values.filter((value) => value !== null).length < 2) return null;
  const limits = evidence.limits.flatMap((limit) =>
    limit instanceof Decimal ? [limit.toString()] : [],
  );
  const { value, limits: texts = [] } = shown.compared ?? {};
  const limit = texts.length === 0 ? "" : `, limit ${texts.map(({ text }) => text).join(" to ")}`;
  return {
    values,
    limits,
    range: null,
    firing,
    alt: `the last 24 hours: now ${value?.text ?? ""}${limit}`,
  };
}

/** The values in force at even distances; one that was not read for three intervals is not known. */
function sampled(
  runs: readonly Run[],
  now: number,
  inForce: (last: number) => number,
): (string | null)[] {
  const values: (string | null)[] = [];
  let at = 0;
  for (let i = 0; i < PLACES; i += 1) {
    const time = now - DAY + ((i + 1) * DAY) / PLACES;
    while (at + 1 < runs.length && (runs[at + 1]?.first ?? Infinity) <= time) at += 1;
    const run = runs[at];
    const known = run !== undefined && run.first <= time && time <= inForce(run.last);
    values.push(known ? run.value : null);
  }
  return values;
}

import type { Zoom } from "./zoom.ts";

const POINTS = "1000";

/** What a chart draws, each value with all of its digits. */
export interface Samples {
  /** Seconds, rising. */
  readonly at: number[];
  readonly value: (number | null)[];
  readonly exact: (string | null)[];
}

/** The samples that a figure names, of a time in seconds; null: they cannot be had now. */
export async function fetchSamples(
  { subject, metric, gap }: DOMStringMap,
  { min, max }: Zoom,
): Promise<Samples | null> {
  const query = new URLSearchParams({
    subject: subject ?? "",
    metric: metric ?? "",
    from: new Date(Math.floor(min * 1_000)).toISOString(),
    to: new Date(Math.ceil(max * 1_000)).toISOString(),
    points: POINTS,
  });
  try {
    const answer = await fetch(`/api/v1/samples?${query.toString()}`);
    return answer.ok ? samplesOf(await answer.json(), Number(gap)) : null;
  } catch {
    return null;
  }
}

function samplesOf(body: unknown, gap: number): Samples | null {
  if (
    typeof body !== "object" ||
    body === null ||
    !("points" in body) ||
    !Array.isArray(body.points)
  )
    return null;
  const samples: Samples = { at: [], value: [], exact: [] };
  const push = (at: number, exact: string | null): void => {
    const seconds = at / 1_000;
    // Times must rise: two values of one step stand a moment apart.
    const last = samples.at.at(-1);
    samples.at.push(last !== undefined && seconds <= last ? last + 0.001 : seconds);
    samples.value.push(exact === null ? null : valueOf(exact));
    samples.exact.push(exact);
  };
  let end = Number.NaN;
  for (const point of body.points as readonly Readonly<Record<string, string | null>>[]) {
    const [at, to] = [Date.parse(point.at ?? ""), Date.parse(point.to ?? "")];
    if (at - end > gap) push(end + 1, null);
    push(at, point.min ?? null);
    if (point.max !== point.min) push(at, point.max ?? null);
    if (to > at || point.last !== point.max) push(Math.max(at, to), point.last ?? null);
    end = to;
  }
  return samples;
}

function valueOf(exact: string): number | null {
  if (exact === "true") return 1;
  if (exact === "false") return 0;
  const value = Number(exact);
  return Number.isFinite(value) ? value : null;
}

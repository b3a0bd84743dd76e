import { HOUR } from "../../../base/duration.ts";
import type { Alert, Compared, Recent } from "../../api/schemas/alerts.ts";
import { cut } from "../format/words.ts";
import type { LimitLine } from "../pictures/marks.tsx";
import { Range } from "../pictures/range.tsx";
import type { Extent, Point, Span } from "../pictures/scale.ts";
import { SmallSpark, Spark, type WindowMark } from "../pictures/spark.tsx";

interface PictureProps {
  readonly alert: Alert;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What a firing alert shows: a position its range, everything else its series with the limit. */
export function AlertPicture({ alert, now }: PictureProps) {
  if (alert.range !== null) return <RangePicture alert={alert} now={now} axis={null} />;
  const { compared, recent } = alert;
  if (recent === null || recent === undefined) return null;
  const points = coarse(pointsOf(recent), ALERT_POINTS);
  const span = spanOf(recent);
  return (
    <Spark
      title={`${compared?.label ?? recent.metric} of ${cut(alert.name)}`}
      desc={describe(alert)}
      severity={alert.severity}
      points={points}
      span={span}
      limits={compared === null ? [] : limitLines(compared, recent)}
      firing={firingOf(recent)}
      window={compared === null ? null : windowOf(compared, span)}
    />
  );
}

/** A range in ticks, in which equal ways are equal changes of the price. */
export function RangePicture({
  alert,
  now,
  axis,
}: PictureProps & { readonly axis: Extent | null }) {
  const { range, recent } = alert;
  if (range === null) return null;
  const { lower, upper, price, trail } = inTicks(alert);
  const side = range.in_range ? "in range" : price < lower ? "below the range" : "above the range";
  const out = range.closed ? "and the position is closed" : side;
  const span =
    recent === null || recent === undefined ? { from: now - 24 * HOUR, to: now } : spanOf(recent);
  return (
    <Range
      title={`Range of ${cut(alert.name)}`}
      desc={`The range is ${range.lower} to ${range.upper} ${range.unit}. The price is ${range.price}, ${out}.`}
      severity={alert.state === "ok" ? null : alert.severity}
      closed={range.closed}
      lower={lower}
      upper={upper}
      price={price}
      lowerText={range.lower}
      upperText={range.upper}
      priceText={
        axis === null
          ? `${range.price}${range.closed ? ", closed" : range.in_range ? "" : `, ${outText(alert)}`}`
          : ""
      }
      trail={trail}
      span={span}
      axis={axis}
    />
  );
}

/** Where a range and its price are, rising with the price as people read it. */
export function inTicks(alert: Alert): {
  readonly lower: number;
  readonly upper: number;
  readonly price: number;
  readonly trail: readonly Point[];
} {
  const { range, recent } = alert;
  if (range === null) return { lower: 0, upper: 0, price: 0, trail: [] };
  const sign = range.inverted ? -1 : 1;
  const edges = [range.lower_tick * sign, range.upper_tick * sign].toSorted((a, b) => a - b);
  const [lower = 0, upper = 0] = edges;
  const trail =
    recent?.metric === "current_tick"
      ? pointsOf(recent).map(({ at, value }) => ({
          at,
          value: value === null ? null : value * sign,
        }))
      : [];
  return { lower, upper, price: range.tick * sign, trail };
}

const TICK = Math.log(1.0001);

/** `3.66% out`: how far the price is beyond the nearer edge, in percent of that. */
export function outText({ range }: Alert): string {
  const distance = range?.distance ?? null;
  return distance === null ? "out" : `${distance} out`;
}

/** So many ticks as a share of the price: +100 is a price 1.005% higher. */
export function edgeShare(ticks: number): number {
  return Math.expm1(ticks * TICK);
}

interface RowSparkProps {
  readonly alert: Alert;
}

export function RowSpark({ alert }: RowSparkProps) {
  const { recent } = alert;
  if (recent === null || recent === undefined) return null;
  return (
    <SmallSpark
      severity={alert.state === "ok" ? null : alert.severity}
      points={coarse(pointsOf(recent), ROW_POINTS)}
      span={spanOf(recent)}
    />
  );
}

/** So many points are seen in the picture of a table's row, and in that of a firing alert. */
const ROW_POINTS = 34;
const ALERT_POINTS = 97;

/** Fewer points: of each few the one that is farthest from the one before, so that no peak is lost. */
function coarse(points: Point[], most: number): Point[] {
  const size = Math.ceil(points.length / most);
  if (size <= 1) return points;
  const kept: Point[] = [];
  for (let i = 0; i < points.length; i += size) {
    const few = points.slice(i, i + size);
    const before = kept.at(-1)?.value ?? few[0]?.value ?? 0;
    const gap = few.find(({ value }) => value === null);
    const far = few.reduce((farthest, one) =>
      Math.abs((one.value ?? before) - before) > Math.abs((farthest.value ?? before) - before)
        ? one
        : farthest,
    );
    kept.push(...(gap === undefined ? [] : [gap]), ...(far.value === null ? [] : [far]));
  }
  const last = points.at(-1);
  return last === undefined || kept.at(-1) === last ? kept : [...kept, last];
}

/** The steps of the recent past as the points of a line: of a step its two ends, the nearer one first. */
function pointsOf(recent: Recent): Point[] {
  const start = Date.parse(recent.from);
  const points: Point[] = [];
  const longest = gapSteps(recent);
  let before = Number.NaN;
  let seen = Number.NaN;
  recent.points.forEach((step, i) => {
    const at = start + i * recent.step_ms;
    if (step === null) return;
    if (i - seen > longest) points.push({ at: at - recent.step_ms / 2, value: null });
    seen = i;
    const [low, high] = [numberOf(step[0]), numberOf(step[1])];
    if (low === high || low === null || high === null) {
      points.push({ at: at + recent.step_ms / 2, value: low });
    } else {
      const falling = Math.abs(before - high) < Math.abs(before - low);
      points.push({ at: at + recent.step_ms / 3, value: falling ? high : low });
      points.push({ at: at + (recent.step_ms * 2) / 3, value: falling ? low : high });
    }
    before = points.at(-1)?.value ?? before;
  });
  return points;
}

/** From how many steps on a line is broken: hours have three empty steps between them, and no gap. */
function gapSteps({ points }: Recent): number {
  const known = points.flatMap((step, i) => (step === null ? [] : [i]));
  const apart = known.slice(1).map((at, i) => at - (known[i] ?? at));
  const usual = apart.toSorted((a, b) => a - b)[Math.floor(apart.length / 2)] ?? 1;
  return usual * 3;
}

function spanOf({ from, to }: { readonly from: string; readonly to: string }): Span {
  return { from: Date.parse(from), to: Date.parse(to) };
}

function firingOf(recent: Recent): Span[] {
  const end = Date.parse(recent.to);
  return recent.firing.map(({ from, to }) => ({
    from: Date.parse(from),
    to: to === null ? end : Date.parse(to),
  }));
}

/** A value for drawing; null for text. */
export function numberOf(exact: string): number | null {
  if (exact === "true") return 1;
  if (exact === "false") return 0;
  const value = Number(exact);
  return exact.trim() === "" || !Number.isFinite(value) ? null : value;
}

/** The levels that decide; of a change the one that follows from its base and how far it has gone. */
function limitLines(compared: Compared, { metric, resolve }: Recent): LimitLine[] {
  const lines = compared.limits.flatMap((limit): LimitLine[] => {
    const value = numberOf(limit.exact);
    return value === null ? [] : [{ value, text: limitText(compared, limit.text) }];
  });
  const ends = (metric === compared.metric ? resolve : []).flatMap((exact): LimitLine[] => {
    const value = numberOf(exact);
    return value === null ? [] : [{ value, text: "", back: true }];
  });
  if (lines.length > 0) return [...lines, ...ends];
  const level = changeLevel(compared);
  return level === null ? [] : [{ value: level, text: cut(compared.fires, 40) }];
}

function limitText(compared: Compared, text: string): string {
  return compared.limits.length > 1 ? text : cut(compared.fires, 40);
}

/** Where a change would be at its limit: as far from the base as the change, by how far that has gone. */
export function changeLevel(compared: Compared): number | null {
  const { base, change, distance } = compared;
  if (base === null || change === null || distance === null) return null;
  const [from, by, ratio] = [numberOf(base.exact), numberOf(change.exact), distance.ratio];
  if (from === null || by === null || ratio === null || ratio === 0 || by === 0) return null;
  return from + by / ratio;
}

export function windowOf(compared: Compared, span: Span): WindowMark | null {
  if (compared.base_at === null) return null;
  const at = Date.parse(compared.base_at);
  const value = compared.base === null ? null : numberOf(compared.base.exact);
  if (at >= span.to) return null;
  return {
    from: Math.max(at, span.from),
    base:
      value === null
        ? null
        : { at: Math.max(at, span.from), value, text: shortly(compared.base?.text ?? "") },
  };
}

/** A long unit is left out: it stands in the sentence beside the picture. */
function shortly(text: string): string {
  return text.length > 12 ? (text.split(" ")[0] ?? text) : text;
}

/** The picture in words. */
function describe(alert: Alert): string {
  const { compared } = alert;
  if (compared === null) return "No value is known.";
  const { value, base, fires, distance } = compared;
  return [
    `Now ${value.text}`,
    ...(base === null ? [] : [`it was ${base.text}`]),
    `fires when ${fires}`,
    ...(distance === null || distance.text === "" ? [] : [distance.text]),
  ].join("; ");
}

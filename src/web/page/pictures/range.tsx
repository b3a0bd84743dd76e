import type { Severity } from "../../../model/index.ts";
import { Drawing, Frame } from "./frame.tsx";
import { lastOf, WIDE } from "./path.ts";
import { type Extent, type Point, percent, type Span, shareOf, timeShare, trim } from "./scale.ts";

export interface RangeProps {
  readonly title: string;
  readonly desc: string;
  readonly severity: Severity | null;
  /** There is nothing in it any more. */
  readonly closed: boolean;
  /** In ticks, rising with the price: equal ways are equal changes of it. The lower one is smaller. */
  readonly lower: number;
  readonly upper: number;
  readonly price: number;
  readonly lowerText: string;
  readonly upperText: string;
  /** `1,938.59, 3.66% out`; empty where an axis above says the price. */
  readonly priceText: string;
  /** Where the price was. */
  readonly trail: readonly Point[];
  readonly span: Span;
  /** One axis for several ranges; null: the range's own. */
  readonly axis: Extent | null;
}

/** An edge so many ticks away (20 times the price) is out of every picture: a range over all prices. */
const OPEN = 30_000;
const TRAIL_HEIGHT = { row: 28, screen: 20 };

/** What must be seen of a range: its edges, the price and where that was, with a margin. */
export function rangeExtent(
  ranges: readonly Pick<RangeProps, "lower" | "upper" | "price" | "trail">[],
): Extent {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { lower, upper, price, trail } of ranges) {
    const seen = [
      price,
      ...(price - lower < OPEN ? [lower] : []),
      ...(upper - price < OPEN ? [upper] : []),
      ...trail.map(({ value }) => value ?? price),
    ];
    for (const value of seen) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  const margin = (high - low) * 0.05 || 100;
  return { low: low - margin, high: high + margin };
}

/**
 * A position's range with the price in it: solid while in range, hatched while out, and below it the way of
 * the price, now on top. Without an axis of its own it is an alert's row; with one, a line of a screen of them.
 */
export function Range(props: RangeProps) {
  const { title, desc, severity, lower, upper, price, trail, span, axis } = props;
  const extent = axis ?? rangeExtent([props]);
  const row = axis === null;
  const bar = row ? 18 : 4;
  const middle = bar + 6;
  const place = (value: number): number => Math.min(1, Math.max(0, shareOf(value, extent)));
  const [from, to, now] = [place(lower), place(upper), place(price)];
  const out = price < lower || price >= upper;
  const height = row ? TRAIL_HEIGHT.row : TRAIL_HEIGHT.screen;
  const edges = [...(lower >= extent.low ? [from] : []), ...(upper <= extent.high ? [to] : [])];
  const trailTop = middle + 10;
  return (
    <Frame title={title} desc={desc} height={row ? 78 : 46} severity={severity}>
      <line class="rail" x1="0" x2="100%" y1={middle} y2={middle} />
      <rect class="rngb" x={percent(from)} y={bar} width={percent(to - from)} height="12" />
      <rect
        class={out || props.closed ? "rng out" : "rng"}
        x={percent(from)}
        y={bar}
        width={percent(to - from)}
        height="12"
      />
      {edges.map((at) => (
        <>
          <line class="end" x1={percent(at)} x2={percent(at)} y1={bar - 2} y2={bar + 14} />
          <line
            class="hair"
            x1={percent(at)}
            x2={percent(at)}
            y1={bar + 14}
            y2={trailTop + height + (row ? 2 : -8)}
          />
        </>
      ))}
      {!row && <line class="through" x1={percent(now)} x2={percent(now)} y1="-6" y2="53" />}
      <Drawing y={trailTop} height={height}>
        <path class="trail" d={trailPath(trail, span, extent, height, price)} />
      </Drawing>
      {out && !props.closed && (
        <line
          class="gap"
          x1={percent(now)}
          x2={percent(price < lower ? from : to)}
          y1={middle}
          y2={middle}
        />
      )}
      <line class="pricel" x1={percent(now)} x2={percent(now)} y1={bar - 3} y2={trailTop} />
      <circle class="now" cx={percent(now)} cy={middle} r="5.5" />
      {props.priceText !== "" && (
        <text class="strong" x={percent(now)} y="10" text-anchor={anchorAt(now, 0.3)}>
          {props.priceText}
        </text>
      )}
      <EdgeTexts {...props} from={from} to={to} y={row ? 75 : 45} extent={extent} />
    </Frame>
  );
}

interface EdgeProps extends RangeProps {
  readonly from: number;
  readonly to: number;
  readonly y: number;
  readonly extent: Extent;
}

/** The prices of the edges; apart from each other where the range is narrow. */
function EdgeTexts({ from, to, y, extent, lower, upper, lowerText, upperText }: EdgeProps) {
  const narrow = to - from < 0.24;
  const left = narrow && from > 0.15 ? "end" : anchorAt(from, 0.14);
  const right = narrow && to < 0.85 ? "start" : anchorAt(to, 0.14);
  return (
    <>
      {lower >= extent.low && (
        <text class="halo" x={percent(from)} y={y} text-anchor={left}>
          {lowerText}
        </text>
      )}
      {upper <= extent.high && (
        <text class="halo" x={percent(to)} y={y} text-anchor={right}>
          {upperText}
        </text>
      )}
    </>
  );
}

/** How a text at this place stays within the picture. */
function anchorAt(share: number, edge: number): "start" | "middle" | "end" {
  return share < edge ? "start" : share > 1 - edge ? "end" : "middle";
}

/** x is the price, y the time: the newest on top. */
function trailPath(
  trail: readonly Point[],
  span: Span,
  extent: Extent,
  height: number,
  price: number,
): string {
  const known = trail.filter(({ value }) => value !== null);
  if (known.length === 0) return "";
  const steps = known.map(({ at, value }) => {
    const x = trim(Math.min(1, Math.max(0, shareOf(value ?? 0, extent))) * WIDE);
    return `${x} ${trim((1 - timeShare(at, span)) * height)}`;
  });
  const newest = lastOf(trail);
  const end =
    newest === null || newest.at < span.to
      ? [`${trim(Math.min(1, Math.max(0, shareOf(price, extent))) * WIDE)} 0`]
      : [];
  return `M${[...steps, ...end].join("L")}`;
}

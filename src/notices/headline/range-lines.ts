import { compare, type Decimal, group, parseDecimal } from "../../base/decimal.ts";
import type { Metric } from "../../kinds/kind.ts";
import type { RangeFacts } from "../../model/index.ts";
import { headlineUnit } from "../../rules/describe/metric-words.ts";
import type { Compared } from "../compared-words.ts";
import { GOOD_ICON, type HeadlineContext, type Line, WHOLE_NAME } from "../wording.ts";

/** How a position's range reads; prices rise with the tick, or fall with it where they are inverted. */

export type Side = "below" | "in" | "above";

/** Lower tick included, upper tick excluded, as the pool contract has it. */
function sideOfRange({ tick, lowerTick, upperTick, inverted }: RangeFacts): Side {
  if (tick >= lowerTick && tick < upperTick) return "in";
  return tick < lowerTick !== inverted ? "below" : "above";
}

/** `USDC/ETH`. */
function shortUnit(range: RangeFacts): string {
  return headlineUnit(range.unit).join("/");
}

/**
 * `2,310 > 2,250 USDC/ETH`: where an outside price is. The ticks decide; where the prices as
 * printed do not show it (they may differ by one tick from them), the ticks are shown.
 */
function outsideText(range: RangeFacts): string {
  const side = sideOfRange(range);
  const price = readPrice(range.price);
  const edge = readPrice(side === "above" ? range.upper : range.lower);
  const order = price === null || edge === null ? null : compare(price, edge);
  const unit = shortUnit(range);
  const end = unit === "" ? "" : ` ${unit}`;
  if (side === "above") {
    if (order !== null && order > 0) return `${range.price} > ${range.upper}${end}`;
  } else if (order !== null && order < 0) return `${range.price} < ${range.lower}${end}`;
  return range.tick >= range.upperTick
    ? `tick ${tickText(range.tick)} ≥ ${tickText(range.upperTick)}`
    : `tick ${tickText(range.tick)} < ${tickText(range.lowerTick)}`;
}

/** The token that an outside position holds alone: the one that is priced below its range, the other above. */
export function onlyToken(range: RangeFacts): string | null {
  const [token1 = "", token0 = ""] = headlineUnit(range.unit);
  const side = sideOfRange(range);
  const token = side === "below" ? token0 : side === "above" ? token1 : "";
  return token === "" || token0 === "" ? null : token;
}

export function tickText(tick: number): string {
  return group(String(tick));
}

function readPrice(text: string): Decimal | null {
  return parseDecimal(text.replaceAll(",", ""));
}

/** How far a position is from the edge of its range, and from which: that decides what to do about it. */

const DISTANCES: ReadonlySet<string> = new Set(["pct_to_edge", "ticks_to_edge"]);

/** Whether a metric measures where in its range a position is. */
export function isOfEdge({ name }: Pick<Metric, "name">): boolean {
  return DISTANCES.has(name) || name === "range_position";
}

/**
 * `upper edge 2,250 USDC/ETH`, without the unit, and without the price: the nearer one, or the one that
 * the price is beyond.
 */
function edgeTexts(range: RangeFacts): readonly string[] {
  const { tick, lowerTick, upperTick, inverted } = range;
  const isLowTick = tick - lowerTick + 1 < upperTick - tick;
  const side = isLowTick === inverted ? "upper" : "lower";
  const alone = `${side} edge`;
  const price = `${alone} ${range[side]}`;
  const unit = shortUnit(range);
  return [...(unit === "" ? [] : [`${price} ${unit}`]), price, alone];
}

export interface EdgeWords {
  readonly metric: Metric;
  readonly value: Decimal;
  readonly range: RangeFacts;
  /** ` back to`, ` now` or nothing. */
  readonly back: string;
  readonly tails: readonly string[];
}

/** `Treasury ETH/USDC 0.8% from the upper edge 2,250 USDC/ETH, below 1%`, from the richest to the plainest. */
export function edgeLines(
  before: string,
  name: string,
  { value: number, limit }: Compared,
  { metric, value, range, back, tails }: EdgeWords,
): readonly Line[] {
  const isDistance = DISTANCES.has(metric.name);
  const far = number.replace(/^-/, "");
  const ticks = metric.quantity === "tick" ? (far === "1" ? " tick" : " ticks") : "";
  return edgeTexts(range).map((edge) => {
    const place = isDistance
      ? `${far}${ticks} ${value.digits < 0n ? "past" : "from"} the ${edge}`
      : `at ${number} of its range (${edge})`;
    const start = isDistance ? back : back.replace(/ to$/, "");
    return { before, name, after: `${start} ${place}${limit}`, tails, least: WHOLE_NAME };
  });
}

/** `🟠 Out of range: Treasury ETH/USDC. 2,310 > 2,250 USDC/ETH. Now all USDC` */
export function firedRangeLine(
  { event, name, icon, tail }: HeadlineContext,
  inRange: boolean,
): Line {
  const range = event.description?.range ?? null;
  const again = event.more?.past === true ? " again" : "";
  if (inRange) {
    return { before: `${icon} In range${again}: `, name, after: atPrice(range), tails: [tail] };
  }
  const before = `${icon} Out of range${again}: `;
  if (range === null || sideOfRange(range) === "in") {
    return { before, name, after: "", tails: [tail] };
  }
  const token = onlyToken(range);
  const tails = token === null ? [] : [`. Now all ${token}`];
  return { before, name, after: `. ${outsideText(range)}`, tails };
}

/** `🟢 Back in range: Treasury ETH/USDC at 2,231 USDC/ETH. Was out 3 h 12 m` */
export function resolvedRangeLine(
  { event, name }: HeadlineContext,
  inRange: boolean,
  lasted: string | null,
): Line {
  const back = inRange ? "Back in range" : "Out of range again";
  const tails = lasted === null ? [] : [`. Was ${inRange ? "out" : "in"} ${lasted}`];
  return {
    before: `${GOOD_ICON} ${back}: `,
    name,
    after: atPrice(event.description?.range ?? null),
    tails,
  };
}

function atPrice(range: RangeFacts | null): string {
  if (range === null) return "";
  const unit = shortUnit(range);
  return unit === "" ? ` at ${range.price}` : ` at ${range.price} ${unit}`;
}

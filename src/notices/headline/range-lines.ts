import type { RangeFacts } from "../../model/index.ts";
import { onlyToken, outsideText, shortUnit, sideOfRange } from "../range-words.ts";
import { GOOD_ICON } from "../wording.ts";
import type { Line } from "./fit.ts";

/** What became of a position's range; the range is null while prices are not known. */
export interface RangeNews {
  readonly name: string;
  readonly inRange: boolean;
  readonly range: RangeFacts | null;
}

/** `🟠 Out of range: Treasury ETH/USDC. 2,310 > 2,250 USDC/ETH. Now all USDC` */
export function firedRangeLine(
  { name, inRange, range }: RangeNews,
  icon: string,
  tail: string,
): Line {
  if (inRange) return { before: `${icon} In range: `, name, after: atPrice(range), tails: [tail] };
  const before = `${icon} Out of range: `;
  if (range === null || sideOfRange(range) === "in") {
    return { before, name, after: "", tails: [tail] };
  }
  const token = onlyToken(range);
  const tails = token === null ? [] : [`. Now all ${token}`];
  return { before, name, after: `. ${outsideText(range)}`, tails };
}

/** `🟢 Back in range: Treasury ETH/USDC at 2,231 USDC/ETH. Was out 3 h 12 m` */
export function resolvedRangeLine(
  { name, inRange, range }: RangeNews,
  lasted: string | null,
): Line {
  const back = inRange ? "Back in range" : "Out of range again";
  const tails = lasted === null ? [] : [`. Was ${inRange ? "out" : "in"} ${lasted}`];
  return { before: `${GOOD_ICON} ${back}: `, name, after: atPrice(range), tails };
}

function atPrice(range: RangeFacts | null): string {
  if (range === null) return "";
  const unit = shortUnit(range);
  return unit === "" ? ` at ${range.price}` : ` at ${range.price} ${unit}`;
}

import { compare, type Decimal, parseDecimal, subtract } from "../base/decimal.ts";
import { Bitmap } from "../base/png.ts";
import type { LinePicture, RangeFacts } from "../model/index.ts";
import { TONES } from "./text.ts";

/**
 * Pictures for mails, as PNG: few programs that show mail draw SVG, and none all of CSS. Twice as large as
 * shown, so that edges are smooth; seen through, with colours that suit light and dark grounds.
 */

/** As shown, in CSS pixels. */
export const PICTURE_WIDTH = 320;
const HEIGHT = 40;
const RANGE_HEIGHT = 16;
const SCALE = 2;

const INK = "#2f7f93";
const GREY = TONES.neutral;

export interface Picture {
  /** The PNG file in base64. */
  readonly png: string;
  /** As shown, in CSS pixels. */
  readonly height: number;
}

/** Null: there is nothing to draw. */
export function drawPicture(picture: LinePicture): Picture | null {
  const colour = picture.firing === null ? INK : TONES[picture.firing];
  return picture.range === null ? sparkline(picture, colour) : rangeBar(picture.range, colour);
}

/** The values as a line, with the limits dashed and the newest one as a dot. */
function sparkline({ values, limits }: LinePicture, colour: string): Picture | null {
  const numbers = values.map((text) => (text === null ? null : parseDecimal(text)));
  const bounds = limits.map(parseDecimal).filter((one) => one !== null);
  const known = [...numbers.filter((one) => one !== null), ...bounds];
  const [first] = known;
  if (first === undefined || numbers.length < 2) return null;
  let [low, high] = [first, first];
  for (const one of known) {
    if (compare(one, low) < 0) low = one;
    if (compare(one, high) > 0) high = one;
  }
  const span = toNumber(subtract(high, low));
  const bitmap = new Bitmap(PICTURE_WIDTH * SCALE, HEIGHT * SCALE);
  const inset = 5 * SCALE;
  const x = (place: number): number =>
    inset + ((bitmap.width - 2 * inset) * place) / (numbers.length - 1);
  const y = (value: Decimal): number => {
    const share = span > 0 ? toNumber(subtract(value, low)) / span : 0.5;
    return bitmap.height - inset - (bitmap.height - 2 * inset) * share;
  };
  for (const bound of bounds) {
    for (let left = 0; left < bitmap.width; left += 8 * SCALE) {
      bitmap.rectangle(left, y(bound) - SCALE / 2, 5 * SCALE, SCALE, GREY);
    }
  }
  let before: { readonly x: number; readonly y: number } | null = null;
  for (const [place, value] of numbers.entries()) {
    if (value === null) {
      before = null;
      continue;
    }
    const point = { x: x(place), y: y(value) };
    const { x: fromX, y: fromY } = before ?? point;
    bitmap.line(fromX, fromY, point.x, point.y, 1.6 * SCALE, colour);
    before = point;
  }
  if (before !== null) bitmap.disc(before.x, before.y, 3.5 * SCALE, colour);
  return { png: bitmap.png().toString("base64"), height: HEIGHT };
}

/** Shares of the width at which a range begins and ends; a price beyond is drawn between it and the edge. */
const [BEGIN, END, EDGE] = [0.25, 0.75, 0.03];

/** A range with the price in it: solid while it is in, an outline while it is out. */
function rangeBar(range: RangeFacts, colour: string): Picture {
  const { lowerTick, upperTick, tick, inverted } = range;
  const bitmap = new Bitmap(PICTURE_WIDTH * SCALE, RANGE_HEIGHT * SCALE);
  const { width, height } = bitmap;
  const middle = height / 2;
  const isIn = tick >= lowerTick && tick < upperTick;
  const share = (tick - lowerTick) / Math.max(1, upperTick - lowerTick);
  const along = inverted ? 1 - share : share;
  const place = Math.min(1 - EDGE, Math.max(EDGE, BEGIN + (END - BEGIN) * along));
  bitmap.rectangle(0, middle - SCALE / 2, width, SCALE, GREY);
  const bar = 4 * SCALE;
  bitmap.rectangle(width * BEGIN, middle - bar, width * (END - BEGIN), 2 * bar, isIn ? INK : GREY);
  if (!isIn) {
    const [left, inner] = [width * BEGIN + SCALE, width * (END - BEGIN) - 2 * SCALE];
    bitmap.rectangle(left, middle - bar + SCALE, inner, 2 * (bar - SCALE), null);
  }
  // A ring, so that the dot is seen on the bar, too.
  bitmap.disc(width * place, middle, 6 * SCALE, "#ffffff");
  bitmap.disc(width * place, middle, 4.5 * SCALE, colour);
  return { png: bitmap.png().toString("base64"), height: RANGE_HEIGHT };
}

/** A difference as a fraction of the largest one: a picture shows no more. */
function toNumber(value: Decimal): number {
  return Number(value.toString());
}

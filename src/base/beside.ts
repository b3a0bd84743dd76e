import { absolute, compare, Decimal, divide, isZero, multiply } from "./decimal.ts";
import { type Figure, formatFigure, signed, type Written } from "./format.ts";
import { exact, magnitude, placesFor, rounded } from "./numerals.ts";

/** Numbers that people compare: rounding must not move one to the other side of its limit. */

/** More extra digits than any number has. */
const MOST_EXTRA = 160;

/** `delta` in percent of |base|, to 10⁻⁶ percent; null when base is zero. */
export function percentOf(delta: Decimal, base: Decimal): Decimal | null {
  if (isZero(base)) return null;
  return divide(multiply(delta, new Decimal(100n, 0)), absolute(base), 6);
}

/**
 * `-18%`: whole percents from ten on, one decimal below. Beside a `limit` (in percent, by size) it
 * gets the digits that show on which side of it the change is.
 */
export function formatPercentChange(percent: Decimal, limit: Decimal | null = null): string {
  const size = absolute(percent);
  for (let extra = 0; extra < MOST_EXTRA; extra += 1) {
    const short = rounded(size, (magnitude(size) >= 1 ? 0 : placesFor(size, 2, 1)) + extra);
    if (limit === null || sign(short.shown, limit) === sign(size, limit)) {
      return signed(percent, `${short.text}%`);
    }
  }
  return signed(percent, `${exact(size).text}%`);
}

/**
 * Values that are read side by side, the first being compared with each other one: they get the
 * digits that it takes to see which is greater. What stands in `own` at a value's place was written
 * by somebody else and stays as it is.
 */
export function formatBeside(
  values: readonly Decimal[],
  as: Written,
  own: readonly (Figure | null)[] = [],
): readonly Figure[] {
  const [first] = values;
  if (first === undefined) return [];
  for (let extra = 0; extra < MOST_EXTRA; extra += 1) {
    const figures = values.map((value, i) => own[i] ?? besideFigure(value, as, extra));
    const [mine] = figures;
    const agree = figures.every(
      (figure, i) =>
        mine === undefined || sign(mine.shown, figure.shown) === sign(first, values[i] ?? first),
    );
    if (agree) return figures;
  }
  return values.map((value, i) => own[i] ?? formatFigure(value, as, "full"));
}

/** What is round anyway needs no more digits. */
function besideFigure(value: Decimal, as: Written, extra: number): Figure {
  const short = formatFigure(value, as);
  return compare(short.shown, value) === 0 ? short : formatFigure(value, as, "compact", extra);
}

function sign(a: Decimal, b: Decimal): number {
  return Math.sign(compare(a, b));
}

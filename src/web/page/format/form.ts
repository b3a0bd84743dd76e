import {
  abbreviated,
  type Decimal,
  decimalFromNumber,
  exact,
  magnitude,
  parseDecimal,
  round,
  shift,
} from "../../../base/decimal.ts";
import type { Shown } from "../../api/schemas/common.ts";

/** How values of one metric are written: learnt from one that the API has written. */
export interface ValueForm {
  /** What stands before the digits: `$`, or nothing. */
  readonly before: string;
  /** What stands behind them: `%`, ` gwei`. */
  readonly after: string;
  /** So many places the point of the value in its own unit moves to the left. */
  readonly power: number;
}

const WRITTEN = /^-?(\$?)(\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)([MBT]?)(| .{1,40}|%)$/;
const LETTERS: Readonly<Record<string, number>> = { M: 6, B: 9, T: 12 };
/** A rounded text is as near to a power of ten times its value as this, in powers. */
const NEAR = 0.05;

/** Null for text, for a value of zero, which tells nothing, and for numbers that are written otherwise. */
export function formOf({ exact: value, text }: Shown): ValueForm | null {
  const [, before = "", digits = "", letter = "", after = ""] = WRITTEN.exec(text) ?? [];
  if (parseDecimal(value) === null) return null;
  const shown = Number(digits.replaceAll(",", "")) * 10 ** (LETTERS[letter] ?? 0);
  const power = Math.log10(Math.abs(Number(value)) / shown);
  if (!Number.isFinite(power) || Math.abs(power - Math.round(power)) > NEAR) return null;
  return { before, after, power: Math.round(power) };
}

/** The form of the first of these that has one. */
export function firstForm(known: readonly (Shown | null | undefined)[]): ValueForm | null {
  for (const one of known) {
    const form = one === undefined || one === null ? null : formOf(one);
    if (form !== null) return form;
  }
  return null;
}

/**
 * A value for an axis: short, in the unit of the others; without a form it is a bare number. `step`: how far it is
 * from the next one, so that the two are not written alike.
 */
export function axisText(value: number, form: ValueForm | null, step = Infinity): string {
  const decimal = decimalFromNumber(Number(value.toPrecision(12)));
  if (decimal === null) return "";
  const number = shift(decimal, -(form?.power ?? 0));
  const places = Math.max(0, 5 - magnitude(number));
  const short =
    magnitude(number) >= 6
      ? abbreviated(number, digitsBeyond(value, step)).text
      : exact(round(number, places)).text;
  const [sign, rest] = short.startsWith("-") ? ["-", short.slice(1)] : ["", short];
  return `${sign}${form?.before ?? ""}${rest}${form?.after ?? ""}`;
}

/** How many digits it takes beyond three to see a step, which is 1, 2, 2.5 or 5 times a power of ten. */
function digitsBeyond(value: number, step: number): number {
  const needed = Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(step)) + 2;
  return Math.min(MOST_DIGITS, Math.max(SHORT_DIGITS, needed)) - SHORT_DIGITS;
}

const SHORT_DIGITS = 3;
/** More are no longer short. */
const MOST_DIGITS = 8;

/** All digits of a value, in the unit in which it is written: `$15,574,355.97`, `11.378259922 gwei`. */
export function everyDigit(shown: Shown): string {
  const number = parseDecimal(shown.exact);
  const form = formOf(shown);
  if (number === null || form === null) return shown.exact;
  return written(shift(number, -form.power), form);
}

function written(number: Decimal, { before, after }: ValueForm): string {
  const { text } = exact(number);
  return text.startsWith("-") ? `-${before}${text.slice(1)}${after}` : `${before}${text}${after}`;
}

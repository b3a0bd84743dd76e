import { countsRaw } from "../../base/quantity.ts";
import type { Quantity } from "../../model/index.ts";
import { UNITS } from "../parse/units.ts";

/** A sign, a dollar, and digits with what people part them by; what follows is the unit. */
const WRITTEN = /^[-+$ ]*(\d[\d.,_' ]*)/;
const THOUSANDS = /^[1-9]\d{0,2}(?:([' .])\d{3})(?:\1\d{3})*$/;

/**
 * What a text was meant to be whose number is written as elsewhere, with its unit: `0.995` for `0,995`,
 * `1_000_000 usd` for `1.000.000 usd`. `1,005` may be a decimal fraction or a thousand and five: of two
 * readings that are a thousand times apart neither is dropped. Empty if nothing is seen.
 */
export function suggestNumbers(text: string): readonly string[] {
  const written = (WRITTEN.exec(text)?.[1] ?? "").replace(/[.,_' ]+$/, "");
  if (written === "") return [];
  const at = text.indexOf(written);
  const [before, after] = [text.slice(0, at), text.slice(at + written.length)];
  return readingsOf(written).map((number) => `${before}${number}${after}`);
}

function readingsOf(written: string): readonly string[] {
  // Nobody parts a zero off, so that this is a point that was taken for one, or a comma.
  const zero = /^(0+)_([\d_]+)$/.exec(written);
  if (zero !== null) {
    const [, , rest = ""] = zero;
    return [`0.${rest.replaceAll("_", "")}`, rest.replace(/^[0_]+(?=\d)/, "")];
  }
  const commas = written.split(",").length - 1;
  const points = written.split(".").length - 1;
  if (commas === 0) {
    // One point is a point.
    const parted = THOUSANDS.exec(written)?.[1];
    return parted === undefined || (parted === "." && points === 1)
      ? []
      : [written.replaceAll(parted, "_")];
  }
  if (points > 0) return mixed(written);
  return commas === 1 ? oneComma(written) : manyCommas(written);
}

/** `1,000.5` and `1.000,5`: the one that comes last is the decimal point. */
function mixed(written: string): readonly string[] {
  const [group, point] = written.lastIndexOf(",") < written.lastIndexOf(".") ? ",." : ".,";
  const [whole = "", fraction = "", ...more] = written.split(point ?? "");
  const groups = whole.split(group ?? "");
  if (more.length > 0 || !/^\d+$/.test(fraction) || !areThousands(groups)) return [];
  return [`${groups.join("_")}.${fraction}`];
}

function oneComma(written: string): readonly string[] {
  const [whole = "", rest = ""] = written.split(",");
  if (!/^\d+$/.test(whole) || !/^\d+$/.test(rest)) return [];
  const decimal = `${whole}.${rest}`;
  return areThousands([whole, rest]) ? [decimal, `${whole}_${rest}`] : [decimal];
}

/** In India groups but the last are of two digits. */
function manyCommas(written: string): readonly string[] {
  return /^[1-9]\d{0,2}(?:,\d{2,3})+,\d{3}$/.test(written) ? [written.replaceAll(",", "_")] : [];
}

/** Groups of three digits after one that begins with no zero. */
function areThousands([first = "", ...others]: readonly string[]): boolean {
  return /^[1-9]\d{0,2}$/.test(first) && others.every((one) => /^\d{3}$/.test(one));
}

/** Words for powers of ten, and how they are written here. */
const MULTIPLE_WORDS: Readonly<Record<string, string>> = {
  thousand: "k",
  mio: "M",
  mm: "M",
  mil: "M",
  mln: "M",
  million: "M",
  millions: "M",
  bn: "b",
  bln: "b",
  billion: "b",
  billions: "b",
};

const PERCENT_WORDS: ReadonlySet<string> = new Set(["percent", "pct", "perc", "per cent", "%."]);
const BPS_WORDS: ReadonlySet<string> = new Set(["bp", "basis points", "bips"]);
/** A dollar, or what is meant to be one. */
const DOLLARS: ReadonlySet<string> = new Set([
  "$",
  "dollar",
  "dollars",
  "us$",
  "usdc",
  "usdt",
  "dai",
]);

/** Units of something else: that they do not fit says more than a guess would. */
const OTHERS: ReadonlySet<string> = new Set(["usd", "dollar", "dollars", "gwei", "wei", "bps"]);
const SYMBOL = /^[A-Za-z][\w.$]{1,15}$/;

/**
 * What a unit that does not fit was meant to be, multiple included, for the end of a number: ` tokens`
 * for `USDC` of an amount of tokens, `M usd` for `million dollars`; null if it could be anything.
 */
export function suggestUnit(rest: string, quantity: Quantity): string | null {
  const units = UNITS[quantity];
  if (units === null) return null;
  const text = rest.trim().toLowerCase();
  if (PERCENT_WORDS.has(text)) return "%" in units.powers ? "%" : null;
  if (BPS_WORDS.has(text)) return "bps" in units.powers ? " bps" : null;
  const { multiple, unit } = multipleOf(rest.trim());
  if (!units.multiples && multiple !== "") return null;
  const named = unitOf(unit, quantity);
  return named === null || (named === "" && multiple === "") ? null : `${multiple}${named}`;
}

/** `M` and `usd` of `million usd`, of `M usd` and of `Musd`. */
function multipleOf(text: string): { readonly multiple: string; readonly unit: string } {
  const [, word = "", after = ""] = /^([A-Za-z]+)\s*(.*)$/.exec(text) ?? [];
  const lower = word.toLowerCase();
  if (Object.hasOwn(MULTIPLE_WORDS, lower)) {
    return { multiple: MULTIPLE_WORDS[lower] ?? "", unit: after };
  }
  if (/^[kKmMbB]$/.test(word)) return { multiple: word, unit: after };
  return { multiple: "", unit: text };
}

function unitOf(unit: string, quantity: Quantity): string | null {
  const lower = unit.toLowerCase();
  if (lower === "") return "";
  if (Object.hasOwn(UNITS[quantity]?.powers ?? {}, lower)) return ` ${lower}`;
  if (quantity === "usd") return DOLLARS.has(lower) ? " usd" : null;
  const amount = countsRaw(quantity) || quantity === "tokens";
  return amount && SYMBOL.test(unit) && !OTHERS.has(lower) ? " tokens" : null;
}

import { countsRaw } from "../../base/quantity.ts";
import type { Quantity } from "../../model/index.ts";
import { UNITS } from "../parse/units.ts";

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
export function meantUnit(rest: string, quantity: Quantity): string | null {
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

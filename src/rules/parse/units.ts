import { nearest } from "../../base/nearest.ts";
import { alternatives } from "../../base/settings.ts";
import { cleanText } from "../../base/text.ts";
import type { Metric } from "../../kinds/kind.ts";
import type { AmountLimit, Quantity } from "../../model/index.ts";
import { QuantityError, shown } from "../finding.ts";

/**
 * Which units a quantity takes: 10^power of them make one of the quantity's own, `"tokens"` needs
 * the token's decimals first. The unit "" is a plain number.
 */
export interface Units {
  readonly powers: Readonly<Record<string, number | "tokens">>;
  /** `k`, `M` and `b` may follow the number. */
  readonly multiples: boolean;
  /** A small `m` is surely a million, and no minute or thousandth. */
  readonly smallMillion: boolean;
  /** Below zero it makes no sense. */
  readonly negative: boolean;
  /** For a message: `expected …`. */
  readonly expected: string;
}

function units(
  powers: Units["powers"],
  expected: string,
  more: Partial<Omit<Units, "powers" | "expected">> = {},
): Units {
  return { powers, expected, multiples: false, smallMillion: false, negative: false, ...more };
}

const MONEY = { multiples: true, smallMillion: true };
const RAW = units(
  { "": "tokens", token: "tokens", tokens: "tokens", raw: 0 },
  "an amount of tokens such as 250.5, 5M tokens or 5000000 raw",
  MONEY,
);

const PLAIN = units({ "": 0 }, "a plain number");

/** By quantity; null for those that are no number. */
export const UNITS: Readonly<Record<Quantity, Units | null>> = {
  raw: RAW,
  "raw(token0)": RAW,
  "raw(token1)": RAW,
  tokens: units(
    { "": 0, token: 0, tokens: 0 },
    "an amount of tokens such as 250.5 or 5M tokens",
    MONEY,
  ),
  wei: units({ "": 0, wei: 0, gwei: 9 }, "an amount such as 5 gwei or 250000000 wei"),
  usd: units({ "": 0, usd: 0 }, "an amount such as 50_000 usd or $1m", MONEY),
  tick: units({ "": 0, tick: 0, ticks: 0 }, "a number of ticks such as 200 ticks", {
    negative: true,
  }),
  ratio: units({ "": 0, "%": -2, bps: -4 }, "a share such as 95% or 0.95"),
  percent: units({ "%": 0, bps: -2 }, "a percentage such as 3%", { negative: true }),
  price: units({ "": 0 }, "a plain number, the price", { multiples: true }),
  fee: units({ "": 0, "%": 4, bps: 2 }, "a fee such as 0.05%, 5 bps or 500"),
  count: units({ "": 0 }, "a plain number, a count", { multiples: true }),
  integer: units({ "": 0 }, "a plain number", { multiples: true }),
  seconds: PLAIN,
  text: null,
  address: null,
  boolean: null,
};

/** What each multiple is worth as a power of ten; `m` only where it is surely a million. */
export const MULTIPLES: ReadonlyMap<string, number> = new Map([
  ["k", 3],
  ["K", 3],
  ["M", 6],
  ["m", 6],
  ["b", 9],
  ["B", 9],
]);

/** Whether values lie between 0 and 1 for certain. */
export function isBoundedRatio({ quantity, signed }: Pick<Metric, "quantity" | "signed">): boolean {
  return quantity === "ratio" && signed !== true;
}

/** Whether no value lies below zero. */
export function isNeverNegative({
  quantity,
  signed,
}: Pick<Metric, "quantity" | "signed">): boolean {
  return signed !== true && UNITS[quantity]?.negative === false;
}

/** `true` or `false`. Throws QuantityError. */
export function booleanLimit(text: string): AmountLimit {
  const lower = text.toLowerCase();
  if (lower === "true" || lower === "false") {
    return { kind: "value", value: lower === "true", text: lower };
  }
  const meant = ["yes", "on", "1"].includes(lower)
    ? "true"
    : ["no", "off", "0"].includes(lower)
      ? "false"
      : null;
  throw new QuantityError("wrong-type", `${shown(text)} is neither true nor false`, {
    expected: "true or false",
    suggestion: meant,
  });
}

/** An address in lower case. Throws QuantityError. */
export function addressLimit(text: string): AmountLimit {
  if (/^0x[0-9a-f]{40}$/i.test(text)) {
    return { kind: "value", value: text.toLowerCase(), text: text.toLowerCase() };
  }
  const digits = /^0x([0-9a-f]*)$/i.exec(text)?.[1];
  throw new QuantityError(
    "bad-id",
    digits === undefined
      ? `${shown(text)} is not an address`
      : `the address has ${digits.length} hex digits`,
    { expected: "an address, 0x and 40 hex digits" },
  );
}

/** Text minds case, except in 0x… values, which are kept in lower case. Throws QuantityError. */
export function textLimit(text: string, metric: Metric): AmountLimit {
  if (metric.values !== undefined && !metric.values.includes(text)) {
    const near = nearest(text, metric.values);
    throw new QuantityError("unknown-word", `${metric.name} is never ${shown(text)}`, {
      expected: alternatives(metric.values),
      suggestion: near,
    });
  }
  const value = /^0x[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text;
  return { kind: "value", value, text: cleanText(value, 128) };
}

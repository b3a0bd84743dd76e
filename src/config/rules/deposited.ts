import { parseDecimal } from "../../base/decimal.ts";
import { isMap } from "../../base/json.ts";
import { kindOf } from "../../base/settings.ts";
import { errorAt, type Path, type Report, shown, wrongType } from "../../rules/finding.ts";
import { unknownKey } from "../files/shape.ts";

const KEYS = ["token0", "token1"] as const;
const WORDS = { what: "deposited", keys: [...KEYS] };
const EXPECTED = "what was put in less what was taken out, such as {token0: 12.5, token1: 26_075}";

/** Whole tokens that were put into a position, as exact decimals in text. */
export type Deposited = readonly [token0: string, token1: string];

/** Reads `deposited` of a position; null where it is not there, or after reporting what is wrong. */
export function readDeposited(raw: unknown, path: Path, report: Report): Deposited | null {
  if (raw === undefined) return null;
  if (!isMap(raw)) {
    report(wrongType(path, raw, EXPECTED));
    return null;
  }
  for (const key of Object.keys(raw)) {
    if (!WORDS.keys.some((known) => known === key)) report(unknownKey(key, [...path, key], WORDS));
  }
  const [token0, token1] = KEYS.map((key) => readAmount(raw[key], [...path, key], report));
  if (token0 === undefined || token0 === null) return null;
  return token1 === undefined || token1 === null ? null : [token0, token1];
}

function readAmount(raw: unknown, path: Path, report: Report): string | null {
  const hint = { expected: EXPECTED };
  if (raw === undefined) {
    report(errorAt("missing-key", path, "is missing", hint));
    return null;
  }
  const text = typeof raw === "number" ? String(raw) : raw;
  const value =
    typeof text === "string" ? parseDecimal(text.replace(/(?<=\d)[_,](?=\d)/g, "")) : null;
  if (value !== null && value.digits >= 0n) return value.toString();
  const what = typeof text === "string" ? `${shown(text)} is not an amount` : `is ${kindOf(raw)}`;
  report(errorAt("out-of-range", path, what, hint));
  return null;
}

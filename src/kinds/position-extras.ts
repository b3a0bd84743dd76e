import { Decimal, decimalFromInteger, divide, isZero, pow10, subtract } from "../base/decimal.ts";
import type { Answer, Ask, RawRecord, Subject, Value } from "../model/index.ts";
import { answerTrouble, fieldsOf, metric, numberIn, recordOf, valueIn } from "./fields.ts";
import type { Answers, Metric, Target } from "./kind.ts";
import { tokenDecimals } from "./tokens.ts";

/** What EVM nodes tell of positions beside their records: fees, and what they would be worth unchanged. */

const FEES = fieldsOf("v4_fees");
const HOLD = fieldsOf("v4_hold");

/** Digits after the point of `vs_hold`. */
const RATIO_SCALE = 12;

/** The fees of a V4 position, which have a record of their own. */
export const FEE_METRICS: readonly Metric[] = [
  metric("fees0", "raw(token0)", "fees in token0"),
  metric("fees1", "raw(token1)", "fees in token1"),
  metric("fees_usd", "usd", "fees", "fees", "unclaimed_fees", "uncollected_fees"),
].map((one) => ({ ...one, node: true }));

const FEE_NAMES: ReadonlySet<string> = new Set(FEE_METRICS.map(({ name }) => name));

/** What it is worth with all its fees, against what was put in: below zero it is worth less. */
export const VS_HOLD: Metric = {
  ...metric(
    "vs_hold",
    "ratio",
    "value against holding",
    "impermanent_loss",
    "il",
    "pnl",
    "profit",
    "hodl",
  ),
  signed: true,
  node: true,
};

/** The asks for what some of these metrics need beside the position's own records. */
export function extraAsks(
  version: "v3" | "v4",
  { chainId, ids }: Subject,
  metrics: ReadonlySet<string>,
): readonly Ask[] {
  const { nft: id = "", protocol } = ids;
  const of = protocol === undefined ? { chainId, id } : { chainId, id, protocol };
  const name = `${chainId}:${protocol ?? ""}:${id}`;
  const asks: Ask[] = [];
  const isOf = (name_: string): boolean => FEE_NAMES.has(name_);
  if (version === "v4" && [...metrics].some(isOf)) {
    asks.push({ key: `v4_fees:${name}`, record: "v4_fees", ...of });
  }
  if (metrics.has(VS_HOLD.name)) {
    const record = version === "v4" ? "v4_hold" : "v3_hold";
    asks.push({ key: `${record}:${name}`, record, ...of });
  }
  return asks;
}

/** What `deposited` adds to a subject: other values make another subject. */
export function depositsOf({ deposited }: Pick<Target, "deposited">): {
  readonly suffix: string;
  readonly ids: Readonly<Record<string, string>>;
} {
  if (deposited === undefined || deposited === null) return { suffix: "", ids: {} };
  const [deposited0, deposited1] = deposited;
  return {
    suffix: `:deposited:${deposited0}:${deposited1}`,
    ids: { deposited0, deposited1 },
  };
}

const ALL: ReadonlySet<string> = new Set([...FEE_NAMES, VS_HOLD.name]);

/** What the answers to such asks say of a position. */
export class PositionExtras {
  readonly #fees: Answer | undefined;
  readonly #hold: Answer | undefined;

  constructor(
    version: "v3" | "v4",
    private readonly subject: Subject,
    answers: Answers,
  ) {
    const asks = extraAsks(version, subject, ALL);
    const answerTo = (records: readonly Ask["record"][]): Answer | undefined => {
      const ask = asks.find(({ record }) => records.includes(record));
      return ask === undefined ? undefined : answers(ask);
    };
    this.#fees = answerTo(["v4_fees"]);
    this.#hold = answerTo(["v3_hold", "v4_hold"]);
  }

  /** `pool` tells the tokens' decimals. Null: it is not known, or no such metric. */
  value(name: string, pool: RawRecord | null): Value | null {
    if (name === VS_HOLD.name) return vsHold(recordOf(this.#hold), pool, this.subject);
    return FEE_NAMES.has(name) ? valueIn(FEES, recordOf(this.#fees), name) : null;
  }

  /** Why something that was asked for is missing, each in clean words. */
  troubles(pool: RawRecord | null): readonly string[] {
    const troubles: string[] = [];
    if (this.#fees !== undefined && recordOf(this.#fees) === null) {
      troubles.push(`its fees: ${answerTrouble(this.#fees)}`);
    }
    if (this.#hold !== undefined) {
      const hold = recordOf(this.#hold);
      if (hold === null) troubles.push(`its deposits: ${answerTrouble(this.#hold)}`);
      else if (vsHold(hold, pool, this.subject) === null) troubles.push(whyNot(hold));
    }
    return troubles;
  }
}

/**
 * (value now + fees owed + fees collected) / (value now of all that was put in, less what was taken out) − 1,
 * at the pool's own price, from one record, which is of one block. `deposited` of the rule comes before the
 * position's entries. Null: they begin too late, or nothing was put in.
 */
function vsHold(hold: RawRecord | null, pool: RawRecord | null, subject: Subject): Decimal | null {
  const root = numberIn(HOLD, hold, "sqrt_price_x96");
  if (hold === null || root === null || isZero(root)) return null;
  const sums = [0n, 0n].map((_, i) => {
    const parts = ["amount", "fees", "collected"].map((name) => numberIn(HOLD, hold, name + i));
    return parts.every((part) => part !== null)
      ? parts.reduce((sum, part) => sum + part.digits, 0n)
      : null;
  });
  const [has0 = null, has1 = null] = sums;
  const [put0, put1] = [putIn(0, hold, pool, subject), putIn(1, hold, pool, subject)];
  if (has0 === null || has1 === null || put0 === null || put1 === null) return null;
  // Both in raw units of token1, times 2^192, and exact.
  const square = root.digits * root.digits;
  const has = decimalFromInteger(has0 * square + (has1 << 192n));
  const put = new Decimal(
    put0.digits * pow10(put1.scale) * square + ((put1.digits * pow10(put0.scale)) << 192n),
    put0.scale + put1.scale,
  );
  if (put.digits <= 0n) return null;
  return subtract(divide(has, put, RATIO_SCALE), decimalFromInteger(1));
}

/** What was put in of one token, in raw units: as the rule says, or else as the entries do. */
function putIn(
  side: 0 | 1,
  hold: RawRecord,
  pool: RawRecord | null,
  { ids }: Subject,
): Decimal | null {
  const given = side === 0 ? ids.deposited0 : ids.deposited1;
  if (given === undefined) return numberIn(HOLD, hold, `deposited${side}`);
  const decimals = tokenDecimals(pool, side === 0 ? "token0" : "token1");
  return decimals === null ? null : rawOf(given, decimals);
}

function rawOf(text: string, decimals: number): Decimal | null {
  const [whole = "", fraction = ""] = text.split(".");
  if (!/^\d+$/.test(whole + fraction)) return null;
  return new Decimal(BigInt(whole + fraction) * pow10(decimals), fraction.length);
}

function whyNot(hold: RawRecord): string {
  if (hold.collected0 === null) return "vs_hold: no node keeps the state of its earlier changes";
  return hold.deposited0 === null
    ? "vs_hold: its entries begin before the window; write `deposited` in the rule"
    : "vs_hold: nothing was put in";
}

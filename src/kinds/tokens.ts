import { TOKEN_METADATA } from "../api/endpoints.ts";
import { readField, readNumber } from "../api/fields.ts";
import { chainById } from "../base/chains.ts";
import { Decimal, shift } from "../base/decimal.ts";
import { isMap } from "../base/json.ts";
import { cleanText, shortId } from "../base/text.ts";
import type { Answer, Ask, RawRecord, Value } from "../model/index.ts";
import { answerTrouble, recordOf } from "./fields.ts";

/** An option of kinds that have a price: `invert: true` turns it, and the sides with it. */
export const INVERT = { invert: { kind: "flag", default: false } } as const;

/** What `invert` adds to a subject: other values make another subject. */
export function inversion(target: { readonly options?: Readonly<Record<string, string>> }): {
  readonly suffix: string;
  readonly ids: Readonly<Record<string, string>>;
} {
  return target.options?.invert === "true"
    ? { suffix: ":inverted", ids: { inverted: "true" } }
    : { suffix: "", ids: {} };
}

/** A pool record's objects that describe its tokens. */
export type TokenKey = "token0" | "token1";

const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";
/** Every chain that the service covers counts its native currency so. */
export const NATIVE_DECIMALS = 18;
/** `decimals()` of an ERC-20 contract is a uint8. */
const MOST_DECIMALS = 255;
/** A longer text is not a symbol. */
const LONGEST_SYMBOL = 20;
/** The fee that marks a pool whose hook sets the fee. Source: Uniswap v4-core, LPFeeLibrary.sol. */
const DYNAMIC_FEE = "8388608";

function tokenOf(pool: RawRecord, key: TokenKey): RawRecord | null {
  const value = pool[key];
  return isMap(value) ? value : null;
}

function isNative(metadata: RawRecord): boolean {
  return metadata.address === ZERO_ADDRESS;
}

/** The decimals of a token, 0 to 255; null where the record does not surely tell them. */
export function tokenDecimals(pool: RawRecord | null, key: TokenKey): number | null {
  const metadata = pool === null ? null : tokenOf(pool, key);
  if (metadata === null) return null;
  return isNative(metadata) ? NATIVE_DECIMALS : decimalsIn(metadata);
}

/** The decimals that a token's record tells, 0 to 255; null where it does not surely. */
export function decimalsIn({ decimals }: RawRecord): number | null {
  const value = Number(readNumber(decimals, "integer")?.toString());
  return Number.isInteger(value) && value <= MOST_DECIMALS ? value : null;
}

/** The symbol that a token's record gives, clean and short; null for none. */
function symbolIn({ symbol: given }: RawRecord): string | null {
  return typeof given === "string" ? cleanText(given, LONGEST_SYMBOL) || null : null;
}

/** The token whose raw units a quantity counts; null for any other quantity. */
export function sideOf(quantity: string | undefined): TokenKey | null {
  if (quantity === "raw(token0)") return "token0";
  return quantity === "raw(token1)" ? "token1" : null;
}

/** The token's symbol, clean; null where neither the record nor the chain gives one. */
function symbol(pool: RawRecord, key: TokenKey, chainId: number): string | null {
  const metadata = tokenOf(pool, key);
  if (metadata === null) return null;
  const given = symbolIn(metadata);
  if (given !== null) return given;
  if (isNative(metadata)) return chainById(chainId)?.nativeSymbol ?? "native";
  const address = readField(metadata, "address", TOKEN_METADATA.address ?? { type: "string" });
  return typeof address === "string" ? shortId(address) : null;
}

export interface Pair {
  readonly symbol0: string;
  readonly symbol1: string;
}

/** The symbols of a pool's tokens; null unless both can be named. */
export function pairOf(pool: RawRecord | null, chainId: number): Pair | null {
  if (pool === null) return null;
  const symbol0 = symbol(pool, "token0", chainId);
  const symbol1 = symbol(pool, "token1", chainId);
  return symbol0 === null || symbol1 === null ? null : { symbol0, symbol1 };
}

/** `ETH/USDC 0.05%`, `ETH/USDC dynamic`; without a fee the symbols alone. */
export function pairLabel(pair: Pair, fee: Value | null): string {
  const name = `${pair.symbol0}/${pair.symbol1}`;
  if (!(fee instanceof Decimal)) return name;
  // The fee is in hundredths of a basis point: 500 is 0.05%.
  return fee.toString() === DYNAMIC_FEE
    ? `${name} dynamic`
    : `${name} ${shift(fee, -4).toString()}%`;
}

/**
 * What follows a number: a price of token0 reads `USDC per ETH`, an amount of token1 `USDC`.
 * `name` is a metric of a pool or a position; other metrics have no unit here.
 */
export function unitOf(pair: Pair | null, name: string): string {
  if (pair === null) return "";
  if (name === "price" || name === "price0") return `${pair.symbol1} per ${pair.symbol0}`;
  if (name === "price1") return `${pair.symbol0} per ${pair.symbol1}`;
  const amount = /^(?:amount|fees|volume_token|collected_fees_token)([01])(?:_d)?$/.exec(name);
  if (amount === null) return "";
  return amount[1] === "0" ? pair.symbol0 : pair.symbol1;
}

/** A number of up to 78 digits for people: `1234…5678` if it is long. */
export function shortNumber(digits: string): string {
  return digits.length <= 12 ? digits : `${digits.slice(0, 4)}…${digits.slice(-4)}`;
}

/** What never changes of a token, as far as its info tells. */
export interface TokenFacts {
  /** Clean and short. */
  readonly symbol: string | null;
  /** 0 to 255. */
  readonly decimals: number | null;
  /** Why the decimals are not known although they were asked for, in clean words. */
  readonly trouble: string | null;
}

export const NO_FACTS: TokenFacts = { symbol: null, decimals: null, trouble: null };

/** The ask for a token's info, the same for all who want it; `token` in lower case. */
export function infoAsk(chainId: number, token: string): Ask {
  return { key: `token_info:${chainId}:${token}`, record: "token_info", chainId, id: token };
}

/** What the info of a token tells; of anything but a good answer nothing is known. */
export function tokenFacts(info: Answer | undefined): TokenFacts {
  if (info === undefined) return NO_FACTS;
  const record = recordOf(info);
  if (record === null) return { ...NO_FACTS, trouble: `its decimals: ${answerTrouble(info)}` };
  const decimals = decimalsIn(record);
  const trouble = decimals === null ? "the token's info does not tell its decimals" : null;
  return { symbol: symbolIn(record), decimals, trouble };
}

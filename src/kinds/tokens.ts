import { TOKEN_METADATA } from "../api/endpoints.ts";
import { readField, readNumber } from "../api/fields.ts";
import { chainById } from "../base/chains.ts";
import { Decimal, shift } from "../base/decimal.ts";
import { cleanText, shortId } from "../base/text.ts";
import type { RawRecord, Value } from "../model/index.ts";

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
const NATIVE_DECIMALS = 18;
/** `decimals()` of an ERC-20 contract is a uint8. */
const MOST_DECIMALS = 255;
/** A symbol that is longer is no symbol. */
const LONGEST_SYMBOL = 20;
/** The fee that marks a pool whose hook sets the fee. Source: Uniswap v4-core, LPFeeLibrary.sol. */
const DYNAMIC_FEE = "8388608";

function token(pool: RawRecord, key: TokenKey): RawRecord | null {
  const value = pool[key];
  return isRecord(value) ? value : null;
}

function isRecord(value: unknown): value is RawRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNative(metadata: RawRecord): boolean {
  return metadata.address === ZERO_ADDRESS;
}

/** The decimals of a token, 0 to 255; null where the record does not surely tell them. */
export function tokenDecimals(pool: RawRecord | null, key: TokenKey): number | null {
  const metadata = pool === null ? null : token(pool, key);
  if (metadata === null) return null;
  return isNative(metadata) ? NATIVE_DECIMALS : decimalsIn(metadata);
}

/** The decimals that a token's record tells, 0 to 255; null where it does not surely. */
export function decimalsIn({ decimals }: RawRecord): number | null {
  const value = Number(readNumber(decimals, "integer")?.toString());
  return Number.isInteger(value) && value <= MOST_DECIMALS ? value : null;
}

/** The symbol that a token's record gives, clean and short; null for none. */
export function symbolIn({ symbol: given }: RawRecord): string | null {
  return typeof given === "string" ? cleanText(given, LONGEST_SYMBOL) || null : null;
}

/** The token whose raw units a quantity counts; null for any other quantity. */
export function sideOf(quantity: string | undefined): TokenKey | null {
  if (quantity === "raw(token0)") return "token0";
  return quantity === "raw(token1)" ? "token1" : null;
}

/** The token's symbol, clean; null where neither the record nor the chain gives one. */
function symbol(pool: RawRecord, key: TokenKey, chainId: number): string | null {
  const metadata = token(pool, key);
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
  const amount = /^(?:amount|volume_token|collected_fees_token)([01])(?:_d)?$/.exec(name);
  if (amount === null) return "";
  return amount[1] === "0" ? pair.symbol0 : pair.symbol1;
}

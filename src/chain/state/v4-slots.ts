import { bitsOf, keccakOfHex, tickIn, wordOf, wordOfAddress } from "../codec/words.ts";

/**
 * Where a V4 pool manager keeps what. A pool's state begins at the slot keccak256(poolId . 6). Source:
 * Uniswap v4-core, StateLibrary.sol and Pool.sol.
 */
const POOLS = 6;
/** Two slots: what a unit of liquidity has earned of each token. */
const FEE_GROWTH = 1;
const LIQUIDITY = 3;
const TICKS = 4;
const BITMAP = 5;
const POSITIONS = 6;

/** The slot of a pool's state, as a number: the others follow it. `id` is 32 bytes with `0x`. */
export function poolBase(id: string): bigint {
  return BigInt(`0x${keccakOfHex(id.slice(2).toLowerCase() + wordOf(POOLS))}`);
}

/** The slots of price, tick and fees, and of the liquidity in range. */
export function stateSlots(base: bigint): readonly [string, string] {
  return [slot(base), slot(base + BigInt(LIQUIDITY))];
}

/** The two slots of what a unit of the pool's liquidity has earned of each token. */
export function growthSlots(base: bigint): readonly [string, string] {
  return [slot(base + BigInt(FEE_GROWTH)), slot(base + BigInt(FEE_GROWTH + 1))];
}

/** The two slots after one that begins a tick's or a position's state: what each token's counter stood at. */
export function growthSlotsAfter(first: string): readonly [string, string] {
  const at = BigInt(`0x${first}`);
  return [slot(at + 1n), slot(at + 2n)];
}

/** What the first of them packs. */
export interface Slot0 {
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  /** Hundredths of a basis point, now in force; of a pool with a dynamic fee it changes. */
  readonly lpFee: number;
}

export function readSlot0(word: bigint): Slot0 {
  return {
    sqrtPriceX96: bitsOf(word, 0, 160),
    tick: tickIn(word, 160),
    lpFee: Number(bitsOf(word, 208, 24)),
  };
}

/** The slot of 256 bits of the bitmap of ticks in use; `word` may be negative. */
export function bitmapSlot(base: bigint, word: number): string {
  return mapped(wordOf(word), base + BigInt(BITMAP));
}

/** The slot that packs a tick's gross and net liquidity. */
export function tickSlot(base: bigint, tick: number): string {
  return mapped(wordOf(tick), base + BigInt(TICKS));
}

/** The liquidity that comes in where the price rises over the tick, and goes where it falls under it. */
export function netLiquidity(word: bigint): bigint {
  return BigInt.asIntN(128, word >> 128n);
}

/** The first of a position's slots: its liquidity. `owner` is the contract that holds it, `salt` a word. */
export function positionSlot(
  base: bigint,
  owner: string,
  lower: number,
  upper: number,
  salt: string,
): string {
  const key = keccakOfHex(wordOfAddress(owner).slice(24) + int24(lower) + int24(upper) + salt);
  return mapped(key, base + BigInt(POSITIONS));
}

function int24(tick: number): string {
  return wordOf(tick).slice(-6);
}

function mapped(key: string, at: bigint): string {
  return keccakOfHex(key + wordOf(at));
}

function slot(at: bigint): string {
  return wordOf(at & ((1n << 256n) - 1n));
}

/** What identifies a V4 pool. */
export interface PoolKey {
  readonly currency0: string;
  readonly currency1: string;
  /** Hundredths of a basis point; DYNAMIC_FEE where a hook sets it. */
  readonly fee: number;
  readonly tickSpacing: number;
  readonly hooks: string;
}

/** The fee of a pool whose hook sets it. Source: v4-core, LPFeeLibrary.sol. */
export const DYNAMIC_FEE = 0x800000;

/** keccak256 of the ABI encoding of a key; with `0x`. */
export function poolIdOf(key: PoolKey): string {
  const words = [
    wordOfAddress(key.currency0),
    wordOfAddress(key.currency1),
    wordOf(key.fee),
    wordOf(key.tickSpacing),
    wordOfAddress(key.hooks),
  ];
  return `0x${keccakOfHex(words.join(""))}`;
}

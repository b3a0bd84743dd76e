import { keccakOfText, wordOf, wordOfAddress } from "./words.ts";

/** The first four bytes of the data of a call to a function such as `balanceOf(address)`; with `0x`. */
export function selectorOf(signature: string): string {
  return `0x${keccakOfText(signature).slice(0, 8)}`;
}

/** The functions that are called, with their selectors. Sources: ERC-20, ERC-721, Uniswap v3 and v4, Multicall3. */
export const SELECTORS = {
  name: selectorOf("name()"),
  symbol: selectorOf("symbol()"),
  decimals: selectorOf("decimals()"),
  totalSupply: selectorOf("totalSupply()"),
  balanceOf: selectorOf("balanceOf(address)"),
  allowance: selectorOf("allowance(address,address)"),
  ownerOf: selectorOf("ownerOf(uint256)"),
  // A V3 pool, its factory and its observations.
  slot0: selectorOf("slot0()"),
  liquidity: selectorOf("liquidity()"),
  fee: selectorOf("fee()"),
  token0: selectorOf("token0()"),
  token1: selectorOf("token1()"),
  getPool: selectorOf("getPool(address,address,uint24)"),
  observe: selectorOf("observe(uint32[])"),
  // What a V3 pool's liquidity has earned, and its position manager, which lists what an owner holds.
  feeGrowth0: selectorOf("feeGrowthGlobal0X128()"),
  feeGrowth1: selectorOf("feeGrowthGlobal1X128()"),
  ticks: selectorOf("ticks(int24)"),
  positions: selectorOf("positions(uint256)"),
  tokenOfOwner: selectorOf("tokenOfOwnerByIndex(address,uint256)"),
  // V4: the pool manager's storage, and the position manager.
  extsload: selectorOf("extsload(bytes32[])"),
  poolKeys: selectorOf("poolKeys(bytes25)"),
  positionInfo: selectorOf("getPoolAndPositionInfo(uint256)"),
  // Price feeds.
  latestRoundData: selectorOf("latestRoundData()"),
  aggregate3: selectorOf("aggregate3((address,bool,bytes)[])"),
} as const;

/** The data of a call whose arguments are words. */
export function callData(selector: string, ...words: readonly string[]): string {
  return selector + words.join("");
}

/** `balanceOf(wallet)`. */
export function balanceOfData(wallet: string): string {
  return callData(SELECTORS.balanceOf, wordOfAddress(wallet));
}

/** `allowance(owner, spender)`. */
export function allowanceData(owner: string, spender: string): string {
  return callData(SELECTORS.allowance, wordOfAddress(owner), wordOfAddress(spender));
}

/** `extsload(slots)`: the words in these slots of a V4 pool manager. Slots are words. */
export function extsloadData(slots: readonly string[]): string {
  return callData(SELECTORS.extsload, wordOf(32), wordOf(slots.length), ...slots);
}

/** What a number of less than 2^56 begins with. */
const ZEROS = "0".repeat(50);

/** One call of many that a multicall makes. */
export interface InnerCall {
  readonly to: string;
  readonly data: string;
}

/** Multicall3's `aggregate3`, in which a call may fail without the others. */
export function aggregateData(calls: readonly InnerCall[]): string {
  // Most are calls of one function of one contract.
  const heads = new Map<string, string>();
  const bodies = calls.map(({ to, data }) => {
    const digits = data.slice(2);
    const padded = digits.padEnd(Math.ceil(digits.length / 64) * 64, "0");
    const key = `${to}${digits.length}`;
    let head = heads.get(key);
    if (head === undefined) {
      // Address, may fail, offset of the bytes, their length; the bytes follow.
      head = wordOfAddress(to) + wordOf(1) + wordOf(96) + wordOf(digits.length / 2);
      heads.set(key, head);
    }
    return head + padded;
  });
  let offset = calls.length * 32;
  const offsets = bodies.map((body) => {
    const own = wordOf(offset);
    offset += body.length / 2;
    return own;
  });
  return callData(SELECTORS.aggregate3, wordOf(32), wordOf(calls.length), ...offsets, ...bodies);
}

/**
 * What each call of `aggregate3` came to, as data with `0x`; null for one that failed. Null for an answer
 * that is not of `count` results.
 */
export function readAggregate(answer: string, count: number): readonly (string | null)[] | null {
  const at = (byte: number): number | null => {
    const start = 2 + byte * 2;
    const digits = answer.slice(start, start + 64);
    if (digits.length < 64 || !digits.startsWith(ZEROS)) return null;
    return Number.parseInt(digits.slice(50), 16);
  };
  const list = at(0);
  if (list === null || at(list) !== count) return null;
  const results: (string | null)[] = [];
  for (let i = 0; i < count; i += 1) {
    const offset = at(list + 32 + i * 32);
    if (offset === null) return null;
    const start = list + 32 + offset;
    const [success, bytes] = [at(start), at(start + 32)];
    const length = bytes === null ? null : at(start + bytes);
    if (success === null || bytes === null || length === null) return null;
    const from = 2 + (start + bytes + 32) * 2;
    if (answer.length < from + length * 2) return null;
    results.push(success === 1 ? `0x${answer.slice(from, from + length * 2)}` : null);
  }
  return results;
}

import { cents, seconds, sixDecimals } from "../../api/written.ts";
import type { Seen } from "../db/seen-table.ts";
import type { Deployments } from "../deployments.ts";
import type { BlockReader } from "./block-reader.ts";
import type { Ledgers } from "./ledgers.ts";
import type { Origin, Origins } from "./origins.ts";
import { inversePriceOf, priceOf, valueOf } from "./price.ts";
import { copied, type Records } from "./records.ts";
import type { TokenFacts, Tokens } from "./tokens.ts";
import type { Updates } from "./updates.ts";
import type { V4Keys } from "./v4-keys.ts";
import { DYNAMIC_FEE, type PoolKey, readSlot0, type Slot0 } from "./v4-slots.ts";

/** The manager of the positions of V4 itself; null: the chain has none, or no pool manager. */
export function v4ManagerOf({ contracts }: Pick<V4PoolParts, "contracts">): string | null {
  return contracts.poolManager === null ? null : contracts.positionManager;
}

/** What a token is worth at the reader's block, in dollars; null: it is not known. */
export type UsdOf = (
  reader: BlockReader,
  token: string,
  /** The pool that is not to be asked, since it is what is valued. */
  except?: string,
) => Promise<number | null>;

/** What pools are read with; of tokens and positions the same. */
export interface V4PoolParts {
  readonly chainId: number;
  readonly contracts: Deployments;
  readonly keys: V4Keys;
  readonly tokens: Tokens;
  readonly ledgers: Ledgers;
  readonly updates: Updates;
  readonly usdOf: UsdOf;
  /** As they were read last. */
  readonly pools: Records<V4PoolState>;
  readonly origins: Origins;
}

/** A V4 pool as both families tell of it. */
export interface V4PoolState {
  readonly id: string;
  readonly key: PoolKey | null;
  /** The words of its state. */
  readonly words: readonly string[];
  readonly slot0: Slot0;
  readonly liquidity: bigint;
  readonly amounts: { readonly amount0: bigint; readonly amount1: bigint } | null;
  readonly token0: TokenFacts | null;
  readonly token1: TokenFacts | null;
  readonly usd0: number | null;
  readonly usd1: number | null;
  /** Null: it is not known, or not yet. */
  readonly origin: Origin | null;
}

/** A V4 pool at the reader's block; undefined where none was initialized. `id` in lower case. Rejects with RpcError. */
export async function readV4Pool(
  reader: BlockReader,
  id: string,
  parts: V4PoolParts,
): Promise<V4PoolState | undefined> {
  const { keys, tokens, ledgers, usdOf, pools, origins, contracts } = parts;
  if (contracts.poolManager === null) return undefined;
  const { base, state } = keys.slotsOf(id);
  // Nearly always all but the words is known: thousands of promises less.
  const known = keys.knownKey(id);
  const [words, key] =
    known === undefined
      ? await Promise.all([reader.words(state), keys.keyOf(reader, id)])
      : [await reader.words(state), known];
  const { slot0, liquidity } = stateIn(words, pools.last(id));
  if (slot0.sqrtPriceX96 === 0n) return undefined;
  const origin = origins.of({ kind: "v4", id, slot: state[0] }, reader.header);
  if (key === null) {
    const unknown = { amounts: null, token0: null, token1: null, usd0: null, usd1: null };
    return { id, key, words: words.map(copied), slot0, liquidity, ...unknown, origin };
  }
  const { currency0, currency1 } = key;
  if (ledgers.has(id)) await ledgers.advance(reader);
  const reserves =
    ledgers.kept(reader, id, slot0.tick, liquidity) ??
    (await ledgers.read(reader, { id, base, tickSpacing: key.tickSpacing }));
  const token0 = tokens.known(currency0) ?? (await tokens.facts(reader, currency0));
  const token1 = tokens.known(currency1) ?? (await tokens.facts(reader, currency1));
  const [usd0, usd1] = [await usdOf(reader, currency0, id), await usdOf(reader, currency1, id)];
  const facts = [words[0], words[1], reserves, token0, token1, usd0, usd1, origin];
  const same = pools.get(id, facts, reader.header);
  if (same !== undefined) return same;
  const amounts = reserves.amountsAt(slot0.sqrtPriceX96, slot0.tick);
  const own = { id, key, words: words.map(copied), slot0, liquidity };
  const pool = { ...own, amounts, token0, token1, usd0, usd1, origin };
  pools.put(id, facts, reader.header.number, pool);
  return pool;
}

/** What the words of a pool say, which were decoded already if they are what it was last. */
function stateIn(
  [word0 = "0", word1 = "0"]: readonly string[],
  before: V4PoolState | undefined,
): Pick<V4PoolState, "slot0" | "liquidity"> {
  if (before?.words[0] === word0 && before.words[1] === word1) return before;
  return { slot0: readSlot0(BigInt(`0x${word0}`)), liquidity: BigInt(`0x${word1}`) };
}

type V4PoolRecord = ReturnType<typeof recordOf>;

/** The records of states that are still so, with the blocks since which they are. */
const MADE = new WeakMap<V4PoolState, { readonly block: number; readonly record: V4PoolRecord }>();

/** The current family's record. What a node without an index cannot know is null. */
export function v4PoolRecord(
  { header }: BlockReader,
  state: V4PoolState,
  parts: V4PoolParts,
): V4PoolRecord {
  const { updates, chainId } = parts;
  const made = MADE.get(state);
  if (made !== undefined && made.block <= header.number) {
    updates.same();
    return made.record;
  }
  const { sqrtPriceX96 } = state.slot0;
  const updated = updates.note(`v4:${state.id}`, `${sqrtPriceX96}:${state.liquidity}`, header);
  const record = recordOf(state, chainId, updated);
  MADE.set(state, { block: updated.block, record });
  return record;
}

function recordOf(
  { id, key, slot0, liquidity, amounts, token0, token1, usd0, usd1, origin }: V4PoolState,
  chainId: number,
  updated: Pick<Seen, "block" | "time">,
) {
  const { sqrtPriceX96, tick, lpFee } = slot0;
  const [decimals0, decimals1] = [token0?.decimals ?? null, token1?.decimals ?? null];
  const isPriced = decimals0 !== null && decimals1 !== null;
  const [amount0, amount1] = [amounts?.amount0 ?? null, amounts?.amount1 ?? null];
  return {
    pool_id: id,
    chain_id: chainId,
    fee: key === null ? null : key.fee === DYNAMIC_FEE ? lpFee : key.fee,
    tick_spacing: key?.tickSpacing ?? null,
    current_tick: tick,
    sqrt_price_x96: sqrtPriceX96.toString(),
    liquidity: liquidity.toString(),
    price0: isPriced ? priceOf(sqrtPriceX96, decimals0, decimals1) : null,
    price1: isPriced ? inversePriceOf(sqrtPriceX96, decimals0, decimals1) : null,
    amount0: amount0?.toString() ?? null,
    amount1: amount1?.toString() ?? null,
    amount0_d: written(amount0, decimals0),
    amount1_d: written(amount1, decimals1),
    volume_token0: null,
    volume_token1: null,
    volume_token0_d: null,
    volume_token1_d: null,
    volume_usd: null,
    collected_fees_token0: null,
    collected_fees_token1: null,
    collected_fees_usd: null,
    tvl_usd: amounts === null ? null : tvlOf(amounts, [decimals0, decimals1], [usd0, usd1]),
    swap_count: null,
    active_position_count: null,
    block_number: String(updated.block),
    timestamp: seconds(updated.time),
    created_at_block_number: origin === null ? null : String(origin.block),
    created_at_timestamp: origin === null ? null : seconds(origin.time),
    token0: token0 === null ? null : { ...token0, price: usd0 },
    token1: token1 === null ? null : { ...token1, price: usd1 },
    hook: key === null ? null : { address: key.hooks },
  };
}

/** Both tokens of a pool and what they are worth, which `pool` itself is not asked. Rejects with RpcError. */
export async function pricedPair(
  reader: BlockReader,
  [first, second]: readonly [string, string],
  pool: string,
  { tokens, usdOf }: Pick<V4PoolParts, "tokens" | "usdOf">,
) {
  const [token0, token1, usd0, usd1] = await Promise.all([
    tokens.facts(reader, first),
    tokens.facts(reader, second),
    usdOf(reader, first, pool),
    usdOf(reader, second, pool),
  ]);
  return { token0, token1, usd0, usd1 };
}

/** Raw units as decimals, null where either is not known. */
export function written(raw: bigint | null, decimals: number | null): string | null {
  return raw === null || decimals === null ? null : sixDecimals(raw, decimals);
}

/** What two amounts are worth together, in whole cents; null where one of them is not known. */
export function tvlOf(
  { amount0, amount1 }: { readonly amount0: bigint; readonly amount1: bigint },
  [decimals0, decimals1]: readonly [number | null, number | null],
  [usd0, usd1]: readonly [number | null, number | null],
): number | null {
  const value0 = amount0 === 0n ? 0 : valueOf(amount0, decimals0, usd0);
  const value1 = amount1 === 0n ? 0 : valueOf(amount1, decimals1, usd1);
  return value0 === null || value1 === null ? null : cents(value0 + value1);
}

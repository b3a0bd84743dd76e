import { sqrtPriceX96AtTick } from "../../base/ticks.ts";
import { callData, SELECTORS } from "../codec/calls.ts";
import { addressAt, smallIntAt, tickIn, uintAt, wordOf } from "../codec/words.ts";
import type { BlockReader } from "./block-reader.ts";
import { type PoolKey, poolBase, poolIdOf, positionSlot, stateSlots } from "./v4-slots.ts";

/** What a position NFT of V4 stands for, which does not change. */
export interface PositionFacts {
  readonly poolId: string;
  readonly key: PoolKey;
  readonly lower: number;
  readonly upper: number;
  /** sqrt(price) × 2^96 at both ends of its range. */
  readonly sqrtLower: bigint;
  readonly sqrtUpper: bigint;
  /** Where the pool manager keeps the pool's price, and the position's liquidity. */
  readonly slots: readonly [string, string];
  /** The data of the call that asks for its owner. */
  readonly ownerOf: string;
}

/** Where a pool manager keeps what it knows of a pool. */
export interface PoolSlots {
  /** The number of the first slot. */
  readonly base: bigint;
  /** Of price, tick and fees, and of the liquidity in range. */
  readonly state: readonly [string, string];
}

/** The keys of V4 pools and what positions stand for: asked of the position manager once, and kept. */
export class V4Keys {
  readonly #keys = new Map<string, PoolKey>();
  readonly #positions = new Map<string, PositionFacts>();
  readonly #slots = new Map<string, PoolSlots>();

  constructor(private readonly positionManager: string | null) {}

  /** `id` in lower case. */
  slotsOf(id: string): PoolSlots {
    let slots = this.#slots.get(id);
    if (slots === undefined) {
      const base = poolBase(id);
      slots = { base, state: stateSlots(base) };
      this.#slots.set(id, slots);
    }
    return slots;
  }

  /**
   * A pool's key; null where nobody minted a position NFT in it, so that the manager does not know it.
   * Rejects with RpcError.
   */
  async keyOf(reader: BlockReader, id: string): Promise<PoolKey | null> {
    return this.#keys.get(id) ?? (await this.#readKey(reader, id));
  }

  /** The same if it was read before. */
  knownKey(id: string): PoolKey | undefined {
    return this.#keys.get(id);
  }

  async #readKey(reader: BlockReader, id: string): Promise<PoolKey | null> {
    if (this.positionManager === null) return null;
    const word = `${id.slice(2, 52)}${"0".repeat(14)}`;
    const data = await reader.call(this.positionManager, callData(SELECTORS.poolKeys, word));
    const key = data === null ? null : keyIn(data);
    if (key === null || poolIdOf(key) !== id) return null;
    this.#keys.set(id, key);
    return key;
  }

  /** What a position stands for; null where there is none, or no longer. `nft` in decimal. Rejects with RpcError. */
  async position(reader: BlockReader, nft: string): Promise<PositionFacts | null> {
    return this.#positions.get(nft) ?? (await this.#readPosition(reader, nft));
  }

  /** The same if it was read before. */
  knownPosition(nft: string): PositionFacts | undefined {
    return this.#positions.get(nft);
  }

  async #readPosition(reader: BlockReader, nft: string): Promise<PositionFacts | null> {
    const manager = this.positionManager;
    if (manager === null) return null;
    // What fits in no word is nobody's id.
    if (BigInt(nft) >= 1n << 256n) return null;
    const salt = wordOf(BigInt(nft));
    const data = await reader.call(manager, callData(SELECTORS.positionInfo, salt));
    const info = data === null ? null : uintAt(data, 5);
    const key = data === null ? null : keyIn(data);
    if (info === null || info === 0n || key === null || key.tickSpacing === 0) return null;
    // PositionInfo packs, from the lowest bit: subscriber 8, tickLower 24, tickUpper 24, pool id 200.
    const [lower, upper] = [tickIn(info, 8), tickIn(info, 32)];
    const poolId = poolIdOf(key);
    const { base, state } = this.slotsOf(poolId);
    const facts: PositionFacts = {
      poolId,
      key,
      lower,
      upper,
      sqrtLower: sqrtPriceX96AtTick(lower),
      sqrtUpper: sqrtPriceX96AtTick(upper),
      slots: [state[0], positionSlot(base, manager, lower, upper, salt)],
      ownerOf: callData(SELECTORS.ownerOf, salt),
    };
    this.#positions.set(nft, facts);
    this.#keys.set(poolId, key);
    return facts;
  }
}

/** The key that stands in the first five words. */
function keyIn(data: string): PoolKey | null {
  const [currency0, currency1] = [addressAt(data, 0), addressAt(data, 1)];
  const [fee, tickSpacing] = [smallIntAt(data, 2), smallIntAt(data, 3)];
  const hooks = addressAt(data, 4);
  if (currency0 === null || currency1 === null || hooks === null) return null;
  if (fee === null || tickSpacing === null) return null;
  return { currency0, currency1, fee, tickSpacing, hooks };
}

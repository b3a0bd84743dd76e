import { amountsBetween, amountsToAdd } from "../../base/ticks.ts";
import { Refusal } from "../../serve/refusal.ts";
import { wordOf } from "../codec/words.ts";
import type { ChainTables } from "../index/chain-tables.ts";
import type { LiquidityEntry } from "../index/entries.ts";
import type { Flow } from "../index/flows.ts";
import { RemainingTime, reading } from "../index/progress-table.ts";
import { RpcError } from "../rpc/error-kind.ts";
import type { BlockReader } from "../state/block-reader.ts";
import { type Amounts, feesBetween } from "../state/position-amounts.ts";
import type { PositionFlow, PositionFlows } from "../state/position-hold.ts";
import type { PositionFacts } from "../state/v4-keys.ts";
import { growthSlotsAfter, readSlot0 } from "../state/v4-slots.ts";

interface OwnerAnswersOptions {
  readonly tables: ChainTables;
  /** Waits a little until something is so, as it soon may be. */
  readonly soon: (isSo: () => boolean) => Promise<void>;
  /** Asks for the transfers of an owner's positions to be read from now on. */
  readonly follow: (owner: string) => void;
  /** Milliseconds of a clock that is never set. */
  readonly elapsed: () => number;
}

/** Which V4 positions owners have, by the transfers of their NFTs. */
export class OwnerAnswers {
  readonly #remaining: RemainingTime;

  constructor(private readonly options: OwnerAnswersOptions) {
    this.#remaining = new RemainingTime(options.elapsed);
  }

  /**
   * The ids of an owner's positions in decimal, as they came; `owner` in lower case. Throws Refusal until all
   * transfers are read up to `block`: a list in part would say that positions have left.
   */
  async heldBy(owner: string, block: number): Promise<readonly string[]> {
    const { tables, follow } = this.options;
    const wanted = { kind: "owner", id: owner, block, name: `V4 positions of ${owner}` } as const;
    await readUpTo(wanted, this.options, () => follow(owner), this.#remaining);
    return tables.nfts.heldBy(owner);
  }
}

/**
 * Waits for the logs of a source up to a block; they are followed from the first question on. Throws Refusal while
 * they are not read, which says of what (`name`).
 */
async function readUpTo(
  wanted: {
    readonly kind: "owner" | FlowSource;
    readonly id: string;
    readonly block: number;
    readonly name: string;
  },
  { tables, soon }: Pick<FlowAnswersOptions, "tables" | "soon">,
  follow: () => void,
  remaining: RemainingTime,
): Promise<void> {
  const { kind, id, block, name } = wanted;
  const isRead = (): boolean => {
    const source = tables.sources.get(kind, id);
    if (source === undefined) follow();
    return source?.last === null && (tables.blocks.newest()?.number ?? -1) >= block;
  };
  if (!isRead()) await soon(isRead);
  if (isRead()) return;
  const source = tables.sources.get(kind, id);
  const newest = tables.blocks.newest()?.number ?? 0;
  const first = source?.first ?? 0;
  const done = source === undefined ? 0 : (source.last ?? newest) - first + 1;
  const left = remaining.of(id, done, Math.max(1, newest - first + 1));
  throw new Refusal("not_indexed", `${name}: ${reading(left)}`);
}

/** Those sources from which positions' entries are read. */
type FlowSource = "v3_position" | "v4";

interface FlowAnswersOptions {
  readonly tables: ChainTables;
  /** Waits a little until something is so, as it soon may be. */
  readonly soon: (isSo: () => boolean) => Promise<void>;
  /** Asks for a source's logs to be read from now on. */
  readonly follow: (kind: FlowSource, id: string) => void;
  /** Reads the state of an old block, from nodes that have it. Rejects with RpcError. */
  readonly readerAt: (block: number) => Promise<BlockReader>;
  /** Milliseconds of a clock that is never set. */
  readonly elapsed: () => number;
}

/** Old states that no node has are asked for again after so long. */
const AGAIN_MS = 600_000;

/** What went in and out of positions, by the logs of the window. */
export class FlowAnswers implements PositionFlows {
  readonly #remaining: RemainingTime;
  /** When no node had the state at which a position changed, by position. */
  readonly #lacking = new Map<string, number>();

  constructor(private readonly options: FlowAnswersOptions) {
    this.#remaining = new RemainingTime(options.elapsed);
  }

  async v3({ header }: BlockReader, nft: string): Promise<readonly PositionFlow[]> {
    await this.#read("v3_position", `0x${wordOf(BigInt(nft))}`, header.number, `V3 #${nft}`);
    const flows = this.options.tables.flows.of(`v3:${nft}`);
    return flows.filter(({ block }) => block <= header.number);
  }

  /**
   * The log of a change says by how much the liquidity changed. The amounts are those of the price at that
   * moment, which the swap before it tells; what was collected with it is told by the state before and after.
   */
  async v4(
    { header }: BlockReader,
    nft: string,
    facts: PositionFacts,
    manager: string,
  ): Promise<readonly PositionFlow[] | null> {
    const { tables, elapsed } = this.options;
    await this.#read("v4", facts.poolId, header.number, `V4 #${nft}`);
    const lackedAt = this.#lacking.get(nft);
    if (lackedAt !== undefined && elapsed() - lackedAt < AGAIN_MS) return null;
    const salt = `0x${wordOf(BigInt(nft))}`;
    const changes = tables.entries
      .changesOf(facts.poolId, manager, salt)
      .filter(({ block }) => block <= header.number);
    const known = tables.flows.of(`v4:${nft}`);
    const flows: PositionFlow[] = [];
    for (const [i, change] of changes.entries()) {
      const same = ({ block, logIndex }: Flow): boolean =>
        block === change.block && logIndex === change.logIndex;
      const kept = known.filter(same);
      if (kept.length > 0) flows.push(...kept);
      else {
        const earlier = changes[i - 1];
        const isAgain = earlier?.block === change.block;
        if (isAgain && this.#tradedBetween(facts.poolId, earlier, change)) return null;
        const found = await this.#flowsOf(change, facts, isAgain);
        if (found === null) {
          this.#lacking.set(nft, elapsed());
          return null;
        }
        this.#keep(`v4:${nft}`, found);
        flows.push(...found.flows);
      }
    }
    return flows;
  }

  async #read(kind: FlowSource, id: string, block: number, name: string): Promise<void> {
    const wanted = { kind, id, block, name: `entries of ${name}` };
    const follow = (): void => this.options.follow(kind, id);
    await readUpTo(wanted, this.options, follow, this.#remaining);
  }

  #tradedBetween(pool: string, earlier: LiquidityEntry, later: LiquidityEntry): boolean {
    const { entries } = this.options.tables;
    const swap = entries.swapBefore(pool, later.block, later.logIndex);
    return swap?.block === later.block && swap.logIndex > earlier.logIndex;
  }

  /** `isAgain`: what it collects was collected by a change before it in its block. Null: no node has the state. */
  async #flowsOf(
    change: LiquidityEntry,
    facts: PositionFacts,
    isAgain: boolean,
  ): Promise<{ readonly hash: string; readonly flows: readonly Flow[] } | null> {
    const { readerAt, tables } = this.options;
    const { block, logIndex, delta } = change;
    try {
      const [before, after] = await Promise.all([readerAt(block - 1), readerAt(block)]);
      const slots = [...facts.slots, ...growthSlotsAfter(facts.slots[1])];
      const [was, is] = await Promise.all([before.slots(slots), after.slots(slots)]);
      const growths = (words: readonly bigint[]) => ({
        growth0: words[2] ?? 0n,
        growth1: words[3] ?? 0n,
      });
      const fees: Amounts = isAgain
        ? { amount0: 0n, amount1: 0n }
        : feesBetween(was[1] ?? 0n, growths(was), growths(is));
      const swap = tables.entries.swapBefore(facts.poolId, block, logIndex);
      // A pool that was made in this block has no price before it.
      const priceBefore = readSlot0(was[0] ?? 0n).sqrtPriceX96;
      const priceAfter = readSlot0(is[0] ?? 0n).sqrtPriceX96;
      const price = swap?.sqrtPriceX96 ?? (priceBefore === 0n ? priceAfter : priceBefore);
      const ends = [facts.sqrtLower, facts.sqrtUpper] as const;
      const place = { block, logIndex };
      const moved =
        delta > 0n ? amountsToAdd(price, ...ends, delta) : amountsBetween(price, ...ends, -delta);
      const out = delta > 0n ? { amount0: 0n, amount1: 0n } : moved;
      const flows: Flow[] = [
        { ...place, kind: delta > 0n ? "in" : "out", liquidity: delta, ...moved },
        {
          ...place,
          kind: "collected",
          liquidity: 0n,
          amount0: fees.amount0 + out.amount0,
          amount1: fees.amount1 + out.amount1,
        },
      ];
      return { hash: after.header.hash, flows };
    } catch (error) {
      if (error instanceof RpcError && error.kind === "no_state") return null;
      throw error;
    }
  }

  /** Unless the block was taken back meanwhile. */
  #keep(position: string, { hash, flows }: { hash: string; flows: readonly Flow[] }): void {
    const { tables } = this.options;
    tables.write(() => {
      for (const flow of flows) {
        const block = tables.blocks.at(flow.block);
        const oldest = tables.blocks.oldest()?.number ?? 0;
        const stands = block === undefined ? flow.block < oldest : block.hash === hash;
        if (stands) tables.flows.add(position, flow);
      }
    });
  }
}

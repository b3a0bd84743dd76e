import { isMap, listOf } from "../../base/json.ts";
import { type Header, readHeader } from "../codec/blocks.ts";
import { type ChainLog, readLiquidityChange, readLog, TOPICS } from "../codec/events.ts";
import { toQuantity } from "../codec/words.ts";
import { type ErrorKind, RpcError } from "../rpc/error-kind.ts";
import type { RpcCall, RpcNode } from "../rpc/node.ts";
import type { Nodes } from "../rpc/nodes.ts";
import type { BlockReader } from "./block-reader.ts";
import { Reserves, readTicks, type TickLiquidity } from "./reserves.ts";

/** Blocks that may still be reorganised: their logs are read again in each round. */
const OPEN_BLOCKS = 64;
/** A ledger that is so far behind (blocks) is read anew from the state, which costs less. */
const LONGEST_GAP = 2_000;
/** Pools in one filter: as many as a node takes at most, and where it takes fewer, half as many again and again. */
const POOLS_A_FILTER = 1_000;
const FEWEST_POOLS_A_FILTER = 50;
/** A ledger is read anew after so long, should a node have left logs out. */
const LEDGER_LIFE_MS = 3_600_000;

interface Open {
  readonly block: number;
  readonly log: ChainLog;
}

/** The ticks of one pool as of a block, and the changes that were made to them since. */
interface Ledger {
  readonly ticks: TickLiquidity;
  /** The block at which they were read. */
  readonly base: Header;
  readonly readAt: number;
  /** Changes in blocks that may still be taken back, by block hash and index. */
  readonly open: Map<string, Open>;
  upTo: number;
  reserves: Reserves | null;
}

/** A pool as its ledger needs it. */
export interface LedgerPool {
  readonly id: string;
  readonly base: bigint;
  readonly tickSpacing: number;
}

/**
 * Which ticks of V4 pools hold how much liquidity. They are read from the state once and kept by the logs
 * of `ModifyLiquidity` from then on: one call a round for up to 500 pools.
 */
export class Ledgers {
  readonly #ledgers = new Map<string, Ledger>();
  readonly #advanced = new WeakMap<BlockReader, Promise<void>>();
  #poolsAFilter = POOLS_A_FILTER;

  constructor(
    private readonly nodes: Nodes,
    private readonly manager: string,
    private readonly now: () => number,
  ) {}

  /** Whether a pool's ledger is there and need only be brought up to a block (`advance`). */
  has(id: string): boolean {
    const known = this.#ledgers.get(id);
    return known !== undefined && this.now() - known.readAt < LEDGER_LIFE_MS;
  }

  /**
   * The reserves of a pool by its ledger, which was brought up to the reader's block; null: it is to be read anew.
   * They are held against what the pool itself says (its liquidity in range at its tick), so that a log that a
   * node left out is noticed.
   */
  kept({ header }: BlockReader, id: string, tick: number, liquidity: bigint): Reserves | null {
    const ledger = this.#ledgers.get(id);
    if (ledger?.upTo !== header.number) return null;
    ledger.reserves ??= new Reserves(ledger.ticks);
    return ledger.reserves.liquidityAt(tick) === liquidity ? ledger.reserves : null;
  }

  /** The reserves of a pool at the reader's block, tick by tick. Rejects with RpcError. */
  async read(reader: BlockReader, pool: LedgerPool): Promise<Reserves> {
    const ticks = await readTicks(reader, pool.base, pool.tickSpacing);
    const reserves = new Reserves(ticks);
    const { header } = reader;
    this.#ledgers.set(pool.id, {
      ticks,
      base: header,
      readAt: this.now(),
      open: new Map(),
      upTo: header.number,
      reserves,
    });
    return reserves;
  }

  /** A pool that is no longer asked for costs nothing. */
  forget(id: string): void {
    this.#ledgers.delete(id);
  }

  /** Brings all ledgers up to the reader's block, once. Rejects with RpcError. */
  advance(reader: BlockReader): Promise<void> {
    const begun = this.#advanced.get(reader);
    if (begun !== undefined) return begun;
    const advance = this.#advanceTo(reader.header);
    this.#advanced.set(reader, advance);
    return advance;
  }

  async #advanceTo(header: Header): Promise<void> {
    for (const [id, { upTo }] of this.#ledgers) {
      if (Math.abs(header.number - upTo) > LONGEST_GAP) this.#ledgers.delete(id);
    }
    if (this.#ledgers.size === 0) return;
    const ledgers = [...this.#ledgers];
    const from = Math.min(...ledgers.map(([, ledger]) => openFrom(ledger, header)));
    const bases = basesToCheck(ledgers, header);
    try {
      const read = await this.nodes.use((node) => this.#logs(node, from, header.number, bases));
      for (const [id, ledger] of ledgers) {
        if (read.orphaned.has(ledger.base.hash)) this.#ledgers.delete(id);
        else apply(ledger, read.logs.get(id) ?? [], header);
      }
    } catch (error) {
      // More logs than a node gives at once, or none at all: the state itself says as much.
      if (!(error instanceof RpcError)) throw error;
      if (error.kind !== "too_much" && error.kind !== "no_method") throw error;
      this.#ledgers.clear();
    }
  }

  async #logs(
    node: RpcNode,
    from: number,
    to: number,
    bases: readonly Header[],
  ): Promise<{ logs: Map<string, ChainLog[]>; orphaned: Set<string> }> {
    // With nothing to see there is nothing to ask.
    const ids = from > to ? [] : [...this.#ledgers.keys()];
    const filters: RpcCall[] = [];
    const size = this.#poolsAFilter;
    for (let i = 0; i < ids.length; i += size) {
      const topics = [TOPICS.v4ModifyLiquidity, ids.slice(i, i + size)];
      const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to) };
      filters.push({
        method: "eth_getLogs",
        params: [{ address: this.manager, topics, ...range }],
      });
    }
    const headers = bases.map(({ number }) => ({
      method: "eth_getBlockByNumber",
      params: [toQuantity(number), false],
    }));
    const results = await node.batch([...filters, ...headers]);
    const logs = new Map<string, ChainLog[]>();
    const orphaned = new Set<string>();
    const isTooMany = results
      .slice(0, filters.length)
      .some((result) => !result.ok && OF_TOPICS.has(result.error.kind));
    if (isTooMany && Math.min(size, ids.length) > FEWEST_POOLS_A_FILTER) {
      this.#poolsAFilter = Math.ceil(Math.min(size, ids.length) / 2);
      return this.#logs(node, from, to, bases);
    }
    for (const [i, result] of results.entries()) {
      if (!result.ok) throw result.error;
      const base = bases[i - filters.length];
      if (base !== undefined) {
        if (readHeader(result.value)?.hash !== base.hash) orphaned.add(base.hash);
        continue;
      }
      if (!Array.isArray(result.value)) {
        throw new RpcError("malformed", `${node.name}: its logs are not a list`);
      }
      for (const entry of listOf(result.value)) {
        const log = isMap(entry) ? readLog(entry) : null;
        const id = log?.topics[1];
        if (log === null || log.removed || id === undefined) continue;
        const known = logs.get(id);
        if (known === undefined) logs.set(id, [log]);
        else known.push(log);
      }
    }
    return { logs, orphaned };
  }
}

/** How a node says that a filter has too many pools; each has its own words for it. */
const OF_TOPICS: ReadonlySet<ErrorKind> = new Set<ErrorKind>(["too_much", "failed"]);

/** The first block whose logs a ledger has to see again. */
function openFrom({ base, upTo }: Ledger, { number }: Header): number {
  return Math.max(base.number + 1, Math.min(upTo, number) + 1 - OPEN_BLOCKS);
}

/** The blocks, each once, on which ledgers stand and which may still be reorganised. */
function basesToCheck(ledgers: readonly (readonly [string, Ledger])[], at: Header): Header[] {
  const bases = new Map<string, Header>();
  for (const [, { base }] of ledgers) {
    if (base.number > at.number - OPEN_BLOCKS && base.hash !== at.hash) bases.set(base.hash, base);
  }
  return [...bases.values()];
}

/** Takes changes back that are no longer in the chain, and makes those that are new. */
function apply(ledger: Ledger, logs: readonly ChainLog[], header: Header): void {
  const from = openFrom(ledger, header);
  const now = new Map<string, Open>(
    logs
      .filter(({ block }) => block >= from && block <= header.number)
      .map((log) => [`${log.blockHash}:${log.index}`, { block: log.block, log }]),
  );
  for (const [key, { block, log }] of ledger.open) {
    if (block < from) {
      ledger.open.delete(key);
    } else if (!now.has(key)) {
      change(ledger, log, -1n);
      ledger.open.delete(key);
    }
  }
  for (const [key, entry] of now) {
    if (ledger.open.has(key)) continue;
    change(ledger, entry.log, 1n);
    ledger.open.set(key, entry);
  }
  ledger.upTo = header.number;
}

function change(ledger: Ledger, log: ChainLog, way: bigint): void {
  const read = readLiquidityChange(log);
  if (read === null || read.delta === 0n) return;
  for (const [tick, delta] of [
    [read.lower, way * read.delta],
    [read.upper, -way * read.delta],
  ] as const) {
    const net = (ledger.ticks.get(tick) ?? 0n) + delta;
    ledger.ticks.set(tick, net);
  }
  ledger.reserves = null;
}

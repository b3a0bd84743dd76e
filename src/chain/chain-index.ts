import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import { HOUR, SECOND } from "../base/duration.ts";
import type { RpcChain } from "../model/index.ts";
import type { Database } from "../store/sqlite/driver.ts";
import { FlowAnswers, OwnerAnswers } from "./answers/flow-answers.ts";
import { GasAnswers } from "./answers/gas-answers.ts";
import { HolderAnswers } from "./answers/holder-answers.ts";
import { PoolAnswers } from "./answers/pool-answers.ts";
import { deploymentsOf } from "./deployments.ts";
import { blockAtTag, blocksAt } from "./index/blocks.ts";
import { ChainTables } from "./index/chain-tables.ts";
import type { PoolFacts } from "./index/pool-points.ts";
import { type IndexRunner, runIndex } from "./index/runner.ts";
import { RpcError } from "./rpc/error-kind.ts";
import type { ChainReporter } from "./rpc/nodes.ts";
import { BlockReader } from "./state/block-reader.ts";
import type { ChainParts, ChainState } from "./state/chain-state.ts";
import { ReadersMemory } from "./state/readers-memory.ts";
import { supplyOf } from "./state/tokens.ts";
import { v3StateOf } from "./state/v3-pools.ts";
import { DYNAMIC_FEE, readSlot0 } from "./state/v4-slots.ts";

/** Of a node's requests so much is for the index: the rest is for what is asked at the moment. */
const INDEX_SHARE = 0.5;

/** What is not there yet is waited for so long (ms): a first question finds what is read within that time. */
const PATIENCE_MS = 3 * SECOND;
const LOOK_MS = 50;

export interface ChainIndexOptions {
  readonly state: ChainState;
  readonly config: RpcChain;
  readonly db: Database;
  /** Of the database; null: it is in memory. */
  readonly path: string | null;
  readonly clock: Clock;
  readonly report: ChainReporter;
  /** See `ChainIndexes.pace`. */
  readonly part: number;
}

/** What is kept of one chain's blocks and logs, the answers from it, and what keeps it up to date. */
export interface ChainIndex {
  readonly gas: GasAnswers;
  readonly pools: PoolAnswers;
  readonly holders: HolderAnswers;
  readonly owners: OwnerAnswers;
  readonly flows: FlowAnswers;
  pace(part: number): void;
  close(): Promise<void>;
}

/** Begins to index a chain. Rejects as `state.open` does. */
export async function openChainIndex(options: ChainIndexOptions): Promise<ChainIndex> {
  const { state, config, db, clock, part } = options;
  const { chainId } = state;
  const { contracts, stable } = await state.open();
  const tables = new ChainTables(db, chainId);
  const rate = (of: number): number => config.requestsPerSecond * INDEX_SHARE * of;
  const runner: IndexRunner = runIndex(
    {
      chainId,
      urls: config.urls.map((url) => url.reveal()),
      requestsPerSecond: rate(part),
      timeoutMs: config.timeoutMs,
      contracts: {
        manager: contracts.poolManager,
        positionManager: contracts.positionManager,
        v3PositionManager: contracts.v3PositionManager,
      },
      ownersSince: ownersSince(chainId, contracts.positionManager),
      exactGas: config.gas === null ? null : config.gas === "exact",
      days: config.days,
      holders: config.holders,
      mostTransfers: config.mostLogs,
    },
    options,
    options.report,
  );
  const elapsed = (): number => clock.elapsed();
  const shared = { chainId, tables, elapsed, soon };
  return {
    gas: new GasAnswers(shared),
    pools: new PoolAnswers({
      ...shared,
      facts: {
        pool: poolFacts(state),
        usd: usdAt(state, stable, tables),
        confirmed: () => confirmed(state, config.entries, tables),
        times: (blocks) => timesOf(state, blocks),
      },
      follow: (version, id) => runner.want(version, id),
    }),
    holders: new HolderAnswers({
      ...shared,
      tokens: config.holders,
      mostTransfers: config.mostLogs,
      decimals: decimalsOf(state),
    }),
    flows: new FlowAnswers({
      ...shared,
      follow: (kind, id) => runner.want(kind, id),
      readerAt: readersOf(state, contracts, tables),
    }),
    owners: new OwnerAnswers({ ...shared, follow: (owner) => runner.want("owner", owner) }),
    pace: (next) => runner.pace(rate(next)),
    close: () => runner.close(),
  };
}

/** V4 was nowhere before; a contract of the user's own may be older. */
function ownersSince(chainId: number, positionManager: string | null): number {
  return deploymentsOf(chainId).positionManager === positionManager ? V4_BEGAN : 0;
}

const V4_BEGAN = Date.UTC(2025, 0, 1);

/** Looks again and again whether something is so, for a little while of real time. */
async function soon(isSo: () => boolean): Promise<void> {
  for (let waited = 0; !isSo() && waited < PATIENCE_MS; waited += LOOK_MS) await delay(LOOK_MS);
}

/** Prices are kept for nobody: only what a token is worth about now is known. */
const CURRENT_MS = HOUR;

/** What a token was worth at a time; tokens that are a dollar by definition always were. */
function usdAt(
  state: ChainState,
  stable: ChainParts["stable"],
  tables: ChainTables,
): (token: string, at: number) => Promise<number | null> {
  return async (token, at) => {
    if (stable.includes(token)) return 1;
    const newest = tables.blocks.newest();
    if (newest === undefined || newest.time - at > CURRENT_MS) return null;
    const usd = await state.ask(
      `usd:${token}`,
      ({ usdOf }) =>
        (reader) =>
          usdOf(reader, token),
    );
    return typeof usd === "number" ? usd : null;
  };
}

/** What pools are, asked once for each. Rejects with RpcError. */
function poolFacts(state: ChainState): (id: string) => Promise<PoolFacts | undefined> {
  const known = new Map<string, PoolFacts>();
  return async (id) => {
    if (known.has(id)) return known.get(id);
    await state.ask(`facts:${id}`, (parts) => async (reader) => {
      // Later blocks tell nothing new.
      if (known.has(id)) return;
      const facts = await factsOf(reader, id, parts);
      if (facts !== undefined) known.set(id, facts);
    });
    return known.get(id);
  };
}

async function factsOf(
  reader: BlockReader,
  id: string,
  { v3, keys, tokens, contracts }: ChainParts,
): Promise<PoolFacts | undefined> {
  const both = async (first: string, second: string) => ({
    token0: await tokens.facts(reader, first),
    token1: await tokens.facts(reader, second),
  });
  if (id.length === V3_ID_LENGTH) {
    const [facts, slot] = await Promise.all([v3.factsOf(reader, id), v3StateOf(reader, id)]);
    if (facts === null || slot === null) return undefined;
    return { version: "v3", fee: facts.fee, ...(await both(facts.token0, facts.token1)) };
  }
  if (contracts.poolManager === null) return undefined;
  const [words, key] = await Promise.all([
    reader.slots(keys.slotsOf(id).state),
    keys.keyOf(reader, id),
  ]);
  if (readSlot0(words[0] ?? 0n).sqrtPriceX96 === 0n) return undefined;
  if (key === null) return { version: "v4", fee: null, token0: NO_TOKEN, token1: NO_TOKEN };
  const fee = key.fee === DYNAMIC_FEE ? null : key.fee;
  return { version: "v4", fee, ...(await both(key.currency0, key.currency1)) };
}

const NO_TOKEN = { address: null, decimals: null };
/** A V3 pool goes by its address. */
const V3_ID_LENGTH = 42;

/** Readers of old blocks. */
function readersOf(
  { nodes }: ChainState,
  contracts: ChainParts["contracts"],
  tables: ChainTables,
): (block: number) => Promise<BlockReader> {
  const readers = new ReadersMemory();
  return async (block) => {
    const kept = tables.blocks.at(block);
    const none = { baseFee: null, gasUsed: 0n, gasLimit: 0n };
    const [header] =
      kept === undefined
        ? await nodes.use((node) => blocksAt(node, [block]))
        : [{ ...kept, ...none }];
    if (header === undefined) throw new RpcError("no_block", `no node has block ${block}`);
    return new BlockReader(nodes, header, contracts, readers);
  };
}

/** Tokens' decimals, asked once for each; null: it tells none. Undefined: there is no such token. Rejects with RpcError. */
function decimalsOf(state: ChainState): (token: string) => Promise<number | null | undefined> {
  const known = new Map<string, number | null>();
  return async (token) => {
    if (known.has(token)) return known.get(token);
    await state.ask(`decimals:${token}`, ({ tokens }) => async (reader) => {
      if (known.has(token) || (await supplyOf(reader, token)) === null) return;
      const { decimals } = await tokens.facts(reader, token);
      known.set(token, decimals);
    });
    return known.get(token);
  };
}

/** The newest block of which entries are told: so many below the newest that is kept, or by the node's own word. */
async function confirmed(
  state: ChainState,
  entries: RpcChain["entries"],
  tables: ChainTables,
): Promise<number> {
  const newest = tables.blocks.newest()?.number ?? -1;
  if (typeof entries === "number") return newest - entries;
  const block = await state.nodes.use((node) => blockAtTag(node, entries));
  return Math.min(newest, block.number);
}

/** How many blocks' times are asked for at once. */
const TIMES_AT_ONCE = 100;

async function timesOf(state: ChainState, blocks: readonly number[]): Promise<readonly number[]> {
  const times: number[] = [];
  for (let from = 0; from < blocks.length; from += TIMES_AT_ONCE) {
    const some = blocks.slice(from, from + TIMES_AT_ONCE);
    const told = await state.nodes.use((node) => blocksAt(node, some));
    times.push(...told.map(({ time }) => time));
  }
  return times;
}

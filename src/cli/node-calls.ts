import { DAY, SECOND } from "../base/duration.ts";
import { blockSecondsOf, looksABlock } from "../chain/block-times.ts";
import { FROM_LOGS } from "../chain/needs.ts";
import type { Ask, RpcChain, RpcSettings } from "../model/index.ts";
import type { Heads } from "./own-service.ts";

/** What the nodes of a chain are asked in a day, at most, in calls: each of a batch counts by itself. */
export interface ChainCalls {
  readonly chainId: number;
  readonly blockSeconds: number;
  /** To follow its blocks, with their gas and logs. */
  readonly following: number;
  /** To read the state of the chain in rounds. */
  readonly reading: number;
  /** Besides, once, at the first start: hours of gas and logs of the past. */
  readonly first: number;
}

const DAY_SECONDS = DAY / SECOND;
/** As `state/block-reader.ts`, `state/ledgers.ts` and `index/` send them. */
const SLOTS_A_CALL = 1_000;
const CALLS_A_CALL = 500;
const POOLS_A_FILTER = 1_000;
const IDS_A_FILTER = 500;
const BLOCKS_A_RANGE = 2_000;
const SHORTEST_SNAPSHOT_SECONDS = 5;
const EXACT_GAS_SECONDS = 6;
/** Ninety days of gas: blocks of one answer with two edges, and hours with the calls that find their first block. */
const GAS_DAYS = 90;
const BLOCKS_A_HISTORY = 1_024;
const CALLS_A_HISTORY = 3;
const CALLS_A_BORDER = 4;

/** What a record takes at one block; what is not here takes one call. */
interface Cost {
  readonly slots?: number;
  readonly calls?: number;
  /** Calls that no other one takes in. */
  readonly alone?: number;
  /** Pools whose changes of liquidity are read. */
  readonly pools?: number;
  /** Its tokens are priced by other pools. */
  readonly isPriced?: true;
}

const STATE: Readonly<Partial<Record<Ask["record"], Cost>>> = {
  v4_pool: { slots: 2, pools: 1, isPriced: true },
  v4_pool_24h: { slots: 2, pools: 1, isPriced: true },
  v4_position: { slots: 2, calls: 1, isPriced: true },
  v3_pool: { calls: 4, isPriced: true },
  token_price: { calls: 1, isPriced: true },
  native_balance: { alone: 1 },
  call: { alone: 1 },
  v3_position: { calls: 8, isPriced: true },
  v3_hold: { calls: 8 },
  v3_owned: { calls: 20 },
  v4_fees: { slots: 8, isPriced: true },
  v4_hold: { slots: 10 },
  v4_owned: { slots: 20, calls: 10 },
};

/** A price is compared with those of a day and a week ago, each read once an hour. */
const PRICE_CHANGES = 24 * 2;
const CALLS_A_PAST_PRICE = 12;
/** The first block of a pool or token is looked for by halving all blocks; then it and its event are read. */
const CALLS_AN_ORIGIN = 28;
const WITH_ORIGIN: ReadonlySet<Ask["record"]> = new Set<Ask["record"]>([
  "v4_pool",
  "v4_pool_24h",
  "v3_pool",
  "token_info",
]);

/** What is answered from blocks and logs that were read, without a call of its own. */
const INDEXED: ReadonlySet<Ask["record"]> = new Set<Ask["record"]>([
  "gas_hour",
  "holder_count",
  "holder",
  "v4_swap",
  "v3_swap",
  "v4_liquidity",
  "v4_pool_point",
  "v3_pool_point",
]);
/** Filters that all positions or owners share. */
const SHARED_FILTERS: Readonly<Partial<Record<Ask["record"], number>>> = {
  v3_hold: 1,
  v4_hold: 1,
  v4_owned: 2,
};
/** Whose logs are followed, and with which others they share a filter. */
const LOGS: Readonly<Partial<Record<Ask["record"], "v3" | "v4" | "transfers">>> = {
  v4_swap: "v4",
  v4_liquidity: "v4",
  v4_pool_point: "v4",
  v4_pool_24h: "v4",
  v3_swap: "v3",
  v3_pool_point: "v3",
  v3_pool: "v3",
  holder_count: "transfers",
  holder: "transfers",
};

/** What is asked together, and how often in a day. */
interface PlannedAsks {
  readonly asked: readonly { readonly asks: readonly Ask[] }[];
  readonly times: number;
}

/** What rounds come to in calls to nodes, chain by chain. */
export function nodeCalls(
  rounds: readonly PlannedAsks[],
  { chains }: RpcSettings,
  heads: Heads,
): readonly ChainCalls[] {
  return [...chains].map(([chainId, chain]) => {
    const blockSeconds = blockSecondsOf(chainId);
    const asks = new Map<string, Ask>();
    let snapshots = 0;
    for (const { asked, times } of rounds) {
      const own = asked.flatMap((request) => request.asks).filter((ask) => ask.chainId === chainId);
      for (const ask of own) asks.set(ask.key, ask);
      if (own.some(({ record }) => !INDEXED.has(record))) snapshots += times;
    }
    const newest = heads.newest.has(chainId);
    const isWatched = heads.watched.has(chainId);
    const life = newest ? 0 : Math.max(SHORTEST_SNAPSHOT_SECONDS, blockSeconds);
    const most = life === 0 ? snapshots : Math.min(snapshots, Math.ceil(DAY_SECONDS / life));
    const list = [...asks.values()];
    const nodes = chain.urls.length;
    // Who looks at the head all the time need not ask for it in rounds.
    const looks = isWatched
      ? Math.ceil((DAY_SECONDS / blockSeconds) * looksABlock(blockSeconds))
      : 0;
    return {
      chainId,
      blockSeconds,
      reading:
        pastCalls(list) +
        looks * nodes +
        most * ((isWatched ? 0 : headCalls(nodes, newest)) + chain.agree * stateCalls(list)),
      ...indexCalls(list, chain, blockSeconds),
    };
  });
}

/** What is compared with the past, from nodes that keep it. */
function pastCalls(asks: readonly Ask[]): number {
  const tokens = asks.filter(({ record }) => record === "token_price").length;
  return tokens * PRICE_CHANGES * CALLS_A_PAST_PRICE;
}

/** Each node is asked for its newest block, the first for the one that is read, and the others whether they have it too. */
function headCalls(nodes: number, newest: boolean): number {
  return newest ? nodes : 2 * nodes;
}

function stateCalls(asks: readonly Ask[]): number {
  const sum = { slots: 0, calls: 0, alone: 0, pools: 0 };
  let isPriced = false;
  for (const { record, limit } of asks) {
    if (INDEXED.has(record)) continue;
    const cost = record === "gas_now" ? gasCost(limit ?? 1) : (STATE[record] ?? { calls: 1 });
    sum.slots += cost.slots ?? 0;
    sum.calls += cost.calls ?? 0;
    sum.alone += cost.alone ?? 0;
    sum.pools += cost.pools ?? 0;
    isPriced ||= cost.isPriced === true;
  }
  return (
    Math.ceil(sum.slots / SLOTS_A_CALL) +
    Math.ceil(sum.calls / CALLS_A_CALL) +
    sum.alone +
    Math.ceil(sum.pools / POOLS_A_FILTER) +
    // Pools that tell prices: slots of V4, calls of V3.
    (isPriced ? 2 : 0)
  );
}

/** The blocks that are new with their transactions, and the headers of all but the newest of them. */
function gasCost(blocks: number): Cost {
  return { alone: 2 * blocks - 1 };
}

/** Blocks are followed once something is asked that only they tell. */
function indexCalls(
  asks: readonly Ask[],
  { gas, days, urls }: RpcChain,
  blockSeconds: number,
): Pick<ChainCalls, "following" | "first"> {
  const origins = asks.filter(({ record }) => WITH_ORIGIN.has(record)).length * CALLS_AN_ORIGIN;
  if (!asks.some(({ record }) => FROM_LOGS.has(record))) {
    return { following: 0, first: origins };
  }
  const blocks = DAY_SECONDS / blockSeconds;
  const looks = DAY_SECONDS / Math.min(Math.max(blockSeconds, 1), 12);
  // Of several nodes all are asked for their newest block, so that a stuck one is not followed.
  const heads = urls.length === 1 ? 1 : urls.length + 1;
  const isExact = gas === null ? blockSeconds >= EXACT_GAS_SECONDS : gas === "exact";
  const followed = { v3: new Set<string>(), v4: new Set<string>(), transfers: new Set<string>() };
  for (const { record, id } of asks) {
    const kind = LOGS[record];
    if (kind !== undefined) followed[kind].add(id);
  }
  const filters = (ids: ReadonlySet<string>): number => Math.ceil(ids.size / IDS_A_FILTER);
  const shared = new Set(asks.map(({ record }) => record));
  const more = [...shared].reduce((sum, record) => sum + (SHARED_FILTERS[record] ?? 0), 0);
  const pools = filters(followed.v3) + filters(followed.v4) + more;
  const logs = blocks * (pools + filters(followed.transfers));
  const history = Math.ceil((GAS_DAYS * blocks) / BLOCKS_A_HISTORY) * CALLS_A_HISTORY;
  return {
    following: Math.ceil(looks * heads + blocks + (isExact ? blocks : looks) + logs),
    first:
      origins +
      history +
      GAS_DAYS * 24 * CALLS_A_BORDER +
      Math.ceil((days * blocks) / BLOCKS_A_RANGE) * pools,
  };
}

import { chainName } from "../base/chains.ts";
import type { Clock } from "../base/clock.ts";
import type { RpcSettings } from "../model/index.ts";
import { Refusal } from "../serve/refusal.ts";
import type { World } from "../serve/world.ts";
import { type AskChain, createBeyond, type Reading } from "./beyond.ts";
import type { ChainIndex } from "./chain-index.ts";
import { ChainIndexes } from "./chain-indexes.ts";
import type { SeenTable } from "./db/seen-table.ts";
import type { NotedProgress } from "./index/progress-table.ts";
import type { ChainNeeds } from "./needs.ts";
import { positionsBeyond } from "./positions.ts";
import { RpcError } from "./rpc/error-kind.ts";
import type { ChainReporter } from "./rpc/nodes.ts";
import { ChainState } from "./state/chain-state.ts";
import { balanceHistory, legacyBalanceHistory, supplyHistory } from "./state/day-records.ts";
import { NoArchive } from "./state/days.ts";
import { HeadWatch } from "./state/head-watch.ts";
import {
  balanceRecord,
  legacyBalancesRecord,
  supplyRecord,
  tokenInfoRecord,
  tokenPriceRecord,
} from "./state/token-records.ts";
import { earlierV4Record, v3PoolRecord } from "./state/v3-pools.ts";
import { readV4Pool, v4PoolRecord } from "./state/v4-pools.ts";
import { v4PositionRecord } from "./state/v4-positions.ts";

export interface ChainWorldOptions {
  readonly settings: RpcSettings;
  readonly clock: Clock;
  readonly report: ChainReporter;
  /** Chains of which the newest block is read, as who polls more often than every 5 s wants it; default: none. */
  readonly newest?: ReadonlySet<number>;
  /** Chains whose heads are looked at all the time, and who is told when one has another block. */
  readonly watched?: {
    readonly chains: ReadonlySet<number>;
    readonly onBlock: (chainId: number) => void;
  };
}

/** The specification's answers from EVM nodes. */
export interface ChainWorld extends World {
  readonly chains: ReadonlyMap<number, ChainState>;
  /**
   * Begins to follow the chains' blocks and logs, as the first question about them would. Rejects with
   * ChainDbError where what is read cannot be kept, and as the chains' `open` does.
   */
  follow(): Promise<void>;
  /** Reads of chains' blocks, logs and heads what is needed, and of others nothing until somebody asks about them. */
  keep(needs: ChainNeeds): void;
  /**
   * Other processes ask the same nodes: from now on so much of the requests that each node may be sent is this one's; above
   * 0, and 1 at most.
   */
  pace(part: number): void;
  /** What of the past is still being read, as of the last ten seconds. */
  progress(): readonly NotedProgress[];
  close(): Promise<void>;
}

/** Throws TypeError where a URL is none. Asks no node yet but for heads that are watched. */
export function createChainWorld({
  settings,
  clock,
  report,
  newest = new Set(),
  watched,
}: ChainWorldOptions): ChainWorld {
  const chains = new Map(
    [...settings.chains].map(([chainId, config]) => {
      const [date, now] = [() => clock.now(), () => clock.elapsed()];
      const seen = (): Promise<SeenTable | null> => indexes.seen(chainId);
      const isWatched = watched?.chains.has(chainId) === true;
      const state = new ChainState({
        chainId,
        config,
        report,
        date,
        now,
        seen,
        newest: isWatched || newest.has(chainId),
        watched: () => heads.has(chainId),
      });
      return [chainId, state] as const;
    }),
  );

  const heads = new Map<number, HeadWatch>();
  /** The last looks at heads that are watched no more. */
  const lastLooks = new Set<Promise<void>>();
  const watch = (needed: ReadonlySet<number>): void => {
    for (const [chainId, head] of heads) {
      if (needed.has(chainId)) continue;
      heads.delete(chainId);
      const last = head.stop().finally(() => lastLooks.delete(last));
      lastLooks.add(last);
    }
    for (const chain of chains.values()) {
      const { chainId } = chain;
      const isMeant = needed.has(chainId) && watched?.chains.has(chainId) === true;
      if (!isMeant || heads.has(chainId)) continue;
      heads.set(chainId, new HeadWatch(chain, clock, () => watched.onBlock(chainId)));
    }
  };
  watch(watched?.chains ?? new Set());

  /** Reads a subject at the chain's current block; what no node answers is refused. */
  const ask: AskChain = (chainId, subject, read, once = false) => {
    const chain = chains.get(chainId);
    if (chain === undefined) {
      return Promise.reject(new Refusal("unsupported_chain", `no node of chain ${chainId}`));
    }
    const asked = chain.ask(subject, (parts) => (reader) => read(reader, parts), once);
    // Thousands ask in each round: an async function would make twice as many promises.
    return asked.catch((error: unknown) => {
      throw refused(error, chainId);
    });
  };

  const indexes = new ChainIndexes({ settings, chains, clock, report });
  /** Answers from what was read of a chain's blocks and logs. */
  const indexed = async (
    chainId: number,
    answer: (index: ChainIndex) => Promise<unknown>,
  ): Promise<unknown> => {
    try {
      return await answer(await indexes.of(chainId));
    } catch (error) {
      throw refused(error, chainId);
    }
  };

  /** A pool's record with what its logs tell of the last 24 hours. */
  const withDay = async (chainId: number, id: string, record: unknown): Promise<unknown> =>
    typeof record !== "object" || record === null
      ? record
      : { ...record, ...(await (await indexes.of(chainId)).pools.lastDay(id)) };

  /** A token's record with how many hold it and how often it was transferred, where that is counted. */
  const withTotals = async (chainId: number, token: string, record: unknown): Promise<unknown> => {
    const isCounted = settings.chains.get(chainId)?.holders.includes(token) === true;
    if (typeof record !== "object" || record === null || !isCounted) return record;
    const totals = await (await indexes.of(chainId)).holders.totals(token);
    if (totals === null) return record;
    return { ...record, holder_count: totals.holders, transfer_count: totals.transfers };
  };

  return {
    start: clock.now(),
    chains,
    follow: () => indexes.all(),
    keep(needs) {
      watch(needs.watched);
      indexes.keep(needs.indexed);
    },
    pace(part) {
      for (const chain of chains.values()) chain.pace(part);
      indexes.pace(part);
    },
    progress: () => indexes.progress(),
    hasChain: (chainId) => chains.has(chainId),
    hasToken: (chainId) => chains.has(chainId),
    close: async () => {
      watch(new Set());
      await Promise.all(lastLooks);
      for (const chain of chains.values()) chain.write();
      await indexes.close();
      await Promise.all([...chains.values()].map((chain) => chain.close()));
    },

    pool: (chainId, raw) => {
      const id = raw.toLowerCase();
      return ask(chainId, `v4:${id}`, async (reader, parts) => {
        const state = await readV4Pool(reader, id, parts);
        return state === undefined ? undefined : v4PoolRecord(reader, state, parts);
      });
    },
    legacyPool: (chainId, raw) => {
      const id = raw.toLowerCase();
      return ask(chainId, `legacy_v4:${id}`, async (reader, parts) => {
        const state = await readV4Pool(reader, id, parts);
        return state === undefined ? undefined : earlierV4Record(state, chainId);
      }).then((record) => withDay(chainId, id, record));
    },
    v3Pool: (chainId, raw) => {
      const address = raw.toLowerCase();
      return ask(chainId, `v3:${address}`, (reader, parts) =>
        v3PoolRecord(reader, address, parts),
      ).then((record) => withDay(chainId, address, record));
    },
    position: (chainId, protocol, nft) => {
      if (protocol !== "dexa") {
        throw new Refusal("not_indexed", `positions of ${protocol} are not read from nodes`);
      }
      const id = BigInt(nft).toString();
      return ask(chainId, `position:${id}`, (reader, parts) => v4PositionRecord(reader, id, parts));
    },

    supply: (chainId, raw) => {
      const token = raw.toLowerCase();
      return ask(chainId, `supply:${token}`, (reader) => supplyRecord(reader, chainId, token));
    },
    balance: (chainId, raw, holder) => {
      const [token, wallet] = [raw.toLowerCase(), holder.toLowerCase()];
      return ask(chainId, `balance:${token}:${wallet}`, (reader) =>
        balanceRecord(reader, chainId, token, wallet),
      );
    },
    legacyBalances: (chainId, raw, holders) => {
      const token = raw.toLowerCase();
      const wallets = holders.map((wallet) => wallet.toLowerCase());
      return ask(chainId, `balances:${token}:${wallets.join()}`, (reader, parts) =>
        legacyBalancesRecord(reader, chainId, token, wallets, parts),
      );
    },
    tokenInfo: (chainId, raw) => {
      const token = raw.toLowerCase();
      return ask(chainId, `info:${token}`, (reader, parts) =>
        tokenInfoRecord(reader, chainId, token, parts),
      ).then((record) => withTotals(chainId, token, record));
    },
    tokenPrice: (chainId, raw) => {
      const token = raw.toLowerCase();
      return ask(chainId, `price:${token}`, (reader, parts) =>
        tokenPriceRecord(reader, chainId, token, parts),
      );
    },

    supplyHistory: (chainId, raw, days) => {
      const token = raw.toLowerCase();
      const subject = `supplies:${token}:${days.from}:${days.to}`;
      const read: Reading = (reader, parts) => supplyHistory(reader, token, days, parts);
      return ask(chainId, subject, read, true);
    },
    balanceHistory: (chainId, raw, holder, days) => {
      const [token, wallet] = [raw.toLowerCase(), holder.toLowerCase()];
      const subject = `balances:${token}:${wallet}:${days.from}:${days.to}`;
      const read: Reading = (reader, parts) => balanceHistory(reader, token, wallet, days, parts);
      return ask(chainId, subject, read, true);
    },
    legacyBalanceHistory: (chainId, raw, holder, page) => {
      const [token, wallet] = [raw.toLowerCase(), holder.toLowerCase()];
      const subject = `history:${token}:${wallet}:${page.size}:${page.offset}`;
      const read: Reading = (reader, parts) =>
        legacyBalanceHistory(reader, token, wallet, page, parts);
      return ask(chainId, subject, read, true);
    },
    priceHistory: (chainId, raw, period, page) => {
      const token = raw.toLowerCase();
      const subject = `prices:${token}:${period}:${page.size}:${page.offset}`;
      const read: Reading = async (reader, { pastPrices }) => {
        const history = await pastPrices.history(reader, token, period, page);
        return history === undefined
          ? undefined
          : { token_address: token, chain_id: chainId, ...history };
      };
      return ask(chainId, subject, read, true);
    },
    swaps: (chainId, pool, limit, offset) =>
      indexed(chainId, ({ pools }) => pools.swaps(pool, limit, offset)),
    liquidityChanges: (chainId, pool, limit, offset) =>
      indexed(chainId, ({ pools }) => pools.liquidityChanges(pool, limit, offset)),
    poolHistory: (chainId, pool, period, limit, offset) =>
      indexed(chainId, ({ pools }) => pools.history(pool, period, limit, offset)),
    holderCount: (chainId, token) => indexed(chainId, ({ holders }) => holders.count(token)),
    holders: (chainId, token, page) => indexed(chainId, ({ holders }) => holders.list(token, page)),
    legacyHolders: (chainId, token, page) =>
      indexed(chainId, ({ holders }) => holders.legacyList(token, page)),
    gasHours: (chainId, from, to) => indexed(chainId, ({ gas }) => gas.hours(from, to)),

    beyond: createBeyond(
      ask,
      positionsBeyond(ask, (chainId) => indexes.of(chainId)),
    ),
  };
}

/** What no node answers is a refusal; anything else is as it was. */
function refused(error: unknown, chainId: number): unknown {
  if (error instanceof NoArchive) {
    const words = `no node of ${chainName(chainId)} keeps old states: ${error.message}`;
    return new Refusal("not_indexed", words);
  }
  if (!(error instanceof RpcError)) return error;
  const words = `no node of ${chainName(chainId)} answers: ${error.message}`;
  return new Refusal("chain_unavailable", words);
}

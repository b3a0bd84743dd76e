import { type ChainLog, readTransfer, TOPICS, type Transfer } from "../codec/events.ts";
import { wordOfAddress } from "../codec/words.ts";
import type { ChainTables } from "./chain-tables.ts";
import { type LogFilter, logFilter } from "./logs.ts";
import type { SourceKind } from "./sources.ts";

/** A node takes so many ids or addresses in one filter. */
export const IDS_IN_FILTER = 500;

/** The contracts that log for many pools or positions, in lower case; null: there is none. */
export interface LoggingContracts {
  /** V4's pool manager. */
  readonly manager: string | null;
  /** The position managers of V4 and V3. */
  readonly positionManager: string | null;
  readonly v3PositionManager: string | null;
}

/** The filters of sources of one kind. */
export function filtersOf(
  kind: SourceKind,
  ids: readonly string[],
  contracts: LoggingContracts,
): readonly LogFilter[] {
  const filters: LogFilter[] = [];
  for (let from = 0; from < ids.length; from += IDS_IN_FILTER) {
    filters.push(...filtersOfSome(kind, ids.slice(from, from + IDS_IN_FILTER), contracts));
  }
  return filters;
}

function filtersOfSome(
  kind: SourceKind,
  ids: readonly string[],
  { manager, positionManager, v3PositionManager }: LoggingContracts,
): readonly LogFilter[] {
  switch (kind) {
    case "transfers":
      return [logFilter(ids, [TOPICS.transfer])];
    case "v3":
      return [logFilter(ids, [TOPICS.v3Swap])];
    case "v4": {
      const events = [TOPICS.v4Swap, TOPICS.v4ModifyLiquidity];
      return manager === null ? [] : [logFilter([manager], events, ids)];
    }
    case "v3_position": {
      const events = [TOPICS.v3Increase, TOPICS.v3Decrease, TOPICS.v3Collect];
      return v3PositionManager === null ? [] : [logFilter([v3PositionManager], events, ids)];
    }
    case "owner": {
      if (positionManager === null) return [];
      const owners = ids.map((owner) => `0x${wordOfAddress(owner)}`);
      const [at, events] = [[positionManager], [TOPICS.transfer]];
      return [logFilter(at, events, owners), logFilter(at, events, null, owners)];
    }
  }
}

/** The filters of all live sources of a chain, made anew when other sources are live. */
export class LiveLogs {
  #key = "";
  #filters: readonly LogFilter[] = [];

  constructor(
    private readonly tables: ChainTables,
    private readonly contracts: LoggingContracts,
  ) {}

  filters(): readonly LogFilter[] {
    const live = this.tables.sources.all().filter(({ last }) => last === null);
    const key = live.map(({ kind, id }) => `${kind}:${id}`).join(" ");
    if (key !== this.#key) {
      this.#key = key;
      this.#filters = [...new Set(live.map(({ kind }) => kind))].flatMap((kind) =>
        filtersOf(
          kind,
          live.filter((source) => source.kind === kind).map(({ id }) => id),
          this.contracts,
        ),
      );
    }
    return this.#filters;
  }
}

/**
 * Keeps what logs tell; they are in the order of the chain. `blocks`: those whose times are known. `canUndo`:
 * a reorg may take them back. Part of a transaction.
 */
export function writeLogs(
  tables: ChainTables,
  logs: readonly ChainLog[],
  blocks: readonly { readonly number: number; readonly time: number }[],
  canUndo: boolean,
): void {
  const times = new Map(blocks.map(({ number, time }) => [number, time]));
  const transfers = new Map<string, { token: string; block: number | null; list: Transfer[] }>();
  for (const log of logs) {
    // A token's transfers have their amount as data, an NFT's their id as a topic.
    const transfer = log.topics.length === 4 ? null : readTransfer(log);
    if (transfer === null) {
      const isPut = tables.nfts.put(log) || tables.flows.put(log);
      if (!isPut) tables.entries.put(log, times.get(log.block) ?? log.time);
      continue;
    }
    const block = canUndo ? log.block : null;
    const key = `${log.address}:${block}`;
    const found = transfers.get(key);
    if (found === undefined) transfers.set(key, { token: log.address, block, list: [transfer] });
    else found.list.push(transfer);
  }
  for (const { token, block, list } of transfers.values()) tables.holders.add(token, list, block);
}

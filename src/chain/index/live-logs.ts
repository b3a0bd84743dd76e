import { type ChainLog, readTransfer, TOPICS, type Transfer } from "../codec/events.ts";
import type { ChainTables } from "./chain-tables.ts";
import { type LogFilter, logFilter } from "./logs.ts";
import type { SourceKind } from "./sources.ts";

/** A node takes so many ids or addresses in one filter. */
export const IDS_IN_FILTER = 500;

/** The filters of sources of one kind. `manager`: V4's pool manager, where all its pools log; null: there is none. */
export function filtersOf(
  kind: SourceKind,
  ids: readonly string[],
  manager: string | null,
): readonly LogFilter[] {
  const filters: LogFilter[] = [];
  for (let from = 0; from < ids.length; from += IDS_IN_FILTER) {
    const some = ids.slice(from, from + IDS_IN_FILTER);
    if (kind === "transfers") filters.push(logFilter(some, [TOPICS.transfer]));
    else if (kind === "v3") filters.push(logFilter(some, [TOPICS.v3Swap]));
    else if (manager !== null) {
      filters.push(logFilter([manager], [TOPICS.v4Swap, TOPICS.v4ModifyLiquidity], some));
    }
  }
  return filters;
}

/** The filters of all live sources of a chain, made anew when other sources are live. */
export class LiveLogs {
  readonly #tables: ChainTables;
  readonly #manager: string | null;
  #key = "";
  #filters: readonly LogFilter[] = [];

  constructor(tables: ChainTables, manager: string | null) {
    this.#tables = tables;
    this.#manager = manager;
  }

  filters(): readonly LogFilter[] {
    const live = this.#tables.sources.all().filter(({ last }) => last === null);
    const key = live.map(({ kind, id }) => `${kind}:${id}`).join(" ");
    if (key !== this.#key) {
      this.#key = key;
      this.#filters = (["v4", "v3", "transfers"] as const).flatMap((kind) =>
        filtersOf(
          kind,
          live.filter((source) => source.kind === kind).map(({ id }) => id),
          this.#manager,
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
    const transfer = readTransfer(log);
    if (transfer === null) {
      tables.entries.put(log, times.get(log.block) ?? log.time);
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

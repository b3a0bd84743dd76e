import type { ChainLog } from "../codec/events.ts";
import { RpcError } from "../rpc/error-kind.ts";
import type { Nodes } from "../rpc/nodes.ts";
import { blocksAt } from "./blocks.ts";
import type { ChainTables } from "./chain-tables.ts";
import { filtersOf, IDS_IN_FILTER, type LoggingContracts, writeLogs } from "./live-logs.ts";
import { type LogFilter, logsIn, logsOf } from "./logs.ts";
import {
  type BlockRange,
  FIRST_SIZE,
  isOfLength,
  nextRange,
  nextSize,
  type RangeSize,
} from "./ranges.ts";
import { LINKED } from "./reorg.ts";
import type { Source } from "./sources.ts";

/** An answer of more logs, or one that takes longer (ms), is as much as should be asked for at once. */
const MOST_LOGS = 10_000;
const LONGEST_MS = 10_000;
/** Logs that are written in one transaction: others that write wait no longer than some 30 ms. */
const AT_ONCE = 2_000;

export interface CatchUpOptions {
  readonly tables: ChainTables;
  readonly nodes: Nodes;
  readonly contracts: LoggingContracts;
  /** Milliseconds of a clock that is never set. */
  readonly elapsed: () => number;
}

/**
 * Reads the logs of what is followed but not live yet: ranges of blocks first, then the newest ones by their
 * hashes, whereby it becomes live. Rows and how far they go are one transaction, so that a process that is
 * killed goes on where it was.
 */
export class CatchUp {
  readonly #sizes = new Map<string, RangeSize>();

  constructor(private readonly options: CatchUpOptions) {}

  /** Reads one range, or makes some sources live. False: there was nothing to do. Rejects with RpcError. */
  async step(): Promise<boolean> {
    const { tables } = this.options;
    const newest = tables.blocks.newest();
    const group = this.#next();
    const [one] = group;
    if (newest === undefined || one === undefined || one.last === null) return false;
    // Below the blocks that are kept there is only this way, however near the head a reorg has brought them.
    const oldest = tables.blocks.oldest()?.number ?? 0;
    const safe = Math.max(newest.number - LINKED, oldest - 1);
    if (one.last >= safe) await this.#join(group, one.last + 1);
    else await this.#read(group, { first: one.last + 1, last: safe });
    return true;
  }

  /** Pools that were read as far as each other are read together; those that are furthest back come first. */
  #next(): readonly Source[] {
    const waiting = this.options.tables.sources
      .all()
      .filter(({ last }) => last !== null)
      .toSorted((a, b) => order(a) - order(b) || (a.last ?? 0) - (b.last ?? 0));
    const [one] = waiting;
    if (one === undefined || one.kind === "transfers") return waiting.slice(0, 1);
    return waiting
      .filter(({ kind, last }) => kind === one.kind && last === one.last)
      .slice(0, IDS_IN_FILTER);
  }

  async #read(group: readonly Source[], whole: BlockRange): Promise<void> {
    const { nodes, tables, elapsed } = this.options;
    const filters = this.#filters(group);
    const key = group[0]?.kind === "transfers" ? (group[0]?.id ?? "") : (group[0]?.kind ?? "");
    const size = this.#sizes.get(key) ?? FIRST_SIZE;
    const range = nextRange(whole, size);
    if (filters.length === 0 || range === null) return;
    const began = elapsed();
    const logs = await this.#askAll(nodes, filters, range).catch((error: unknown) => {
      const blocks = range.last - range.first + 1;
      if (!(error instanceof RpcError) || error.kind !== "too_much" || blocks === 1) throw error;
      this.#sizes.set(
        key,
        nextSize(size, { status: "refused", blocks, isLong: isOfLength(error.message) }),
      );
      return null;
    });
    if (logs === null) return;
    const share = Math.max(logs.length / MOST_LOGS, (elapsed() - began) / LONGEST_MS);
    this.#sizes.set(key, nextSize(size, { status: "answered", share }));
    for (const part of partsOf(logs, range)) {
      tables.write(() => {
        // Blocks that were taken back meanwhile move what was read back as well.
        const stands = group.every(
          (source) => tables.sources.get(source.kind, source.id)?.last === part.first - 1,
        );
        if (!stands) return;
        writeLogs(tables, part.logs, [], false);
        for (const source of group) tables.sources.move(source, part.last);
      });
    }
  }

  async #askAll(
    nodes: Nodes,
    filters: readonly LogFilter[],
    range: BlockRange,
  ): Promise<readonly ChainLog[]> {
    const logs: ChainLog[] = [];
    for (const filter of filters) logs.push(...(await this.#ask(nodes, filter, range)));
    return logs;
  }

  /** Nodes leave logs out, most often all of a range: an empty answer is asked for again, of another one if there is one. */
  async #ask(nodes: Nodes, filter: LogFilter, range: BlockRange): Promise<readonly ChainLog[]> {
    let first: unknown = null;
    const logs = await nodes.use((node) => {
      first = node;
      return logsIn(node, filter, range);
    });
    if (logs.length > 0) return logs;
    return nodes.use(
      (node) => logsIn(node, filter, range),
      (node) => node !== first,
    );
  }

  /** The last blocks one by one: what they write can be taken back. */
  async #join(group: readonly Source[], first: number): Promise<void> {
    const { nodes, tables } = this.options;
    const kept = tables.blocks.since(first);
    const newest = tables.blocks.newest();
    const filters = this.#filters(group);
    await nodes.use(async (node) => {
      const blocks = await blocksAt(
        node,
        kept.map(({ number }) => number),
      );
      if (blocks.some(({ hash }, i) => hash !== kept[i]?.hash)) {
        throw new RpcError("no_block", `${node.name}: it has another head`);
      }
      const logs = await logsOf(node, filters, blocks);
      tables.write(() => {
        if (tables.blocks.newest()?.hash !== newest?.hash) return;
        writeLogs(tables, logs, blocks, true);
        for (const source of group) tables.sources.goLive(source, first);
      });
    });
  }

  #filters(group: readonly Source[]): readonly LogFilter[] {
    const [one] = group;
    if (one === undefined) return [];
    const ids = group.map(({ id }) => id);
    return filtersOf(one.kind, ids, this.options.contracts);
  }
}

/** Pools and positions are read before owners and tokens, which take longer. */
function order({ kind }: Source): number {
  return kind === "transfers" ? 2 : kind === "owner" ? 1 : 0;
}

/** A range in parts of whole blocks that have not many more than AT_ONCE logs. */
function partsOf(
  logs: readonly ChainLog[],
  { first, last }: BlockRange,
): readonly (BlockRange & { readonly logs: readonly ChainLog[] })[] {
  const sorted = logs.toSorted((a, b) => a.block - b.block || a.index - b.index);
  const parts: (BlockRange & { logs: readonly ChainLog[] })[] = [];
  let begin = 0;
  let from = first;
  for (let i = AT_ONCE; i < sorted.length; i += 1) {
    const block = sorted[i]?.block ?? last;
    if (i - begin < AT_ONCE || block === sorted[i - 1]?.block) continue;
    parts.push({ first: from, last: block - 1, logs: sorted.slice(begin, i) });
    [begin, from] = [i, block];
  }
  parts.push({ first: from, last, logs: sorted.slice(begin) });
  return parts;
}

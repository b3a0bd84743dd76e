import { HOUR } from "../../base/duration.ts";
import { hourAt } from "../gas/gas-table.ts";
import type { GasBlock } from "../gas/hours.ts";
import { endHours } from "../gas/live-gas.ts";
import { RpcError } from "../rpc/error-kind.ts";
import type { RpcNode } from "../rpc/node.ts";
import type { ChainReporter } from "../rpc/nodes.ts";
import { type Block, blockAtTag, blocksAt, malformed } from "./blocks.ts";
import type { ChainTables } from "./chain-tables.ts";
import { type LiveLogs, writeLogs } from "./live-logs.ts";
import { logsOf } from "./logs.ts";
import { DEPTH, LINKED } from "./reorg.ts";

/** How the blocks' gas is read: whole blocks, or the fee history. Rejects with RpcError. */
export type GasReader = (
  node: RpcNode,
  blocks: readonly Block[],
) => Promise<readonly GasBlock[] | null>;

export interface FollowOptions {
  readonly tables: ChainTables;
  readonly live: LiveLogs;
  readonly gas: GasReader;
  /** Reads the gas of the running hour up to the newest of the blocks, from which on they are followed. */
  readonly gasSoFar: (node: RpcNode, blocks: readonly Block[]) => Promise<() => void>;
  readonly report: ChainReporter;
}

/** New blocks are read in steps of so many. */
const AT_ONCE = 16;

/**
 * Keeps the newest blocks of a chain, with their gas and the logs of live sources: one transaction a step.
 * A block whose parent is not the newest one kept takes back all down to the common one; deeper than what is
 * kept, the index is cut there.
 */
export class Follower {
  constructor(private readonly options: FollowOptions) {}

  /**
   * Looks at a node's head once. Resolves with whether it moved: then there may be more. Rejects with
   * RpcError; `no_block` where the node is behind, or changed its mind meanwhile.
   */
  async step(node: RpcNode): Promise<boolean> {
    const { blocks } = this.options.tables;
    const head = await blockAtTag(node, "latest");
    const newest = blocks.newest();
    const oldest = blocks.oldest();
    if (newest === undefined || oldest === undefined) return this.#begin(node, head);
    if (head.number < oldest.number) {
      throw new RpcError(
        "no_block",
        `${node.name}: it is ${newest.number - head.number} blocks behind`,
      );
    }
    if (head.number <= newest.number) {
      if (blocks.at(head.number)?.hash === head.hash) return false;
      return this.#goBack(node, head.number);
    }
    if (head.number - newest.number > LINKED) return this.#begin(node, head);
    return this.#extend(node, newest.hash, newest.number + 1, head.number);
  }

  /** Reads the blocks from `first` on, some of them at once. */
  async #extend(node: RpcNode, parent: string, first: number, head: number): Promise<boolean> {
    const { tables, live, gas } = this.options;
    const count = Math.min(AT_ONCE, head - first + 1);
    const blocks = await blocksAt(
      node,
      Array.from({ length: count }, (_, i) => first + i),
    );
    if (blocks[0]?.parent !== parent) return this.#goBack(node, first - 1);
    checkLinks(node, blocks);
    const filters = live.filters();
    const fees = await gas(node, blocks);
    const logs = await logsOf(node, filters, blocks);
    tables.write(() => {
      if (tables.blocks.newest()?.hash !== parent) return;
      for (const block of blocks)
        this.#put(
          block,
          fees?.find(({ number }) => number === block.number),
        );
      writeLogs(tables, logs, blocks, true);
      this.#forget();
    });
    return true;
  }

  #put(block: Block, fees: GasBlock | undefined): void {
    const { tables } = this.options;
    const before = tables.blocks.newest();
    tables.blocks.put(block);
    const hour = hourAt(block.time);
    if (before !== undefined) {
      for (let next = hourAt(before.time) + HOUR; next <= hour; next += HOUR) {
        tables.borders.put(next, block.number);
      }
    }
    if (fees !== undefined) tables.gas.put({ ...fees, hour });
  }

  /** Forgets what no reorg reaches any more, and makes averages of finished hours. */
  #forget(): void {
    const { tables } = this.options;
    const newest = tables.blocks.newest();
    if (newest === undefined) return;
    const reach = newest.number - DEPTH;
    tables.blocks.forgetBelow(reach);
    tables.journal.forgetBelow(reach);
    const reached = tables.blocks.oldest();
    if (reached !== undefined) endHours(tables, hourAt(reached.time));
  }

  /** Takes back the blocks that the node's chain does not have; `from`: the newest that may be common. */
  async #goBack(node: RpcNode, from: number): Promise<boolean> {
    const { tables, report } = this.options;
    const newest = tables.blocks.newest();
    const common = await this.#commonBlock(node, from);
    if (newest === undefined) return true;
    if (common === null) {
      this.#cut(newest.number);
      return true;
    }
    if (common === newest.number) {
      throw new RpcError("no_block", `${node.name}: its head changed while it was read`);
    }
    report("info", "blocks were reorganised", { block: common, blocks: newest.number - common });
    tables.write(() => tables.undo(common));
    return true;
  }

  /** The newest block up to `from` that is kept and that the node has; null: there is none. */
  async #commonBlock(node: RpcNode, from: number): Promise<number | null> {
    const { blocks } = this.options.tables;
    const lowest = blocks.oldest()?.number ?? 0;
    for (let high = from; high >= lowest; high -= AT_ONCE) {
      const low = Math.max(lowest, high - AT_ONCE + 1);
      const theirs = await blocksAt(
        node,
        Array.from({ length: high - low + 1 }, (_, i) => low + i),
      );
      const common = theirs.findLast(({ number, hash }) => blocks.at(number)?.hash === hash);
      if (common !== undefined) return common.number;
    }
    return null;
  }

  /** No block that is kept is the node's: what they wrote is taken back, and what lies below them read again. */
  #cut(newest: number): void {
    const { tables, report } = this.options;
    const cut = (tables.blocks.oldest()?.number ?? 0) - DEPTH - 1;
    report("warn", "a reorg is deeper than what is kept: the index is cut", { block: cut, newest });
    tables.write(() => {
      tables.sources.interrupt(newest);
      tables.undo(cut);
    });
  }

  /**
   * Begins at the head: the blocks just below it are kept, and what was live before goes on from where it
   * stood, as something to be caught up with.
   */
  async #begin(node: RpcNode, head: Block): Promise<boolean> {
    const { tables, gasSoFar } = this.options;
    const old = tables.blocks.newest();
    if (old !== undefined) {
      const common = await this.#commonBlock(node, old.number);
      if (common === null) {
        this.#cut(old.number);
        return true;
      }
      tables.write(() => {
        tables.undo(common);
        tables.sources.interrupt(common);
      });
    }
    const first = Math.max(0, head.number - DEPTH_AT_START);
    const blocks = await blocksAt(
      node,
      Array.from({ length: head.number - first + 1 }, (_, i) => first + i),
    );
    checkLinks(node, blocks);
    const writeGas = await gasSoFar(node, blocks);
    tables.write(() => {
      tables.blocks.cutAbove(-1);
      for (const block of blocks) this.#put(block, undefined);
      writeGas();
    });
    return true;
  }
}

/** So many blocks are kept from the start on: a reorg of the first hours is found by them. */
const DEPTH_AT_START = 2 * LINKED;

function checkLinks(node: RpcNode, blocks: readonly Block[]): void {
  for (const [i, block] of blocks.entries()) {
    const before = blocks[i - 1];
    if (before !== undefined && block.parent !== before.hash) {
      throw new RpcError("no_block", `${node.name}: its head changed while it was read`);
    }
  }
  if (blocks.length === 0) throw malformed(node, "there are no blocks");
}

import { seconds } from "../../api/written.ts";
import { chainName } from "../../base/chains.ts";
import type { Header } from "../codec/blocks.ts";
import { blocksAt } from "../index/blocks.ts";
import { RpcError } from "../rpc/error-kind.ts";
import type { RpcNode } from "../rpc/node.ts";
import type { Nodes } from "../rpc/nodes.ts";
import { type GasBlock, meanOf } from "./hours.ts";
import { exactGas } from "./live-gas.ts";

/** A block whose transactions were read. */
interface Kept extends Pick<Header, "number" | "hash" | "parent"> {
  readonly gas: GasBlock;
}

/** Blocks further behind the newest than this are forgotten. */
const KEPT_BLOCKS = 64;

/** The gas of a chain's newest blocks, exact, each read once with its transactions. */
export class RecentGas {
  readonly #kept = new Map<string, Kept>();

  constructor(private readonly nodes: Nodes) {}

  /**
   * The record of the `count` blocks that end with `newest`, fewer where the chain has fewer: the base fee
   * of the newest, and the means of the thresholds of those in which somebody bid, cut to whole wei; null
   * where nobody did. Rejects with RpcError; `no_block` where they do not follow one another any more.
   */
  async record(newest: Header, count: number) {
    const blocks = await this.nodes.use((node) => this.#read(node, newest, count));
    const bidding = blocks.flatMap(({ tips }) => tips ?? []);
    return {
      chain_id: this.nodes.chainId,
      blocks: count,
      block_number: String(newest.number),
      timestamp: seconds(newest.time),
      base_fee: newest.baseFee?.toString() ?? null,
      tip_top5: meanOf(bidding.map(({ top5 }) => top5)),
      tip_top10: meanOf(bidding.map(({ top10 }) => top10)),
    };
  }

  async #read(node: RpcNode, newest: Header, count: number): Promise<readonly GasBlock[]> {
    const line = await this.#line(node, newest, count);
    const unread = line.filter(({ hash }) => !this.#kept.has(hash));
    const read = await exactGas(node, unread);
    for (const [i, gas] of read.entries()) {
      const block = unread[i];
      if (block !== undefined) this.#kept.set(block.hash, { ...block, gas });
    }
    const gas = line.flatMap(({ hash }) => this.#kept.get(hash)?.gas ?? []);
    for (const { hash, number } of this.#kept.values()) {
      if (number < newest.number - KEPT_BLOCKS) this.#kept.delete(hash);
    }
    return gas;
  }

  /** The blocks themselves, the newest first; each is the parent of the one before it. */
  async #line(
    node: RpcNode,
    newest: Header,
    count: number,
  ): Promise<readonly Pick<Kept, "number" | "hash" | "parent">[]> {
    const { number, hash, parent } = newest;
    const line = [{ number, hash, parent }];
    const first = Math.max(0, number - count + 1);
    let last = line[0];
    while (last !== undefined && last.number > first) {
      const before = this.#kept.get(last.parent);
      if (before === undefined) break;
      line.push(before);
      last = before;
    }
    const next = number - line.length;
    if (next < first) return line;
    const numbers = Array.from({ length: next - first + 1 }, (_, i) => next - i);
    for (const block of await blocksAt(node, numbers)) {
      if (block.hash !== line.at(-1)?.parent) {
        const words = `${node.name}: blocks of ${chainName(this.nodes.chainId)} changed meanwhile`;
        throw new RpcError("no_block", words);
      }
      line.push({ number: block.number, hash: block.hash, parent: block.parent });
    }
    return line;
  }
}

import { isMap, listOf } from "../../base/json.ts";
import { type Header, readHeader } from "../codec/blocks.ts";
import { hexData, toQuantity } from "../codec/words.ts";
import { RpcError } from "../rpc/error-kind.ts";
import type { RpcCall, RpcNode } from "../rpc/node.ts";

/** A block's header and, where it was asked for with them, its transactions. */
export interface Block extends Header {
  /** Null where the node tells none. */
  readonly bloom: string | null;
  /** Whole ones or only their hashes, as they were asked for. */
  readonly transactions: readonly unknown[];
}

/** The block that a tag names. Rejects with RpcError; `no_block` where there is none. */
export async function blockAtTag(
  node: RpcNode,
  tag: "latest" | "safe" | "finalized",
): Promise<Block> {
  return blockIn(node, await node.call("eth_getBlockByNumber", [tag, false]), tag);
}

/** The blocks of these numbers, without their transactions. Rejects with RpcError, likewise. */
export async function blocksAt(
  node: RpcNode,
  numbers: readonly number[],
): Promise<readonly Block[]> {
  const calls = numbers.map((number) => ({
    method: "eth_getBlockByNumber",
    params: [toQuantity(number), false],
  }));
  const blocks = await all(node, calls, "a block");
  for (const [i, { number }] of blocks.entries()) {
    if (number !== numbers[i]) throw malformed(node, "another block than was asked for");
  }
  return blocks;
}

/** How many whole blocks are asked for at once: each may have a megabyte of transactions. */
const WHOLE_AT_ONCE = 4;

/** The blocks of these hashes with their transactions. Rejects with RpcError, likewise. */
export async function wholeBlocks(
  node: RpcNode,
  hashes: readonly string[],
): Promise<readonly Block[]> {
  const blocks: Block[] = [];
  for (let from = 0; from < hashes.length; from += WHOLE_AT_ONCE) {
    const calls = hashes.slice(from, from + WHOLE_AT_ONCE).map((hash) => ({
      method: "eth_getBlockByHash",
      params: [hash, true],
    }));
    blocks.push(...(await all(node, calls, "a block of a known hash")));
  }
  for (const [i, { hash }] of blocks.entries()) {
    if (hash !== hashes[i]) throw malformed(node, "another block than was asked for");
  }
  return blocks;
}

async function all(node: RpcNode, calls: readonly RpcCall[], what: string): Promise<Block[]> {
  const results = await node.batch(calls);
  return results.map((result) => {
    if (!result.ok) throw result.error;
    return blockIn(node, result.value, what);
  });
}

function blockIn(node: RpcNode, value: unknown, what: string): Block {
  if (value === null) throw new RpcError("no_block", `${node.name}: there is no ${what}`);
  const header = readHeader(value);
  if (header === null || !isMap(value)) throw malformed(node, "a block cannot be read");
  const { logsBloom, transactions } = value;
  return { ...header, bloom: hexData(logsBloom), transactions: listOf(transactions) };
}

export function malformed(node: RpcNode, words: string): RpcError {
  return new RpcError("malformed", `${node.name}: ${words}`);
}

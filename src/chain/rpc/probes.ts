import { chainName } from "../../base/chains.ts";
import { type Header, readHeader } from "../codec/blocks.ts";
import { toQuantity } from "../codec/words.ts";
import { RpcError } from "./error-kind.ts";
import { chainIdOf, type RpcNode } from "./node.ts";

/** What a node can do, or why it cannot be used. */
export type Probe =
  | { readonly node: string; readonly trouble: string }
  | {
      readonly node: string;
      readonly trouble: null;
      readonly head: Header;
      /** It keeps the state of the first blocks. */
      readonly isArchive: boolean;
      readonly callsByHash: boolean;
      readonly feeHistory: boolean;
      /** It says which blocks are safe and finalized. */
      readonly tags: boolean;
    };

const NOBODY = `0x${"0".repeat(40)}`;

/** Asks a node what it can do. Never rejects with RpcError. */
export async function probe(node: RpcNode, chainId: number): Promise<Probe> {
  try {
    const id = await chainIdOf(node);
    if (id !== chainId) return { node: node.name, trouble: `it is of ${chainName(id)}` };
    const head = readHeader(await node.call("eth_getBlockByNumber", ["latest", false]));
    if (head === null) return { node: node.name, trouble: "it has no newest block" };
    const hash = { blockHash: head.hash, requireCanonical: true };
    const old = toQuantity(Math.min(1, head.number));
    const [byHash, past, fees, safe] = await node.batch([
      { method: "eth_getCode", params: [NOBODY, hash] },
      { method: "eth_getBalance", params: [NOBODY, old] },
      { method: "eth_feeHistory", params: ["0x1", "latest", [50]] },
      { method: "eth_getBlockByNumber", params: ["finalized", false] },
    ]);
    return {
      node: node.name,
      trouble: null,
      head,
      isArchive: past?.ok === true,
      callsByHash: byHash?.ok === true,
      feeHistory: fees?.ok === true,
      tags: safe?.ok === true && readHeader(safe.value) !== null,
    };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { node: node.name, trouble: error.message.replace(`${node.name}: `, "") };
  }
}

/** `node 1 (archive): block 24,407,242, 4 s old`; `now` in epoch milliseconds. */
export function probeWords(found: Probe, now: number): string {
  if (found.trouble !== null) return `${found.node}: ${found.trouble}`;
  const { node, head, isArchive, callsByHash, feeHistory, tags } = found;
  const lacks = [
    ...(callsByHash ? [] : ["calls by block hash"]),
    ...(feeHistory ? [] : ["fee history"]),
    ...(tags ? [] : ["finalized blocks"]),
  ];
  const without = lacks.length === 0 ? "" : `, without ${lacks.join(", ")}`;
  const number = head.number.toLocaleString("en");
  const age = Math.max(0, Math.round((now - head.time) / 1_000));
  return `${node} (${isArchive ? "archive" : "full"}${without}): block ${number}, ${age} s old`;
}

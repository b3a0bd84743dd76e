import { setTimeout as pause } from "node:timers/promises";
import { isMap, listOf, readMap } from "../../base/json.ts";
import { type Header, readHeader } from "../codec/blocks.ts";
import { extsloadData } from "../codec/calls.ts";
import { readInitialize, readLog, TOPICS } from "../codec/events.ts";
import { hexData, toQuantity } from "../codec/words.ts";
import type { Seen, SeenTable } from "../db/seen-table.ts";
import { RpcError } from "../rpc/error-kind.ts";
import type { RpcNode } from "../rpc/node.ts";
import type { Nodes } from "../rpc/nodes.ts";

/** How a pool or a token began. */
export interface Origin {
  /** Its first block, and the time of it (epoch ms). */
  readonly block: number;
  readonly time: number;
  /** A pool's price and tick at its beginning; null: of tokens, and where its event is not in that block. */
  readonly initial: { readonly tick: number; readonly sqrtPriceX96: string } | null;
  /** Who sent the transaction that made a contract; null: another contract made it, or the node does not tell. */
  readonly creator: string | null;
}

/** What is looked for. */
type Subject =
  | { readonly kind: "v4"; readonly id: string; readonly slot: string }
  | { readonly kind: "v3" | "token"; readonly id: string };

export interface OriginsOptions {
  readonly nodes: Nodes;
  readonly poolManager: string | null;
  /** Where they are kept; null: nowhere, and nothing is looked for. */
  readonly table: SeenTable | null;
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
  /** Between two calls, in milliseconds: rounds come first. */
  readonly pauseMs: () => number;
}

/** What began so shortly before the newest block may still be taken back. */
const OPEN_BLOCKS = 64;
/** What could not be found is looked for again after so long. */
const RETRY_MS = 3_600_000;

/**
 * How pools and tokens began. No contract remembers it: the block is found by halving, from a node that keeps old
 * states, about 25 calls once for each. They are looked for beside the rounds, one after the other.
 */
export class Origins {
  readonly #known = new Map<string, Origin>();
  readonly #triedAt = new Map<string, number>();
  #waiting: { readonly subject: Subject; readonly head: Header }[] = [];
  #looking: Promise<void> | null = null;
  /** No node keeps old states: nothing is looked for until then. */
  #idleUntil = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(private readonly options: OriginsOptions) {}

  /** How it began, as far as that is known yet; else it is looked for from now on. */
  of(subject: Subject, head: Header): Origin | null {
    const key = `origin ${subject.kind}:${subject.id}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { table, now } = this.options;
    if (table === null || now() < this.#idleUntil) return null;
    const triedAt = this.#triedAt.get(key);
    if (triedAt !== undefined && now() - triedAt < RETRY_MS) return null;
    this.#triedAt.set(key, now());
    const kept = originOf(table.get(key));
    if (kept !== null) {
      this.#known.set(key, kept);
      return kept;
    }
    this.#waiting.push({ subject, head });
    this.#looking ??= this.#lookForAll(table).finally(() => {
      this.#looking = null;
    });
    return null;
  }

  async close(): Promise<void> {
    this.#isStopped = true;
    await this.#looking;
  }

  async #lookForAll(table: SeenTable): Promise<void> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next === undefined || this.#isStopped) return;
      const { subject, head } = next;
      try {
        const origin = await this.options.nodes.use((node) => this.#find(node, subject, head));
        if (origin === null) continue;
        const key = `origin ${subject.kind}:${subject.id}`;
        this.#known.set(key, origin);
        table.put([[key, keptOf(origin)]]);
      } catch (error) {
        // A disk that is full keeps nothing: it is found again after the next start.
        if (!(error instanceof RpcError)) continue;
        if (error.kind !== "no_state") continue;
        this.#idleUntil = this.options.now() + RETRY_MS;
        this.#waiting = [];
        this.#triedAt.clear();
      }
    }
  }

  /** Null: it is too new, or was not there. */
  async #find(node: RpcNode, subject: Subject, head: Header): Promise<Origin | null> {
    const isThere = async (block: number): Promise<boolean> => {
      await pause(this.options.pauseMs(), undefined, { ref: false });
      if (this.#isStopped) throw new RpcError("unreachable", "stopped");
      return this.#isThere(node, subject, block);
    };
    let last = head.number - OPEN_BLOCKS;
    if (last < 0 || !(await isThere(last))) return null;
    let before = -1;
    while (last - before > 1) {
      const middle = Math.floor((last + before) / 2);
      if (await isThere(middle)) last = middle;
      else before = middle;
    }
    const header = readHeader(await node.call("eth_getBlockByNumber", [toQuantity(last), false]));
    if (header === null) throw new RpcError("no_block", `${node.name}: it has no block ${last}`);
    const initial = subject.kind === "token" ? null : await this.#initial(node, subject, header);
    const creator = subject.kind === "token" ? await creatorOf(node, subject.id, header) : null;
    return { block: header.number, time: header.time, initial, creator };
  }

  async #isThere(node: RpcNode, subject: Subject, block: number): Promise<boolean> {
    const at = toQuantity(block);
    const { poolManager: to } = this.options;
    if (subject.kind !== "v4") {
      const code = hexData(await node.call("eth_getCode", [subject.id, at]));
      if (code === null)
        throw new RpcError("malformed", `${node.name}: a contract's code is not data`);
      return code !== "0x";
    }
    if (to === null) return false;
    const call = { to, data: extsloadData([subject.slot]) };
    const data = hexData(await node.call("eth_call", [call, at]));
    if (data === null) throw new RpcError("malformed", `${node.name}: a call's answer is not data`);
    // Before the pool manager was there, an answer is empty; an offset and a length come before the word.
    return /[1-9a-f]/.test(data.slice(2 + 2 * 64));
  }

  /** The event with a pool's first price, which is nearly always in its first block; of V3 it may come later. */
  async #initial(node: RpcNode, subject: Subject, { number }: Header): Promise<Origin["initial"]> {
    const isV4 = subject.kind === "v4";
    const range = {
      fromBlock: toQuantity(number),
      toBlock: toQuantity(isV4 ? number : number + OPEN_BLOCKS - 1),
    };
    const filter = isV4
      ? { address: this.options.poolManager, topics: [TOPICS.v4Initialize, subject.id] }
      : { address: subject.id, topics: [TOPICS.v3Initialize] };
    const logs = listOf(await node.call("eth_getLogs", [{ ...filter, ...range }]));
    for (const entry of logs) {
      const log = isMap(entry) ? readLog(entry) : null;
      const read = log === null ? null : readInitialize(log);
      if (read !== null) return { tick: read.tick, sqrtPriceX96: read.sqrtPriceX96.toString() };
    }
    return null;
  }
}

/** Who sent the transaction that made a contract, by the receipts of its first block. */
async function creatorOf(
  node: RpcNode,
  address: string,
  { number }: Header,
): Promise<string | null> {
  try {
    const receipts = listOf(await node.call("eth_getBlockReceipts", [toQuantity(number)]));
    for (const receipt of receipts) {
      if (!isMap(receipt) || hexData(receipt.contractAddress) !== address) continue;
      return hexData(receipt.from);
    }
  } catch (error) {
    // Not every node has receipts by block.
    if (!(error instanceof RpcError) || error.kind === "unreachable") throw error;
  }
  return null;
}

function keptOf({ block, time, initial, creator }: Origin): Seen {
  return { state: JSON.stringify({ initial, creator }), block, time };
}

function originOf(seen: Seen | undefined): Origin | null {
  if (seen === undefined) return null;
  const { initial = null, creator = null } = readMap(seen.state) ?? {};
  const isRead = isMap(initial) && typeof initial.tick === "number";
  return {
    block: seen.block,
    time: seen.time,
    initial: isRead
      ? { tick: Number(initial.tick), sqrtPriceX96: String(initial.sqrtPriceX96) }
      : null,
    creator: typeof creator === "string" ? creator : null,
  };
}

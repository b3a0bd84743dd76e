import { midnightOf } from "../../base/clock.ts";
import { DAY } from "../../base/duration.ts";
import { keepNewest } from "../../base/keep-newest.ts";
import { type Header, readHeader } from "../codec/blocks.ts";
import { hexData, toQuantity, uintAt } from "../codec/words.ts";
import { firstBlockAt, type Mark } from "../gas/borders.ts";
import { RpcError } from "../rpc/error-kind.ts";
import type { RpcCall, RpcNode, RpcResult } from "../rpc/node.ts";
import type { Nodes } from "../rpc/nodes.ts";

/** Values of days past that are kept. */
const MOST_KEPT = 200_000;
/** So long (ms) a question waits for others that go in one batch with it. */
const GATHER_MS = 2;

/** So many of the newest blocks may still be reorganised. */
const OPEN_BLOCKS = 64;

/** What a subject was on one day. */
export interface DayValue {
  /** Epoch milliseconds of its midnight in UTC. */
  readonly day: number;
  /** The block at which it was read: the day's last, or the newest. */
  readonly block: number;
  readonly value: bigint;
}

/** No node has the state of the past. */
export class NoArchive extends Error {
  override readonly name = "NoArchive";
}

/** What contracts said at the last block of days past, from nodes that keep old states. */
export class Days {
  /** The last block before times past. */
  readonly #blocks = new Map<number, number>();
  /** By call and day; null: the contract said nothing, as before it was there. */
  readonly #values = new Map<string, bigint | null>();
  #first: Mark | null = null;

  constructor(private readonly nodes: Nodes) {}

  /**
   * The number that a call gives at the last block of each day (epoch ms of midnights, UTC), oldest first; of
   * the running day at the newest block, `head`. Days without a value are left out. Rejects with NoArchive
   * where there is none at all for want of an archive, and with RpcError.
   */
  async values(
    days: readonly number[],
    head: Header,
    call: { readonly to: string; readonly data: string },
  ): Promise<readonly DayValue[]> {
    const today = midnightOf(head.time);
    const wanted = days.filter((day) => day <= today);
    return this.nodes.use(async (node) => {
      const lookUp = new Gathered(node);
      const first = await this.#firstBlock(lookUp);
      const there = wanted.filter((day) => day + DAY > first.time);
      const blocks = await Promise.all(
        there.map((day) => this.#lastBefore(day + DAY, first, head, lookUp)),
      );
      let lacking: RpcError | null = null;
      const values = await Promise.all(
        there.map(async (day, i): Promise<DayValue | null> => {
          const block = blocks[i] ?? head.number;
          const key = day === today ? null : `${call.to}:${call.data}:${day}`;
          const known = key === null ? undefined : this.#values.get(key);
          if (known !== undefined) return known === null ? null : { day, block, value: known };
          const result = await lookUp.ask({
            method: "eth_call",
            params: [call, toQuantity(block)],
          });
          if (!result.ok && result.error.kind === "no_state") {
            lacking = result.error;
            return null;
          }
          const value = valueIn(result);
          if (key !== null) keepNewest(this.#values, key, value, MOST_KEPT);
          return value === null ? null : { day, block, value };
        }),
      );
      const found = values.filter((value) => value !== null);
      if (found.length === 0 && lacking !== null) throw new NoArchive("an archive node is needed");
      return found;
    });
  }

  /** The last block before each time (epoch ms), the newest one at most; null: there was none. Rejects with RpcError. */
  lastBlocks(times: readonly number[], head: Header): Promise<readonly (Header | null)[]> {
    return this.nodes.use(async (node) => {
      const lookUp = new Gathered(node);
      const first = await this.#firstBlock(lookUp);
      return Promise.all(
        times.map(async (time) => {
          if (time > head.time) return head;
          if (time <= first.time) return null;
          return lookUp.header(await this.#lastBefore(time, first, head, lookUp));
        }),
      );
    });
  }

  /** The last block before a time, which is the newest one where that lies ahead. */
  async #lastBefore(time: number, first: Mark, head: Header, lookUp: Gathered): Promise<number> {
    if (time > head.time) return head.number;
    const known = this.#blocks.get(time);
    if (known !== undefined) return known;
    const next = await firstBlockAt(time, first, head, async (number) => {
      const [before, at] = await Promise.all([lookUp.header(number - 1), lookUp.header(number)]);
      return { before: before.time, at: at.time };
    });
    // One that a reorg may still take back is looked up anew.
    if (head.number - next > OPEN_BLOCKS) this.#blocks.set(time, next - 1);
    return next - 1;
  }

  /** Block 1: the first one's own time is 0 on some chains. */
  async #firstBlock(lookUp: Gathered): Promise<Mark> {
    this.#first ??= await lookUp.header(1);
    return this.#first;
  }
}

function valueIn(result: RpcResult): bigint | null {
  if (!result.ok) {
    if (result.error.kind === "reverted") return null;
    throw result.error;
  }
  const data = hexData(result.value);
  return data === null ? null : uintAt(data, 0);
}

interface Question {
  readonly call: RpcCall;
  readonly resolve: (result: RpcResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls to one node that are asked for at about the same time, as one batch. */
class Gathered {
  #questions: Question[] = [];

  constructor(private readonly node: RpcNode) {}

  ask(call: RpcCall): Promise<RpcResult> {
    return new Promise((resolve, reject) => {
      this.#questions.push({ call, resolve, reject });
      if (this.#questions.length === 1) setTimeout(() => void this.#send(), GATHER_MS);
    });
  }

  async header(number: number): Promise<Header> {
    const params = [toQuantity(number), false];
    const result = await this.ask({ method: "eth_getBlockByNumber", params });
    if (!result.ok) throw result.error;
    const header = readHeader(result.value);
    if (header !== null) return header;
    throw new RpcError("no_block", `${this.node.name}: it has no block ${number}`);
  }

  async #send(): Promise<void> {
    const questions = this.#questions;
    this.#questions = [];
    try {
      const results = await this.node.batch(questions.map(({ call }) => call));
      for (const [i, { resolve, reject }] of questions.entries()) {
        const result = results[i];
        if (result === undefined) reject(new RpcError("malformed", `${this.node.name}: no answer`));
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of questions) reject(error);
    }
  }
}

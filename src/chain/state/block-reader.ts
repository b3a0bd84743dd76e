import { isDeepStrictEqual } from "node:util";
import { type Header, readHeader } from "../codec/blocks.ts";
import { type InnerCall, readAggregate } from "../codec/calls.ts";
import { toQuantity, wordAt, wordsIn } from "../codec/words.ts";
import { RpcError } from "../rpc/error-kind.ts";
import type { RpcNode, RpcResult } from "../rpc/node.ts";
import type { Nodes } from "../rpc/nodes.ts";
import {
  areSameResults,
  balancePart,
  chunks,
  dataOf,
  ethCall,
  halved,
  noContract,
  type OwnRequest,
  type OwnResult,
  ownPart,
  type Part,
  taken,
} from "./read-parts.ts";
import { AskedCalls, Places, type ReadersMemory } from "./readers-memory.ts";

/** Slots in one call, and calls in one multicall: below the usual cap of 50 million gas. */
const SLOTS_A_CALL = 1_000;
const CALLS_A_CALL = 500;
/** What stands in a slot that was never written. */
const NO_WORD = "0".repeat(64);
/** So long (ms) what is asked for waits for others that are read with it. */
const GATHER_MS = 5;

export interface ReaderContracts {
  /** The V4 pool manager, whose storage is read; null: the chain has none. */
  readonly poolManager: string | null;
  /** Null: the chain has no Multicall3, and each call goes alone. */
  readonly multicall: string | null;
}

interface SlotRequest {
  readonly slots: readonly string[];
  readonly resolve: (words: readonly string[]) => void;
  readonly reject: (error: unknown) => void;
}

interface CallRequest extends InnerCall {
  readonly resolve: (data: string | null) => void;
  readonly reject: (error: unknown) => void;
}

interface BalanceRequest {
  readonly account: string;
  readonly resolve: (balance: bigint) => void;
  readonly reject: (error: unknown) => void;
}

/** What is gathered until it is read. */
class Gathered {
  readonly slots: SlotRequest[] = [];
  readonly calls: CallRequest[] = [];
  readonly balances: BalanceRequest[] = [];
  readonly own: OwnRequest[] = [];
}

/**
 * Reads the state of one block, which is named by its hash, so that any node that has the block gives the
 * same answers. What is asked for within a few milliseconds goes together: slots of the V4 pool manager a
 * thousand at a time, calls five hundred at a time, balances in one batch with them.
 */
export class BlockReader {
  #gathered: Gathered | null = null;

  constructor(
    private readonly nodes: Nodes,
    readonly header: Header,
    private readonly contracts: ReaderContracts,
    private readonly memory: ReadersMemory,
  ) {}

  /** The numbers in slots of the pool manager's storage; slots are words. Rejects with RpcError. */
  async slots(slots: readonly string[]): Promise<readonly bigint[]> {
    return (await this.words(slots)).map((word) => BigInt(`0x${word}`));
  }

  /** The same as words. Each is a part of a whole answer: who keeps one for long copies it. */
  words(slots: readonly string[]): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      this.#gather().slots.push({ slots, resolve, reject });
    });
  }

  /**
   * What a call gives, as data: null where the contract refuses it, and where there is no contract. Rejects
   * with RpcError where no node answers.
   */
  call(to: string, data: string): Promise<string | null> {
    return new Promise((resolve, reject) => {
      this.#gather().calls.push({ to, data, resolve, reject });
    });
  }

  /** What an account has of the chain's own currency, in wei. Rejects with RpcError. */
  balance(account: string): Promise<bigint> {
    return new Promise((resolve, reject) => {
      this.#gather().balances.push({ account, resolve, reject });
    });
  }

  /**
   * What a call gives that somebody wrote down. It is sent by itself, in a batch with others of its kind: a
   * contract that uses all the gas it gets, or never comes to an end, spoils nothing else. Rejects with
   * RpcError where no node answers.
   */
  own(to: string, data: string): Promise<OwnResult> {
    return new Promise((resolve, reject) => {
      this.#gather().own.push({ to, data, resolve, reject });
    });
  }

  #gather(): Gathered {
    if (this.#gathered !== null) return this.#gathered;
    const gathered = new Gathered();
    this.#gathered = gathered;
    setTimeout(() => {
      this.#gathered = null;
      void this.#read(gathered);
      void this.#readOwn(gathered.own);
    }, GATHER_MS);
    return gathered;
  }

  async #read({ slots, calls, balances }: Gathered): Promise<void> {
    try {
      // Positions of one pool ask for the same of it.
      const wanted = new Places();
      for (const request of slots) request.slots.forEach((slot) => wanted.add(slot));
      const asked = new AskedCalls();
      const places = calls.map((call) => asked.add(call));
      const accounts = [...new Set(balances.map(({ account }) => account))];
      const { words, answers, held } = await this.#send(() => {
        const came = {
          words: [] as string[],
          answers: [] as (string | null)[],
          held: new Map<string, bigint>(),
        };
        const parts = [
          ...this.#slotParts(wanted.all, came.words),
          ...this.#callParts(asked.all, came.answers),
          ...accounts.map((account) => balancePart(account, came.held)),
        ];
        return { parts, came };
      }, isDeepStrictEqual);
      for (const { slots: own, resolve } of slots) {
        resolve(own.map((slot) => words[wanted.of(slot) ?? -1] ?? NO_WORD));
      }
      calls.forEach(({ resolve }, i) => resolve(answers[places[i] ?? -1] ?? null));
      for (const { account, resolve, reject } of balances) {
        const balance = held.get(account);
        if (balance === undefined) reject(new RpcError("failed", `no balance of ${account}`));
        else resolve(balance);
      }
    } catch (error) {
      for (const { reject } of [...slots, ...calls, ...balances]) reject(error);
    }
  }

  async #readOwn(requests: readonly OwnRequest[]): Promise<void> {
    try {
      const answers = await this.#send(() => {
        const came = new Map<OwnRequest, OwnResult>();
        return { parts: requests.map((request) => ownPart(request, came)), came };
      }, areSameResults);
      for (const request of requests) {
        request.resolve(answers.get(request) ?? { refused: "no answer to this call" });
      }
    } catch (error) {
      for (const { reject } of requests) reject(error);
    }
  }

  #slotParts(slots: readonly string[], words: string[]): Part[] {
    if (slots.length === 0) return [];
    const { poolManager } = this.contracts;
    if (poolManager === null) throw new RpcError("failed", "this chain has no V4 pool manager");
    const part = (from: number, some: readonly string[]): Part => ({
      ...ethCall(poolManager, this.memory.extsload(from, some)),
      take: (answer, node) => {
        const data = dataOf(answer, node);
        // An offset, a length, and as many words.
        if (wordsIn(data) !== some.length + 2) throw noContract(poolManager);
        for (let i = 0; i < some.length; i += 1) words[from + i] = wordAt(data, i + 2) ?? NO_WORD;
      },
      halves: () => halved(from, some, part),
      fail: (error) => {
        throw error;
      },
    });
    return chunks(slots, SLOTS_A_CALL).map((some, i) => part(i * SLOTS_A_CALL, some));
  }

  #callParts(calls: readonly InnerCall[], answers: (string | null)[]): Part[] {
    const { multicall } = this.contracts;
    const single = (call: InnerCall, place: number): Part => ({
      ...ethCall(call.to, call.data),
      take: (answer, node) => {
        const data = dataOf(answer, node);
        answers[place] = data === "0x" ? null : data;
      },
      halves: () => null,
      fail: () => {
        answers[place] = null;
      },
    });
    const many = (to: string, from: number, some: readonly InnerCall[]): Part => {
      const [only] = some;
      if (some.length === 1 && only !== undefined) return single(only, from);
      return {
        ...ethCall(to, this.memory.aggregate(from, some)),
        take: (answer, node) => {
          const results = readAggregate(dataOf(answer, node), some.length);
          if (results === null) throw noContract(to);
          results.forEach((result, i) => {
            answers[from + i] = result === "0x" ? null : result;
          });
        },
        halves: () => halved(from, some, (at, part) => many(to, at, part)),
        fail: (error) => {
          throw error;
        },
      };
    };
    if (multicall === null) return calls.map(single);
    return chunks(calls, CALLS_A_CALL).map((some, i) => many(multicall, i * CALLS_A_CALL, some));
  }

  /** What came of parts at the first node that can answer all of them, or at all that must agree. */
  async #send<T>(
    make: () => { readonly parts: readonly Part[]; readonly came: T },
    isSame: (one: T, other: T) => boolean,
  ): Promise<T> {
    const first = make();
    if (first.parts.length === 0) return first.came;
    return this.nodes.inAgreement(async (node) => {
      const { parts, came } = make();
      await this.#sendTo(node, parts);
      return came;
    }, isSame);
  }

  async #sendTo(node: RpcNode, parts: readonly Part[]): Promise<void> {
    const byNumber = this.memory.byNumber.has(node);
    const { number, hash } = this.header;
    const at = byNumber ? toQuantity(number) : { blockHash: hash, requireCanonical: true };
    const calls = parts.map(({ method, params }) => ({ method, params: [...params, at] }));
    const header = { method: "eth_getBlockByNumber", params: [toQuantity(number), false] };
    const results = await node.batch(byNumber ? [...calls, header] : calls);
    if (byNumber) checkSame(results.at(-1), this.header, node);
    else if (results.some(isOfTheHash)) {
      this.memory.byNumber.add(node);
      return this.#sendTo(node, parts);
    }
    const smaller: Part[] = [];
    for (const [i, part] of parts.entries()) {
      const result = results[i];
      if (result === undefined) throw new RpcError("malformed", `${node.name}: no answer`);
      smaller.push(...taken(part, result, node));
    }
    if (smaller.length > 0) await this.#sendTo(node, smaller);
  }
}

/** What a node says that knows no `blockHash` in a call's second parameter. */
function isOfTheHash(result: RpcResult): boolean {
  if (result.ok || result.error.kind === "no_block" || result.error.kind === "reverted")
    return false;
  return /invalid (?:argument|params?|block)|blockHash|cannot unmarshal|expected .* string|\(-32602\)/i.test(
    result.error.message,
  );
}

/** By number a node tells of whatever block stands there: it must be the one that was meant. */
function checkSame(result: RpcResult | undefined, wanted: Header, node: RpcNode): void {
  const header = result?.ok === true ? readHeader(result.value) : null;
  if (header?.hash === wanted.hash) return;
  throw new RpcError("no_block", `${node.name}: block ${wanted.number} changed meanwhile`);
}

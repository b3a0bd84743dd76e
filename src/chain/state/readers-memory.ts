import { aggregateData, extsloadData, type InnerCall } from "../codec/calls.ts";
import type { RpcNode } from "../rpc/node.ts";

/** What is asked for in between must not take the place of what is asked for at each block. */
const WORTH_KEEPING = 100;

/** What readers of a chain's blocks have in common. */
export class ReadersMemory {
  /** Nodes that do not take a block's hash in a call: they are asked by its number, and its hash is checked. */
  readonly byNumber = new WeakSet<RpcNode>();
  readonly #slots = new Map<number, { readonly slots: readonly string[]; readonly data: string }>();
  readonly #calls = new Map<
    number,
    { readonly calls: readonly InnerCall[]; readonly data: string }
  >();

  /** `extsloadData` of some slots, from a place on among all: from block to block they are the same. */
  extsload(from: number, slots: readonly string[]): string {
    if (slots.length < WORTH_KEEPING) return extsloadData(slots);
    const known = this.#slots.get(from);
    if (known?.slots.length === slots.length && known.slots.every((one, i) => one === slots[i])) {
      return known.data;
    }
    const data = extsloadData(slots);
    this.#slots.set(from, { slots, data });
    return data;
  }

  /** `aggregateData` likewise. */
  aggregate(from: number, calls: readonly InnerCall[]): string {
    if (calls.length < WORTH_KEEPING) return aggregateData(calls);
    const known = this.#calls.get(from);
    const isSame = ({ to, data }: InnerCall, i: number): boolean =>
      to === calls[i]?.to && data === calls[i]?.data;
    if (known?.calls.length === calls.length && known.calls.every(isSame)) return known.data;
    const data = aggregateData(calls);
    this.#calls.set(from, { calls: calls.map(({ to, data: own }) => ({ to, data: own })), data });
    return data;
  }
}

/** What is asked for, each once, in the order in which it came. */
export class Places {
  readonly all: string[] = [];
  readonly #places = new Map<string, number>();

  add(key: string): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.all.length);
    return this.all.push(key) - 1;
  }

  of(key: string): number | undefined {
    return this.#places.get(key);
  }
}

/** The same of calls. Their data are long: one key of both parts would be made anew for each. */
export class AskedCalls {
  readonly all: InnerCall[] = [];
  readonly #places = new Map<string, Map<string, number>>();

  add({ to, data }: InnerCall): number {
    let its = this.#places.get(to);
    if (its === undefined) {
      its = new Map();
      this.#places.set(to, its);
    }
    const known = its.get(data);
    if (known !== undefined) return known;
    its.set(data, this.all.length);
    return this.all.push({ to, data }) - 1;
  }
}

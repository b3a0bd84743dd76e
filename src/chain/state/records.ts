import type { Header } from "../codec/blocks.ts";

/** Records of so many subjects are kept. */
const MOST = 50_000;

interface Kept<T> {
  readonly facts: readonly unknown[];
  /** The block since which they are so. */
  readonly block: number;
  readonly record: T;
}

/**
 * The records that were made last, by subject: most of what is watched is from block to block as it was, and to
 * make a record of the same facts again would be most of what a round costs.
 */
export class Records<T> {
  readonly #kept = new Map<string, Kept<T>>();

  /** What was made last, whatever of. */
  last(subject: string): T | undefined {
    return this.#kept.get(subject)?.record;
  }

  /** The record of these facts, if they are what it was made of and it is of no later block than this. */
  get(subject: string, facts: readonly unknown[], { number }: Header): T | undefined {
    const kept = this.#kept.get(subject);
    if (kept === undefined || kept.block > number) return undefined;
    for (let i = 0; i < facts.length; i += 1) if (kept.facts[i] !== facts[i]) return undefined;
    return kept.record;
  }

  /** `block`: since when it is so. Texts among the facts may be parts of larger ones, which are not kept. */
  put(subject: string, facts: readonly unknown[], block: number, record: T): void {
    if (this.#kept.size >= MOST && !this.#kept.has(subject)) this.#kept.clear();
    this.#kept.set(subject, {
      facts: facts.map((one) => (typeof one === "string" ? copied(one) : one)),
      block,
      record,
    });
  }
}

/** A text of digits that is no part of a larger one, which it would keep alive. */
export function copied(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}

import type { Clock } from "../base/clock.ts";
import { MINUTE } from "../base/duration.ts";

/** So many wrong tokens from one address within a minute, and nothing more is looked at for the rest of it. */
const MOST_WRONG = 10;
/** From all addresses together. */
const MOST_WRONG_IN_ALL = 100;
const MOST_ADDRESSES = 1_000;

/** Counts wrong tokens at the sign-in, so that nobody can try many. */
export class WrongTokens {
  readonly #byAddress = new Map<string, number>();
  #all = 0;
  #since: number;

  constructor(private readonly clock: Clock) {
    this.#since = clock.elapsed();
  }

  /** For how many seconds nothing is looked at from this address; null: it may try. */
  waitOf(address: string): number | null {
    const left = this.#left();
    const isBlocked =
      (this.#byAddress.get(networkOf(address)) ?? 0) >= MOST_WRONG ||
      this.#all >= MOST_WRONG_IN_ALL;
    return isBlocked ? Math.ceil(left / 1_000) : null;
  }

  wrong(address: string): void {
    this.#left();
    this.#all += 1;
    const network = networkOf(address);
    if (this.#byAddress.size >= MOST_ADDRESSES && !this.#byAddress.has(network)) return;
    this.#byAddress.set(network, (this.#byAddress.get(network) ?? 0) + 1);
  }

  /** Milliseconds to the end of the minute that is counted; a new one begins empty. */
  #left(): number {
    const now = this.clock.elapsed();
    if (now - this.#since >= MINUTE) {
      this.#since = now;
      this.#all = 0;
      this.#byAddress.clear();
    }
    return this.#since + MINUTE - now;
  }
}

/** Who has one address of version 6 has 2^64 of them. */
function networkOf(address: string): string {
  return address.includes(":") && !address.includes(".")
    ? address.split(":").slice(0, 4).join(":")
    : address;
}

import { BuriedError } from "./member-status.ts";

/** This much of a lease is not relied on: clocks run at slightly different speeds. */
const MARGIN = 1 / 15;

/** What came of the last request that renewed a member. */
interface Attempt {
  /** When it was sent, in elapsed time: before the server looked at its clock. */
  readonly sentAt: number;
  readonly outcome: "renewed" | "unreachable" | "buried";
}

/** What came of the requests that renew a member, and what it may do by that. */
export class Renewals {
  readonly #leaseMs: number;
  readonly #suspends: boolean;
  readonly #listeners = new Set<() => void>();
  #attempt: Attempt;
  /** Since when every renewal was answered, in elapsed time. */
  #unbrokenSince: number;
  #isOver = false;

  /** Of a member that has joined by a request that was sent then; `suspends`: it does not work while it is not answered. */
  constructor(leaseMs: number, suspends: boolean, sentAt: number) {
    this.#leaseMs = leaseMs;
    this.#suspends = suspends;
    this.#attempt = { sentAt, outcome: "renewed" };
    this.#unbrokenSince = sentAt;
  }

  /** The others count it as dead. */
  get isBuried(): boolean {
    return this.#attempt.outcome === "buried";
  }

  /** The server has renewed it within a lease, and refused nothing since. */
  get isAnswered(): boolean {
    const { sentAt, outcome } = this.#attempt;
    return outcome === "renewed" && performance.now() - sentAt < this.#leaseMs;
  }

  /** For a whole lease every request was answered. */
  get isSteady(): boolean {
    const isLong = performance.now() - this.#unbrokenSince >= this.#leaseMs;
    return this.#attempt.outcome === "renewed" && isLong;
  }

  /** A request that was sent at `sentAt`, in elapsed time, came to this. */
  note(outcome: Attempt["outcome"], sentAt: number): void {
    if (this.#attempt.outcome !== "renewed") this.#unbrokenSince = sentAt;
    this.#attempt = { sentAt, outcome };
    this.#tell();
  }

  /** It has joined anew. */
  begin(sentAt: number): void {
    this.#unbrokenSince = sentAt;
    this.#attempt = { sentAt, outcome: "renewed" };
  }

  /** No request comes any more. */
  end(): void {
    this.#isOver = true;
    this.#tell();
  }

  /**
   * Resolves at once while nobody can have taken over. Past that it waits for what a new request comes to: a
   * member that was buried must not go on (BuriedError). One that cannot reach the server goes on unless it suspends.
   */
  async mayWork(): Promise<void> {
    for (;;) {
      const { sentAt, outcome } = this.#attempt;
      if (outcome === "buried") throw new BuriedError();
      const isRecent = performance.now() - sentAt < this.#leaseMs * (1 - MARGIN);
      if (isRecent && (outcome === "renewed" || !this.#suspends)) return;
      if (this.#isOver) throw new BuriedError();
      await this.#next();
    }
  }

  /** Calls `listener` once when the member is buried. */
  onBuried(listener: () => void): void {
    const look = (): void => {
      if (!this.isBuried) return;
      this.#listeners.delete(look);
      listener();
    };
    this.#listeners.add(look);
    look();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Resolves when a request that is sent from now on has come to something. */
  async #next(): Promise<void> {
    const asked = performance.now();
    await new Promise<void>((resolve) => {
      const look = (): void => {
        // Nothing comes after either of these.
        if (this.#attempt.sentAt < asked && !this.#isOver && !this.isBuried) return;
        this.#listeners.delete(look);
        resolve();
      };
      this.#listeners.add(look);
    });
  }
}

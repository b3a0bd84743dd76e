import { SECOND } from "../../base/duration.ts";
import type { Rounds } from "../../commit/rounds.ts";
import type { Source } from "../../fetch/source.ts";
import type { Setup } from "../../model/index.ts";
import type { Memory } from "../../poll/memory.ts";
import { isOutage } from "../../store/failover-parts.ts";

export interface CurrentRoundsParts {
  /** Takes over what the store has kept. Throws StoreError. */
  readonly open: (setup: Setup, source: Source, facts?: Memory["facts"]) => Promise<Rounds>;
  readonly openSource: (setup: Setup) => Source;
  /** Why the store cannot be read anew at the moment; null: it can. */
  readonly trouble: () => string | null;
  /** Aborted when the daemon is to stop. */
  readonly stop: AbortSignal;
}

/** Rounds that run get so long, in real milliseconds, to end before others take over; then they are broken off. */
const GRACE_MS = 10 * SECOND;

export interface FollowOptions {
  /** So long, in real milliseconds, rounds that run may take to end; default: 10 s. */
  readonly graceMs?: number;
  /** What was true of the service still is, though it is asked anew; default: it is not. */
  readonly keepsFacts?: boolean;
}

/** It is no time for another configuration; what runs goes on. */
export class PostponedError extends Error {
  override readonly name = "PostponedError";
}

/** What runs could not go on after another configuration had failed: the daemon must be restarted. */
export class LostRoundsError extends Error {
  override readonly name = "LostRoundsError";
}

/** The rounds that run at the moment with their source, and how those of another configuration take over. */
export class CurrentRounds {
  rounds: Rounds;
  source: Source;
  readonly #parts: CurrentRoundsParts;

  private constructor(parts: CurrentRoundsParts, rounds: Rounds, source: Source) {
    this.#parts = parts;
    this.rounds = rounds;
    this.source = source;
  }

  /** Throws StoreError. */
  static async open(parts: CurrentRoundsParts, setup: Setup): Promise<CurrentRounds> {
    const source = parts.openSource(setup);
    try {
      return new CurrentRounds(parts, await parts.open(setup, source), source);
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  /**
   * Opens the rounds of `next` on what those of `before`, which run, have left behind, as a restart does; the
   * rounds in between are made up for once the function that it resolves to is called. What was true of the
   * service still is unless `asksAnew` (see FollowOptions). Throws PostponedError, also where the store fails in the last
   * commits of `before`, and whatever kept the rounds from being opened: then those of `before` go on, from memory where the
   * store is gone. Throws LostRoundsError if they cannot.
   */
  async follow(
    before: Setup,
    next: Setup,
    asksAnew: boolean,
    { graceMs = GRACE_MS, keepsFacts = !asksAnew }: FollowOptions = {},
  ): Promise<() => void> {
    const { trouble, stop, openSource } = this.#parts;
    const old = this.rounds;
    this.#refuse(trouble());
    const from = await old.pause(graceMs, stop);
    try {
      this.#refuse(trouble());
    } catch (error) {
      if (!stop.aborted) old.resume(from);
      throw error;
    }
    await old.stop();
    try {
      if (!stop.aborted) this.#refuse(trouble());
    } catch (error) {
      // What they decided last is not written yet: nobody else may go on without it.
      this.rounds = old.again();
      this.#start(from);
      throw error;
    }
    const { facts } = old.memory;
    try {
      if (!asksAnew) {
        this.rounds = await this.#parts.open(next, this.source, facts);
        return () => this.#start(from);
      }
      const source = openSource(next);
      try {
        this.rounds = await this.#parts.open(next, source, keepsFacts ? facts : undefined);
      } catch (error) {
        if (source !== this.source) await source.close();
        throw error;
      }
      const replaced = this.source;
      this.source = source;
      // What it was asked for has ended with the rounds.
      if (replaced !== source) await replaced.close();
      return () => this.#start(from);
    } catch (error) {
      await this.#goBack(before, old, from, error);
      throw error;
    }
  }

  /** `old`: the rounds of `before`, which have stopped. */
  async #goBack(before: Setup, old: Rounds, from: number, cause: unknown): Promise<void> {
    try {
      this.rounds = await this.#parts.open(before, this.source, old.memory.facts);
    } catch (error) {
      if (!isOutage(error)) {
        const message = "nothing is watched any more: neither configuration could be opened";
        throw new LostRoundsError(message, { cause });
      }
      // The store is gone since their last commit, which is all that there is to know.
      this.rounds = old.again();
    }
    this.#start(from);
  }

  #start(from: number): void {
    if (!this.#parts.stop.aborted) this.rounds.start(from);
  }

  #refuse(trouble: string | null): void {
    if (this.#parts.stop.aborted) throw new PostponedError("tickwatch is stopping");
    if (trouble !== null) throw new PostponedError(trouble);
  }
}

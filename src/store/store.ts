import type { Alert, Change, Message, Notice, RuleState, Run, SeriesName } from "../model.ts";

/**
 * The contract of a store: coarse, asynchronous, and the same for every keeper. One suite in
 * test/contract runs against each of them.
 */
export interface Store {
  /** Everything that a daemon keeps in memory. */
  load(): Promise<Loaded>;
  /**
   * The runs of each series that reach past `from` and, before them, the newest that ended
   * earlier; oldest first. A series without runs is absent.
   */
  window(series: readonly number[], from: number): Promise<ReadonlyMap<number, readonly Run[]>>;
  /**
   * The clock was set back to `now`: of these series what is dated later is dated `now`, and of
   * several such samples the last one stays. May be done again. Throws StoreError.
   */
  rewind(series: readonly number[], now: number): Promise<void>;
  /** All of it or nothing, durable once it resolves. Throws StoreError. */
  commit(change: Change): Promise<void>;
  /** What a channel's loop should do next; repeats itself until something is settled. */
  claim(channel: string, now: number): Promise<Claim>;
  /** Writes a new message down before its first send: its notices now belong to it. */
  freeze(message: Message, now: number): Promise<void>;
  /** What came of a send. */
  settle(message: string, result: Settlement): Promise<void>;
  /** Makes everything of a channel due that waits for a retry: a restart is a reason to try. */
  wake(channel: string): Promise<void>;
  /** Notices not yet delivered, by channel. */
  owed(): Promise<ReadonlyMap<string, number>>;
  /** Deletes runs, rounds and settled notices that ended before `before`; returns rows deleted. */
  prune(before: number): Promise<number>;
  close(): Promise<void>;
}

export interface Loaded {
  readonly alerts: readonly Alert[];
  readonly rules: readonly RuleState[];
  readonly series: readonly SeriesName[];
  /** The newest run of each series. */
  readonly newest: ReadonlyMap<number, Run>;
  /** By subject. */
  readonly cursors: ReadonlyMap<string, string>;
  readonly marks: ReadonlyMap<string, string>;
}

/** A claim shows so many notices at most. */
export const MOST_CLAIMED = 200;

/** What a store has that nothing was written to. */
export const NOTHING_LOADED: Loaded = {
  alerts: [],
  rules: [],
  series: [],
  newest: new Map(),
  cursors: new Map(),
  marks: new Map(),
};

export type Claim =
  /** A frozen message that is due (again). */
  | { readonly kind: "message"; readonly message: Message }
  /** The notices that are in no message yet, oldest first, one at least and a bounded number. */
  | { readonly kind: "notices"; readonly notices: readonly [Notice, ...Notice[]] }
  /** Nothing is due; `until` is when the next retry is, null while nothing is owed. */
  | { readonly kind: "idle"; readonly until: number | null };

export type Settlement =
  | { readonly status: "sent"; readonly at: number }
  | { readonly status: "waiting"; readonly until: number; readonly error: string }
  | { readonly status: "dead"; readonly at: number; readonly error: string };

/** The store cannot be used. `reason` decides what the user is told to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  constructor(
    readonly reason: "leased" | "newer" | "corrupt" | "unwritable" | "fenced" | "no_driver",
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

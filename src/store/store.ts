import type {
  Alert,
  Change,
  Command,
  CommandPlace,
  Message,
  Notice,
  RuleState,
  Run,
  SeriesName,
  Silence,
} from "../model/index.ts";

/**
 * The contract of a store: coarse, asynchronous, and the same for every keeper. One suite in
 * test/store/store-suite.ts runs against each of them.
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
  /** What a channel's loop should do next, with `most` notices at most; repeats itself until something is settled. */
  claim(channel: string, now: number, most?: number): Promise<Claim>;
  /** Writes a new message down before its first send: its notices now belong to it. */
  freeze(message: Message, now: number): Promise<void>;
  /** What came of a send. */
  settle(message: string, result: Settlement): Promise<void>;
  /** Makes everything of a channel due that waits for a retry: a restart is a reason to try. */
  wake(channel: string): Promise<void>;
  /**
   * These notices of a channel, in no message yet, wait until then: `claim` leaves them out, and `held`
   * shows them from that time on. Ending a silence early makes it come at once.
   */
  hold(channel: string, notices: readonly string[], until: number): Promise<void>;
  /**
   * Held notices of the channel whose time has come, and with them all others that are held for the
   * same alerts, oldest first.
   */
  held(channel: string, now: number): Promise<readonly Notice[]>;
  /** Ends the holding of notices: `keep` are owed as ever, `drop` no more, `add` are owed in their place. */
  release(channel: string, released: Released): Promise<void>;
  /** The alerts of a rule as they are kept by now; absent: nobody else writes any. */
  alertsOf?(rule: string): Promise<readonly Alert[]>;
  /** How many alerts of each of these rules are kept by now, 0 left out; absent: nobody else writes any. */
  alertCounts?(rules: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** What `Change.marks` last said under one name; null: nothing. */
  mark(subject: string): Promise<string | null>;
  /** The silences in force at `now`. */
  silences(now: number): Promise<readonly Silence[]>;
  /** The commands that nobody has carried out yet, oldest first; `place`: there, where several daemons share the work. */
  commands(place?: CommandPlace): Promise<readonly Command[]>;
  /** Which of these ids notices have that were ever put, delivered or not, until they are pruned. */
  taken(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Notices not yet delivered, by channel. */
  owed(): Promise<ReadonlyMap<string, number>>;
  /** Everything that is owed, for who goes on without the store. */
  backlog(): Promise<Backlog>;
  /**
   * Deletes runs, rounds, settled notices, what became of alerts and rules, silences and commands that ended
   * before `before`; returns rows deleted.
   */
  prune(before: number): Promise<number>;
  close(): Promise<void>;
}

/** What is owed at one moment, in the order in which it came. */
export interface Backlog {
  readonly notices: readonly BacklogNotice[];
  /** Those that are not settled, by the order of freezing. */
  readonly messages: readonly { readonly message: Message; readonly until: number | null }[];
}

export interface BacklogNotice {
  readonly notice: Notice;
  readonly owed: readonly {
    readonly channel: string;
    /** The message that it is in; null: in none yet. */
    readonly message: string | null;
    readonly heldUntil: number | null;
  }[];
}

export const NO_BACKLOG: Backlog = { notices: [], messages: [] };

export interface Released {
  readonly keep: readonly string[];
  readonly drop: readonly string[];
  readonly add: readonly Notice[];
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
  /** From here on new series are numbered; absent: after the greatest that there is. */
  readonly nextSeries?: number;
  /** Where several daemons share the work: by rule the last round in each slot. */
  readonly slotRounds?: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/** A claim shows so many notices at most, unless it asks for more. */
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
  /**
   * Nothing is due; `until` is when the next retry or, with `held`, the end of the next hold is, null: none
   * is. Retries wait on the clock of the outbox, holds on that of silences and mutes.
   */
  | { readonly kind: "idle"; readonly until: number | null; readonly held?: true };

export type Settlement =
  /** `note`: what went wrong all the same. */
  | { readonly status: "sent"; readonly at: number; readonly note?: string }
  /** `at`: when the send ended. */
  | {
      readonly status: "waiting";
      readonly at: number;
      readonly until: number;
      readonly error: string;
    }
  | { readonly status: "dead"; readonly at: number; readonly error: string };

export interface StoreErrorOptions extends ErrorOptions {
  readonly settled?: () => Promise<boolean>;
}

/** The store cannot be used. `reason` decides what the user is told to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  /**
   * The connection was lost in a commit, and nothing tells yet whether it was done: true or false once the store
   * can be asked, until then it throws StoreError. Before that nothing of the same must be written again.
   */
  readonly settled: (() => Promise<boolean>) | undefined;
  constructor(
    readonly reason:
      | "leased"
      | "newer"
      /** Of a format from before those that are upgraded. */
      | "older"
      | "corrupt"
      | "unwritable"
      /** Its file was deleted while it was open. */
      | "gone"
      | "fenced"
      | "no_driver",
    message: string,
    options?: StoreErrorOptions,
  ) {
    super(message, options);
    this.settled = options?.settled;
  }
}

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { ChannelKind } from "../channels/channel.ts";
import type { Rounds } from "../commit/rounds.ts";
import type { Source } from "../fetch/source.ts";
import type { AddressedNotice, Message, RoundRecord, Setup } from "../model/index.ts";
import type { DecidedWork } from "../poll/plan.ts";
import type { Store, StoreError } from "../store/store.ts";
import type { ClusterSeat } from "./cluster-seat.ts";
import type { LoadedFiles } from "./reload/files.ts";
import type { ReloadingParts } from "./reload/reloading.ts";
import type { Differences } from "./reload/setup-parts.ts";

/** What a run of the daemon is made from; tests and the demo bring their own parts. */
export interface AppOptions {
  readonly setup: Setup;
  readonly log: Log;
  /** Rounds, windows and timers run on it; default: the system's. */
  readonly clock?: Clock;
  /** Retries and the waits between sends run on it; default: real time, in which receivers live. */
  readonly outboxClock?: Clock;
  /** Where console channels print, and whether a terminal shows it. */
  readonly print: (text: string) => void;
  readonly colours: boolean;
  /** Default: the service over HTTP. */
  readonly source?: Source;
  /** Default: the one at `setup.store`. */
  readonly store?: Store;
  /** Absent: no other daemon works on the store. */
  readonly cluster?: ClusterSeat;
  readonly channels?: ReadonlyMap<string, ChannelKind>;
  /** False: rounds are run by hand (`rounds.once()`), and nobody looks at the daemon. */
  readonly schedule?: boolean;
  /** How the configuration is read again, and the files that `setup` was read from; absent: it never is. */
  readonly reload?: { readonly load: ReloadingParts["load"]; readonly files: LoadedFiles };
  /** False: it does not look after itself, as on a fast clock, where every poll is late. */
  readonly selfChecks?: boolean;
  readonly onDecided?: (decided: readonly DecidedWork[]) => void;
  readonly onRound?: (record: RoundRecord) => void;
  readonly onNotices?: (tellings: readonly AddressedNotice[]) => void;
  readonly onDelivered?: (message: Message) => void;
  /** What the source is still reading of the past, a line each; default: it tells nothing. */
  readonly reading?: () => readonly string[];
  /** Aborted when it is to be stopped, perhaps while it is still starting. */
  readonly stop?: AbortSignal;
  /** The daemon cannot go on; it must be stopped. */
  readonly onFatal?: (error: unknown) => void;
}

export interface App {
  /** Those that run at the moment. */
  readonly rounds: Rounds;
  /**
   * Goes over to another configuration, as a restart does but with everything that is the same left
   * running: all of it or nothing. Resolves to what was different. Throws PostponedError where it is no time
   * for it, and whatever kept it from being done; what ran before goes on then.
   */
  follow(next: Setup): Promise<Differences>;
  /** Reads the configuration again and follows it; resolves once that is done or refused, which is logged. */
  reload(): Promise<void>;
  /** Resolves once nothing is owed that could be delivered now. */
  delivered(): Promise<void>;
  /**
   * Finishes the running commit and the send in flight; at most about 4 seconds. Resolves to why something
   * that was kept in memory could not be written down, or to null.
   */
  stop(): Promise<StoreError | null>;
}

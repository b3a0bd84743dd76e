import type { Clock } from "../base/clock.ts";
import { type Store, StoreError } from "./store.ts";

/** What a store that outlives its disk is made of. */
export interface FailoverParts {
  readonly store: Store;
  /** Opens what `store` was opened on once more, after it was closed; absent: it cannot be. */
  readonly reopen?: () => Promise<Store>;
  /** Whether a channel's messages are this process's to send when the store can be reached; absent: all are. */
  readonly isOurs?: (channel: string) => boolean;
  /**
   * Nothing is sent while the store cannot be written: whoever writes to it next might send the same. Absent: all is
   * sent from memory.
   */
  readonly holdsSending?: boolean;
  /** A clock of real time. */
  readonly clock: Clock;
  /** The store could not be written, and from now on memory stands in for it. */
  readonly onOutage: (error: StoreError) => void;
  /** All of it is written; `lostSamples`: except samples, of which there were too many. */
  readonly onOver: (lostSamples: boolean) => void;
  /** Something that was done meanwhile can never be written down. */
  readonly onTrouble: (error: unknown) => void;
}

/** The disk or the file is at fault, so memory can stand in. */
export function isOutage(error: unknown): error is StoreError {
  return error instanceof StoreError && OUTAGES.has(error.reason);
}

const OUTAGES: ReadonlySet<StoreError["reason"]> = new Set(["unwritable", "corrupt", "gone"]);

import type { Registered } from "./leases.ts";
import type { BehindSlots } from "./rollout.ts";

/** What a member holds. */
export interface Holding {
  /** The number of the configuration by which it is decided. */
  readonly config: number;
  /** The names of leases with the epoch of each. */
  readonly held: ReadonlyMap<string, number>;
  /** Those of the slots whose state is that of the configuration already. */
  readonly current: ReadonlySet<string>;
  /** Slots that others still decide by older configurations. What is decided there must not be decided here. */
  readonly behind: BehindSlots;
}

/** Who does the work of a member. */
export interface Worker {
  /**
   * Goes over to these leases. Once it resolves nothing is decided or sent for others, and all is written. Rejects
   * where it is no time for it: then what was held before still is.
   */
  hold(holding: Holding): Promise<void>;
  /** Why it could not decide by that configuration; null: it could. `files`: its text, null: that is not kept. */
  prepare(config: Registered, files: () => Promise<string | null>): Promise<string | null>;
  /**
   * Decides by that configuration from now on, which is prepared, and by no other one once it resolves. Rejects where
   * it is no time for it, or it cannot be done: then nothing has changed.
   */
  adopt(hash: string, holding: Holding): Promise<void>;
  /** The slots of which something waits until others decide by this configuration as well. */
  waiting(): ReadonlySet<string>;
  /** The state of all slots, whoever has them, is that of the configuration in force. */
  settled(): void;
  /** Somebody has written notices. */
  noticed(): void;
  /** A daemon does not answer any more; others take over what it did. */
  buried(name: string): void;
  /** The newest configuration does not go into force since these daemons cannot decide by it. */
  heldUp(by: readonly string[]): void;
  /** How many subjects are watched. */
  subjects(): number;
}

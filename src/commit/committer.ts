import { setImmediate as breathe } from "node:timers/promises";
import type { AddressedNotice, Change, RoundRecord, Setup } from "../model/index.ts";
import type { DecidedWork } from "../poll/plan.ts";
import type { Store } from "../store/store.ts";

/** What the rounds tell of, as it happens. */
export type RoundsEvent =
  /** The start is told, and the schedules go on from it; not where it is interrupted. */
  | { readonly kind: "started" }
  /** A slice of a round is committed, and the memory is still as it was judged. */
  | { readonly kind: "judged"; readonly decided: readonly DecidedWork[] }
  /** A slice of a round is decided and committed. */
  | { readonly kind: "decided"; readonly decided: readonly DecidedWork[] }
  /** Notices are owed from now on. */
  | { readonly kind: "notices"; readonly notices: Change["notices"] }
  | { readonly kind: "round"; readonly record: RoundRecord }
  /** Commands that people gave are carried out. */
  | { readonly kind: "carried_out" }
  /** The store refused a commit; whoever hears it decides whether to go on. */
  | { readonly kind: "refused"; readonly error: unknown };

export type OnRoundsEvent = (event: RoundsEvent) => void;

/** Of a setup what says who is told. */
type Addressees = Pick<Setup, "channels" | "rules" | "selfNotify">;

/**
 * Lets one slice at a time decide and commit, each on what the last one has committed: polls may
 * overlap, decisions may not.
 */
export class Committer {
  #tail: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: Store,
    private readonly onEvent: OnRoundsEvent,
    private readonly addressees: Addressees,
  ) {}

  /**
   * Runs `decide` when its turn has come, commits what it returns, and then `apply`: memory
   * follows the commit. Rejects with what `decide` or the store threw; later turns go on.
   */
  take<T extends { readonly change: Change }>(
    decide: (store: Store) => T | Promise<T>,
    apply: (decided: T) => void,
  ): Promise<void> {
    const turn = this.#tail.then(async () => {
      // Those that are ready together would hold the event loop until the last of them is committed.
      await breathe();
      const decided = await decide(this.store);
      const notices = withHeirs(decided.change.notices, this.addressees);
      await this.store.commit({ ...decided.change, notices });
      apply(decided);
      if (notices.length > 0) this.onEvent({ kind: "notices", notices });
    });
    this.#tail = turn.catch(() => {});
    return turn;
  }

  /** The same, for who needs only to know whether it is committed: why not is told as an event. */
  async commit<T extends { readonly change: Change }>(
    decide: (store: Store) => T | Promise<T>,
    apply: (decided: T) => void = () => {},
  ): Promise<boolean> {
    try {
      await this.take(decide, apply);
      return true;
    } catch (error) {
      this.onEvent({ kind: "refused", error });
      return false;
    }
  }

  /** Resolves when the turns taken so far are over. */
  async settled(): Promise<void> {
    await this.#tail;
  }
}

/**
 * The same notices: one for a channel that is not configured any more goes as well to those that its rule, or the daemon,
 * tells now. A channel that has another name must not leave a firing without its end, or an incident open.
 */
function withHeirs(
  notices: readonly AddressedNotice[],
  { channels, rules, selfNotify }: Addressees,
): readonly AddressedNotice[] {
  const configured = new Set(channels.map(({ name }) => name));
  const isReached = ({ channels: named }: AddressedNotice): boolean =>
    named.every((name) => configured.has(name));
  if (notices.every(isReached)) return notices;
  const told = new Map(rules.map(({ name, notify }) => [name, notify]));
  return notices.map((one) => {
    if (isReached(one)) return one;
    const { rule } = one.notice;
    const heirs = rule === null ? selfNotify : told.get(rule);
    return { ...one, channels: [...new Set([...one.channels, ...(heirs ?? [])])] };
  });
}

import type { Clock } from "../base/clock.ts";
import { SECOND } from "../base/duration.ts";
import { configurationText } from "../cluster/configuration-text.ts";
import type { Setup } from "../model/index.ts";
import { type Differences, differences } from "./reload/setup-parts.ts";

export interface OwnConfigurationParts {
  readonly clock: Clock;
  /** By which the daemon decides at the moment. */
  readonly setup: () => Setup;
  /** One after the other with what else changes the setup. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** How many other daemons share the work. */
  readonly others: () => number;
}

/** Daemons whose files are as they were answer after those that have something to say. */
const UNEDITED_MS = 3 * SECOND;
const OLDER_MS = 6 * SECOND;

/** What the files of a daemon say, of which another one may have newer ones by now. */
export class OwnConfiguration {
  #hash: string;
  #stop = (): void => {};
  readonly #stopped = new Promise<void>((resolve) => {
    this.#stop = resolve;
  });

  /** The daemon starts with the files that say what is in force in it. */
  constructor(private readonly parts: OwnConfigurationParts) {
    this.#hash = configurationText(parts.setup());
  }

  /** See `configurationText`. */
  get hash(): string {
    return this.#hash;
  }

  /**
   * The files say `next`: an edit, or what somebody insists on, is to be in force for all, and `propose` sees to it, which
   * resolves to the daemons for whom that waits. Files that are as they were change nothing where others have newer ones.
   * Resolves to what is different. `follow` goes over to it, as one of those things that come one after the other.
   */
  async load(
    next: Setup,
    isForced: boolean,
    follow: () => Promise<Differences>,
    propose: (hash: string) => Promise<readonly string[]>,
  ): Promise<Differences> {
    const { setup, inTurn, others } = this.parts;
    const hash = configurationText(next);
    const isEdited = isForced || hash !== this.#hash;
    const isInForce = (): boolean => hash === configurationText(setup());
    // Whoever asked all of them hears of the one that was edited.
    if (!isEdited && others() > 0) await this.#pause(isInForce() ? UNEDITED_MS : OLDER_MS);
    // It may have gone over to another one meanwhile, to which it must not go back by itself.
    const same = await inTurn(async () => (isInForce() ? await follow() : null));
    const before = setup();
    if (same === null && !isEdited) return { ...differences(before, before), isOlder: true };
    const what = same ?? differences(before, next);
    if (!isEdited) return what;
    this.#hash = hash;
    return { ...what, waitsFor: await propose(hash) };
  }

  /** Nobody is waited for any more. */
  stop(): void {
    this.#stop();
  }

  async #pause(ms: number): Promise<void> {
    let cancel = (): void => {};
    const over = new Promise<void>((resolve) => {
      cancel = this.parts.clock.after(ms, resolve);
    });
    await Promise.race([over, this.#stopped]);
    cancel();
  }
}

import type { Log } from "../base/log.ts";
import { StoreError } from "../store/store.ts";

type Stop = () => Promise<unknown>;

/** The parts of a daemon that runs, and their end. */
export class RunningParts {
  readonly #working: Stop[] = [];
  readonly #used: Stop[] = [];
  #lost: StoreError | null = null;

  constructor(private readonly log: Log) {}

  /** Something that works: all such parts stop together. */
  works(stop: Stop): void {
    this.#working.push(stop);
  }

  /** Something that the others work with: such parts stop after them, one after the other. */
  uses(stop: Stop): void {
    this.#used.push(stop);
  }

  /** Resolves to why something that was kept in memory could not be written down, or to null. */
  async stop(): Promise<StoreError | null> {
    await Promise.all(this.#working.splice(0).map((stop) => this.#end(stop)));
    for (const stop of this.#used.splice(0)) await this.#end(stop);
    return this.#lost;
  }

  async #end(stop: Stop): Promise<void> {
    try {
      await stop();
    } catch (error) {
      this.log.error({ err: error }, "a part did not stop");
      if (error instanceof StoreError) this.#lost = error;
    }
  }
}

import { startCluster } from "../commit/cluster-start.ts";
import { KINDS } from "../kinds/index.ts";
import type { ClusterWorkParts } from "./cluster-seat.ts";

/** What of a start one of several daemons does for all of them: it writes down which rules are watched, and tells of it. */
export class SharedStart {
  #running = new AbortController();
  #last: Promise<void> = Promise.resolve();

  /** Once more, on all that is watched now; one that goes on ends first. */
  begin({ setup, source, store, clock, onEvent, log }: ClusterWorkParts): void {
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    const start = { setup: setup(), kinds: KINDS, source: source(), store, clock, onEvent };
    this.#last = this.#last.then(() =>
      startCluster({ ...start, signal }).catch((error: unknown) => {
        log.error({ err: error }, "cannot tell people of the start");
      }),
    );
  }

  /** Another daemon does it. */
  abort(): void {
    this.#running.abort();
  }

  /** Resolves once nothing of it goes on. */
  async stop(): Promise<void> {
    this.abort();
    await this.#last;
  }
}

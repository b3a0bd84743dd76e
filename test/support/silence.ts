import type { Clock } from "../../src/base/clock.ts";

/** For requests that are answered: so long that none misses it, however busy the machine is. */
const PATIENCE_MS = 60_000;
/** For what is sent of an answer that never ends. */
const LINGER_MS = 50;

/**
 * The time limits of requests in a world in which, at times, nobody answers. Then a limit is over once all requests
 * under way have arrived, so that no round ends before its requests are written down; at other times it never is.
 */
export class Silence {
  #begun = 0;
  #arrived = 0;
  readonly #waiting = new Set<() => void>();

  /** `longestMs`: where nobody says that a request has arrived, its limit is over after so long. */
  constructor(
    private readonly isSilent: () => boolean,
    private readonly longestMs = PATIENCE_MS,
  ) {}

  readonly after: Clock["after"] = (_, wake) => {
    const isSilent = this.isSilent();
    const timer = setTimeout(wake, isSilent ? this.longestMs : PATIENCE_MS);
    if (!isSilent) return () => clearTimeout(timer);
    this.#begun += 1;
    this.#waiting.add(wake);
    return () => {
      clearTimeout(timer);
      this.#waiting.delete(wake);
    };
  };

  /** Nothing is going to be answered to one that has arrived. */
  arrive(): void {
    this.#arrived += 1;
    if (this.#arrived < this.#begun) return;
    const due = [...this.#waiting];
    setTimeout(() => {
      for (const end of due) if (this.#waiting.delete(end)) end();
    }, LINGER_MS);
  }
}

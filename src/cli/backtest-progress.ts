import { formatDuration, SECOND } from "../base/duration.ts";
import type { Span } from "./backtest-run.ts";
import type { Io } from "./io.ts";

/** Nothing is said of work that is over sooner, in real milliseconds. */
const FIRST_MS = 2_000;
const BETWEEN_MS = 500;

/** Says on a terminal how far a replay has come, and how long it still takes. */
export class Progress {
  readonly #began = performance.now();
  #said = 0;

  constructor(
    private readonly io: Pick<Io, "err" | "errTerminal">,
    private readonly span: Span,
  ) {}

  at(date: number): void {
    const now = performance.now();
    const took = now - this.#began;
    if (!this.io.errTerminal || took < FIRST_MS || now - this.#said < BETWEEN_MS) return;
    this.#said = now;
    const { from, to } = this.span;
    const share = (date - from) / (to - from);
    if (share <= 0) return;
    const left = Math.max(SECOND, (took * (1 - share)) / share);
    const percent = Math.floor(100 * share);
    const rest = formatDuration(Math.round(left / SECOND) * SECOND);
    this.io.err(`\r\u001b[Kreplaying: ${percent}%, about ${rest} left`);
  }

  end(): void {
    if (this.#said > 0) this.io.err("\r\u001b[K");
  }
}

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
    const percent = Math.floor(100 * share);
    this.io.err(`\r\u001b[Kreplaying: ${percent}%, ${leftText(took, share)}`);
  }

  end(): void {
    if (this.#said > 0) this.io.err("\r\u001b[K");
  }
}

/** Says on a terminal how many requests were answered, and how long the lists of entries still take. */
export class AskProgress {
  readonly #began = performance.now();
  /** How much was read of each list, 0 to 1. */
  readonly #lists = new Map<string, number>();

  constructor(private readonly io: Pick<Io, "err" | "errTerminal">) {}

  asked(done: number, of: number): void {
    if (!this.io.errTerminal) return;
    const took = performance.now() - this.#began;
    const share = Math.min(1, ...this.#lists.values());
    const left = took < FIRST_MS || share <= 0 || share >= 1 ? "" : `, ${leftText(took, share)}`;
    this.io.err(`\r\u001b[Kasking the service: ${done} of ${of}${left}`);
  }

  list(key: string, share: number): void {
    this.#lists.set(key, share);
  }

  end(): void {
    if (this.io.errTerminal) this.io.err("\r\u001b[K");
  }
}

function leftText(tookMs: number, share: number): string {
  const left = Math.max(SECOND, (tookMs * (1 - share)) / share);
  return `about ${formatDuration(Math.round(left / SECOND) * SECOND)} left`;
}

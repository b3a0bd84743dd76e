import { inspect } from "node:util";

/**
 * A value that must not be printed. Whatever turns it into text, JSON or a debug view gets
 * `[redacted]`; only `reveal()` gives it away, at the place that sends it.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "[redacted]";
  }

  toJSON(): string {
    return "[redacted]";
  }

  [inspect.custom](): string {
    return "[redacted]";
  }
}

import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { cleanText } from "../base/text.ts";
import type { Prompts } from "./init/prompts.ts";

/** What a command has of the outside world; tests bring their own. */
export interface Io {
  /** Whole lines for the user's eyes or another program. */
  readonly out: (text: string) => void;
  /** Problems, progress and logs. */
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether `out` leads to a terminal that shows colours. */
  readonly colours: boolean;
  /** How many columns the terminal has that `out` leads to; absent: it leads to none. */
  readonly columns?: number | undefined;
  /** Whether `err` leads to a terminal, and one that shows colours. */
  readonly errTerminal: boolean;
  readonly errColours: boolean;
  /**
   * From this call on the first SIGINT or SIGTERM aborts what it returns, and only the second ends the
   * program at once; until then, and for commands that have nothing to bring to an end, the first does.
   */
  readonly stop: () => AbortSignal;
  /** From this call on SIGHUP ends nothing and is told to `listener`. */
  readonly onHangup: (listener: () => void) => void;
  /** Asks the user; absent where no terminal is both read and written, so that nobody can be asked. */
  readonly prompts?: () => Promise<Prompts>;
  /** Aborted when nobody reads `out` any more. */
  readonly unread: AbortSignal;
}

/** docs/config: 0 fine, 1 found something, 2 usage or configuration, 3 unreachable, 4 database. */
export const EXIT = { fine: 0, found: 1, usage: 2, unreachable: 3, database: 4 } as const;

/** Resolves when the user wants the program to end, or after `ms` real milliseconds. */
export async function untilStopped(stop: AbortSignal, ms?: number): Promise<void> {
  if (stop.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = ms === undefined ? undefined : setTimeout(end, ms);
    // Without a timer or a socket Node would see nothing left to do and leave.
    const awake = setInterval(() => {}, 1_000_000);
    function end(): void {
      clearTimeout(timer);
      clearInterval(awake);
      stop.removeEventListener("abort", end);
      resolve();
    }
    stop.addEventListener("abort", end);
  });
}

/** A stream for the log that writes through `write`. */
export function writer(write: (text: string) => void): (text: string) => boolean {
  return (text) => {
    write(text);
    return true;
  };
}

const LONGEST_AUTHOR = 100;

/** Who gives a command: as it was said, else the name of the user whose process it is. */
export function authorOf(given: string | undefined): string {
  const author = cleanText(given ?? "", LONGEST_AUTHOR);
  if (author !== "") return author;
  try {
    return cleanText(userInfo().username, LONGEST_AUTHOR) || "somebody";
  } catch {
    // A container may run as a user that has no name.
    return "somebody";
  }
}

/** The version in package.json. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const parsed: unknown = JSON.parse(text);
  return typeof parsed === "object" && parsed !== null && "version" in parsed
    ? String(parsed.version)
    : "unknown";
}

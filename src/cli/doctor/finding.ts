import { EXIT } from "../io.ts";

/** What one check found. */
export interface Finding {
  /** What was looked at. */
  readonly what: string;
  readonly state: "ok" | "warning" | "failed" | "skipped";
  /** What was seen, and what to do where something is wrong. */
  readonly says: string;
  /** The exit code that a failure stands for. */
  readonly code?: number;
}

export function fine(what: string, says: string): Finding {
  return { what, state: "ok", says };
}

export function warning(what: string, says: string): Finding {
  return { what, state: "warning", says };
}

export function failed(what: string, says: string, code: number = EXIT.found): Finding {
  return { what, state: "failed", says, code };
}

export function skipped(what: string, says: string): Finding {
  return { what, state: "skipped", says };
}

/** The words of an error, in one line. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n", 1)[0] ?? "";
}

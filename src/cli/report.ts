import { countOf } from "../base/text.ts";
import {
  ConfigError,
  formatProblem,
  MOST_PROBLEMS,
  type Problem,
} from "../config/files/text-file.ts";
import type { Failure, RoundRecord, Setup } from "../model/index.ts";
import { StoreError } from "../store/store.ts";
import { EXIT, type Io } from "./io.ts";

/** Tells the user what went wrong, and gives the exit code that belongs to it. */
export function reportError(error: unknown, io: Io, debug: boolean): number {
  if (error instanceof ConfigError) {
    io.err(`${error.problems.map(formatProblem).join("\n")}\n`);
    if (error.more > 0) io.err(`… and ${error.more} more\n`);
    io.err(`${countOf(error.problems.length + error.more, "problem")} found.\n`);
    return EXIT.usage;
  }
  const message = error instanceof Error ? error.message : String(error);
  io.err(`tickwatch: ${message}\n`);
  if (debug && error instanceof Error) io.err(`${error.stack ?? ""}\n`);
  return error instanceof StoreError ? EXIT.database : EXIT.found;
}

export function reportWarnings(warnings: readonly Problem[], io: Io): void {
  const listed = warnings.slice(0, MOST_PROBLEMS);
  for (const warning of listed) io.err(`warning: ${formatProblem(warning)}\n`);
  const more = warnings.length - listed.length;
  if (more > 0) io.err(`warning: … and ${more} more\n`);
}

/** Prints what was found: as JSON for `--json`, else for people. */
export function print(
  { json }: { readonly json?: boolean | undefined },
  io: Io,
  found: { readonly value: () => unknown; readonly page: () => string },
): void {
  io.out(`${json === true ? JSON.stringify(found.value()) : found.page()}\n`);
}

/** RFC 3339 in UTC; null for null. */
export function iso(at: number): string;
export function iso(at: number | null): string | null;
export function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** How many things the rules watch; what several rules watch counts once. */
export function subjectCount({ rules }: Pick<Setup, "rules">): number {
  return new Set(rules.flatMap(({ subjects }) => subjects.map(({ key }) => key))).size;
}

/** What rules watch, in counts: subjects, and owners whose positions are known when the daemon runs. */
export function subjectWords({ rules }: Pick<Setup, "rules">): readonly string[] {
  const named = subjectCount({ rules: rules.filter(({ owners }) => owners === undefined) });
  const count = new Set(
    rules.flatMap(({ owners = [] }) =>
      owners.map(({ chainId, address }) => `${chainId} ${address}`),
    ),
  ).size;
  if (count === 0) return [countOf(named, "subject")];
  const held = `positions of ${countOf(count, "owner")}`;
  return named === 0 ? [held] : [countOf(named, "subject"), held];
}

/** What a round took, and what could not be had. */
export function roundWords({ requests, subjects, failed, tookMs, failures }: RoundRecord): string {
  const counts = [countOf(subjects, "subject"), countOf(requests, "request"), `${tookMs} ms`];
  if (failed === 0) return counts.join(", ");
  const reasons = new Set(Object.values(failures).map(({ detail }: Failure) => detail));
  return `${counts.join(", ")}\n${countOf(failed, "record")} could not be fetched: ${[...reasons].join("; ")}`;
}

/** Columns of text for a terminal; the last one is not padded. Cells hold clean text. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) =>
    all.reduce((widest, row) => Math.max(widest, [...(row[column] ?? "")].length), 0),
  );
  return all
    .map((row) =>
      row
        .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - [...cell].length))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** One value of a line of CSV, quoted where it must be; what a spreadsheet would take for a formula is text. */
export function csvCell(text: string): string {
  const plain = /^[=+@\t]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

import { parseDuration, suggestDuration, writtenDuration } from "../../base/duration.ts";
import { cleanText } from "../../base/text.ts";
import type { Metric } from "../../kinds/kind.ts";
import type { Comparison, Span } from "../../model/index.ts";
import { errorAt, errorAtKey, type Path, type Report, shown, warningAt } from "../finding.ts";

/** How far apart the values are that a window can hold. */
export interface Pace {
  /** The distance of two rounds in milliseconds. */
  readonly intervalMs: number;
  /** The length of a bucket; null for state records. */
  readonly bucketMs: number | null;
}

/** A window of fewer rounds than this may have no confirmed value but the edges. */
const FEWEST_ROUNDS = 6;

/**
 * The span of a change from its `within` or `since`, exactly one of which must be there; null after
 * reporting what is wrong.
 */
export function compileSpan(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  op: string,
  pace: Pace,
  report: Report,
): Span | null {
  const hint = { expected: "within: 1h (against the extreme) or since: 1h (the net change)" };
  if ("within" in raw && "since" in raw) {
    report(
      errorAtKey("key-conflict", [...path, "since"], "within and since exclude each other", hint),
    );
    return null;
  }
  const key = "within" in raw ? "within" : "since" in raw ? "since" : null;
  if (key === null) {
    report(errorAtKey("needs-window", [...path, op], `${op} needs a window`, hint));
    return null;
  }
  const at = [...path, key];
  const text = raw[key];
  if (key === "since" && text === "last") return { kind: "since_last", text: "last" };
  const expected = key === "since" ? "a duration such as 1h, or last" : "a duration such as 1h";
  const window = compileDuration(text, at, expected, report);
  if (window === null || !checkStep(at, window.ms, pace, report)) return null;
  if (key === "within") lintRounds(at, window.ms, pace, report);
  return { kind: key, ms: window.ms, text: window.within };
}

/** How far back something looks, and that as the user wrote it. */
export interface Window {
  readonly ms: number;
  readonly within: string;
}

/** So many intervals a percentile needs to mean anything. */
const FEWEST_INTERVALS = 20;

/** The window of a percentile from its `within`; null after reporting what is wrong. */
export function compilePercentileSpan(
  raw: unknown,
  at: Path,
  { intervalMs, bucketMs }: Pace,
  report: Report,
): Window | null {
  const window = compileDuration(raw, at, "a duration such as 7d", report);
  const least = FEWEST_INTERVALS * (bucketMs ?? intervalMs);
  if (window === null || window.ms >= least) return window;
  const what = bucketMs === null ? "rounds" : "buckets";
  const message = `a percentile of fewer than ${FEWEST_INTERVALS} ${what} means nothing`;
  report(errorAt("window-too-short", at, message, `at least ${writtenDuration(least)}`));
  return null;
}

/** A duration above zero; null after reporting that it is none. */
function compileDuration(text: unknown, at: Path, expected: string, report: Report): Window | null {
  if (typeof text !== "string" || text === "") {
    report(errorAt("bad-duration", at, `${String(at.at(-1))} is not a duration`, expected));
    return null;
  }
  const ms = parseDuration(text);
  if (ms === null || ms === 0) {
    const bare = /^\d{1,9}$/.test(text) && ms === null;
    const message = bare ? `${shown(text)} has no unit` : `${shown(text)} is not a duration`;
    const suggestion = bare ? `${text}m` : suggestDuration(text);
    report(errorAt("bad-duration", at, message, { expected, suggestion }));
    return null;
  }
  return { ms, within: cleanText(text) };
}

/** Reports a window that is shorter than one step of the data; true if it is not. */
function checkStep(at: Path, ms: number, { intervalMs, bucketMs }: Pace, report: Report): boolean {
  const step = bucketMs ?? intervalMs;
  if (ms < step) {
    const what = bucketMs === null ? "the rule's schedule" : "one bucket of the data";
    report(
      errorAt(
        "window-too-short",
        at,
        `the window is shorter than ${what}`,
        `at least ${writtenDuration(step)}`,
      ),
    );
    return false;
  }
  return true;
}

function lintRounds(at: Path, ms: number, { intervalMs, bucketMs }: Pace, report: Report): void {
  if (bucketMs !== null || ms >= FEWEST_ROUNDS * intervalMs) return;
  report(
    warningAt(
      "window-too-short",
      at,
      `the window holds fewer than ${FEWEST_ROUNDS} rounds`,
      `at least ${writtenDuration(FEWEST_ROUNDS * intervalMs)}, or a shorter schedule`,
    ),
  );
}

/** `unchanged: 2h`; null after reporting what is wrong. */
export function compileUnchanged(
  raw: unknown,
  at: Path,
  metric: Metric,
  pace: Pace,
  report: Report,
): Comparison | null {
  const window = compileDuration(raw, at, "a duration such as 2h", report);
  if (window === null || !checkStep(at, window.ms, pace, report)) return null;
  return { op: "unchanged", metric: metric.name, ms: window.ms, text: window.within };
}

/**
 * `no_update_for: 1h`, which looks at the record's own time and names no metric. Null after reporting
 * what is wrong, such as a kind whose records tell no time.
 */
export function compileSilence(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  context: {
    readonly kind: string;
    readonly ownTime?: string | undefined;
    readonly report: Report;
  },
): Comparison | null {
  const { kind, ownTime, report } = context;
  const at = [...path, "no_update_for"];
  if (ownTime === undefined) {
    const message = `the records of ${kind} do not tell when they last changed`;
    report(errorAtKey("no-own-time", at, message, "unchanged: 2h, which looks at the values"));
    return null;
  }
  if ("metric" in raw && raw.metric !== ownTime) {
    const what = typeof raw.metric === "string" ? shown(raw.metric) : "another metric";
    const message = `no_update_for looks at ${ownTime}, not at ${what}`;
    report(errorAt("key-conflict", [...path, "metric"], message, "no metric beside it"));
    return null;
  }
  const window = compileDuration(raw.no_update_for, at, "a duration such as 1h", report);
  if (window === null) return null;
  return { op: "no_update_for", metric: ownTime, ms: window.ms, text: window.within };
}

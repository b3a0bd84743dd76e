import { nearest } from "../base/nearest.ts";
import type { WatchKind } from "../kinds/kind.ts";
import { heldRules } from "../kinds/owned.ts";
import type { Holdings, Place, Rule } from "../model/index.ts";
import { errorAt, errorAtKey, type Path, type Report, shown } from "../rules/finding.ts";
import { lengthOf, offsetText, parseOffset } from "./notation.ts";
import { readExpected } from "./read-expected.ts";
import { readGiven } from "./read-given.ts";
import { heldLater, readHeld, together } from "./read-held.ts";
import {
  nameOf,
  type RawMap,
  readList,
  readMap,
  readOffset,
  readSubjects,
  readText,
} from "./reading.ts";
import type { CaseFault, CaseStep, SubjectGiven, TestCase } from "./rule-test.ts";
import { askedFor, type NamedSubject, subjectsOf } from "./subjects.ts";

export const CASE_KEYS = [
  "name",
  "rule",
  "values",
  "answers",
  "held",
  "steps",
  "expect",
  "until",
  "every",
] as const;

/** What the cases of a file share. */
export interface CaseContext {
  readonly kinds: ReadonlyMap<string, WatchKind>;
  readonly rules: readonly Rule[];
  readonly start: number;
  readonly everyMs: number;
  readonly place: (path: Path) => Place;
}

/** More rounds than a year has minutes are a slip of the keyboard. */
const LONGEST_MS = 366 * 86_400_000;

/** Reads one case; null if it cannot be run, which was reported. */
export function readCase(
  raw: unknown,
  path: Path,
  context: CaseContext,
  tell: Report,
): TestCase | null {
  let failed = false;
  const report: Report = (finding) => {
    failed ||= finding.level === "error";
    tell(finding);
  };
  const map = readMap(raw, path, "a case", CASE_KEYS, report);
  if (map === null) return null;
  const namePath = [...path, "name"];
  const name = readText(map.name, namePath, "a few words: what is to be seen here", report);
  if (map.name === undefined) {
    report(errorAt("missing-key", namePath, "is missing", "a few words: what is to be seen here"));
  }
  const wanted = readRules(map.rule, [...path, "rule"], context.rules, report);
  const owners = { rules: wanted, kinds: context.kinds };
  const held = readHeld(map.held, [...path, "held"], owners, report);
  const everyMs = readOffset(map.every, [...path, "every"], report) ?? context.everyMs;
  if (everyMs < 1_000) {
    report(errorAt("out-of-range", [...path, "every"], "is too short", "a second at least"));
  }
  const later = heldLater(map.steps, [...path, "steps"], owners, report);
  if (failed) return null;
  const all = [held, ...later.values()].filter((one) => one !== null);
  const rules = heldRules(wanted, together(all), context.kinds);
  const subjects = subjectsOf(rules, context.kinds);
  const asked = askedFor(subjects, rules);
  const given = readGiven(map.values, map.answers, { subjects: asked, everyMs }, path, report);
  const names = { subjects, rules: rules.map((rule) => rule.name), later };
  const steps = readSteps(map.steps, [...path, "steps"], names, report);
  const expected = readExpected(
    map.expect,
    [...path, "expect"],
    { ...names, place: context.place },
    report,
  );
  const until = readOffset(map.until, [...path, "until"], report) ?? lastStep(given);
  if (until === null && !failed) {
    const example = "a time such as 30m: what a case without values runs to";
    report(errorAt("missing-key", [...path, "until"], "is missing", example));
  } else if (until !== null && until > LONGEST_MS) {
    report(errorAt("out-of-range", [...path, "until"], "the case is longer than a year", "less"));
  }
  if (failed || until === null || name === null) return null;
  const place = context.place(path);
  const body = { name, place, rules, held, start: context.start, until, given, steps, expected };
  return { ...body, fault: faultOf(body, path, context.place) };
}

/** What lies behind the end of a case: the others of the file run all the same. */
function faultOf(
  { start, until, given, steps, expected }: Omit<TestCase, "fault">,
  path: Path,
  place: (path: Path) => Place,
): CaseFault | null {
  const step = steps.find(({ at }) => at > until);
  if (step !== undefined)
    return { place: place([...path, "steps"]), message: lateWords("step", until) };
  // A date is of the daemon's clock, which a step may set.
  const isSet = steps.some(({ action }) => action.kind === "clock");
  const notice = expected.find(({ at }) =>
    "elapsed" in at ? at.elapsed > until : !isSet && at.date - start > until,
  );
  if (notice !== undefined) return { place: notice.place, message: lateWords("notice", until) };
  const late = given.find(({ records }) =>
    [...records.values()].flat().some(({ at }) => at > until),
  );
  if (late === undefined) return null;
  const message = `${lateWords("last answer", until)} (${late.name})`;
  return { place: place([...path, "answers"]), message };
}

function lateWords(what: string, until: number): string {
  return `the ${what} lies behind the end of the case, which is ${offsetText(until)} after its start`;
}

/** The last moment of the longest series; null: there is none. */
function lastStep(given: readonly SubjectGiven[]): number | null {
  const ends = given.flatMap(({ series }) =>
    series.map(({ parts, everyMs }) => lengthOf(parts) * everyMs - 1),
  );
  return ends.length === 0 ? null : Math.max(...ends);
}

function readRules(
  raw: unknown,
  path: Path,
  all: readonly Rule[],
  report: Report,
): readonly Rule[] {
  if (raw === undefined) return all;
  const names = Array.isArray(raw) ? readList(raw, path, "names of rules", report) : [raw];
  const found = names.flatMap((name: unknown, i): readonly Rule[] => {
    const at = Array.isArray(raw) ? [...path, i] : path;
    const text = readText(name, at, "the name of a rule", report);
    const rule = all.find((one) => one.name === text);
    if (rule !== undefined) return [rule];
    if (text === null) return [];
    const near = nearest(
      text,
      all.map((one) => one.name),
    );
    const expected = all.map((one) => one.name).join(", ");
    const hint = near === null ? { expected } : { suggestion: near };
    report(errorAt("unknown-rule", at, `unknown rule ${shown(text)}`, hint));
    return [];
  });
  if (found.length === 0) report(errorAtKey("no-rules", path, "the case has no rule"));
  return rulesWith(found, all);
}

/** These rules and those that decide over them as gates, in the order of the files. */
function rulesWith(wanted: readonly Rule[], all: readonly Rule[]): readonly Rule[] {
  const names = new Set(wanted.map(({ name }) => name));
  // A set that grows while it is walked is walked to its end.
  for (const name of names) {
    const gates = all.find((rule) => rule.name === name)?.gates;
    for (const gate of [...(gates?.onlyWhile ?? []), ...(gates?.unless ?? [])]) names.add(gate);
  }
  return all.filter(({ name }) => names.has(name));
}

const COMMANDS = ["ack", "unack", "rearm"] as const;
const ACTIONS = ["restart", "clock", "held", ...COMMANDS] as const;
export const STEP_KEYS = ["at", ...ACTIONS, "subject"] as const;
const EXPECTED = "steps such as {at: 10m, restart: true} or {at: 20m, ack: my-rule}";
const RESTART = "true, or how long the daemon is down, such as 20m";
const CLOCK = "by how much the clock jumps, such as +1h or -1h";

/** What a step may name. */
interface StepContext {
  readonly subjects: readonly NamedSubject[];
  readonly rules: readonly string[];
  /** What owners hold from a step on, by its place in the list. */
  readonly later: ReadonlyMap<number, Holdings>;
}

/** Reads what happens to the daemon in a case, in the order of the times. */
function readSteps(
  raw: unknown,
  path: Path,
  context: StepContext,
  report: Report,
): readonly CaseStep[] {
  return readList(raw, path, EXPECTED, report)
    .flatMap((item, i) => readStep(item, [...path, i], context, report))
    .toSorted((a, b) => a.at - b.at);
}

function readStep(
  raw: unknown,
  path: Path,
  context: StepContext,
  report: Report,
): readonly CaseStep[] {
  const map = readMap(raw, path, "a step", STEP_KEYS, report);
  if (map === null) return [];
  const at = readOffset(map.at, [...path, "at"], report);
  if (map.at === undefined) {
    report(errorAt("missing-key", [...path, "at"], "is missing", "a time since the start"));
  }
  const later = context.later.get(Number(path.at(-1)));
  const action =
    later === undefined
      ? readAction(map, path, context, report)
      : ({ kind: "held", held: later } as const);
  return at === null || action === null ? [] : [{ at, action }];
}

function readAction(
  map: RawMap,
  path: Path,
  context: StepContext,
  report: Report,
): CaseStep["action"] | null {
  const [key, ...others] = ACTIONS.filter((one) => map[one] !== undefined);
  if (key === undefined || others.length > 0) {
    const message = `a step is one of ${ACTIONS.slice(0, -1).join(", ")} and rearm`;
    report(errorAt("bad-step", path, message, EXPECTED));
    return null;
  }
  const value = map[key];
  const at = [...path, key];
  const command = COMMANDS.find((one) => one === key);
  if (command !== undefined) return readCommand(command, value, map.subject, path, context, report);
  if (map.subject !== undefined) {
    report(
      errorAtKey("misplaced-key", [...path, "subject"], `a step with ${key} is about no subject`),
    );
    return null;
  }
  // What is wrong with what owners hold was said before.
  if (key === "held") return null;
  return key === "restart" ? readRestart(value, at, report) : readClock(value, at, report);
}

function readRestart(value: unknown, path: Path, report: Report): CaseStep["action"] | null {
  if (value === true) return { kind: "restart", downMs: 0 };
  const downMs = typeof value === "string" ? parseOffset(value) : null;
  if (downMs !== null) return { kind: "restart", downMs };
  const said =
    typeof value === "string" ? `restart ${shown(value)} is not known` : "restart is not known";
  report(errorAt("bad-step", path, said, RESTART));
  return null;
}

function readClock(value: unknown, path: Path, report: Report): CaseStep["action"] | null {
  const text = readText(value, path, CLOCK, report);
  if (text === null) return null;
  const match = /^([+-])(.+)$/.exec(text);
  const ms = match === null ? null : parseOffset(match[2] ?? "");
  if (ms === null || ms === 0) {
    report(errorAt("bad-step", path, `${shown(text)} is not a jump`, CLOCK));
    return null;
  }
  return { kind: "clock", byMs: match?.[1] === "-" ? -ms : ms };
}

function readCommand(
  command: (typeof COMMANDS)[number],
  value: unknown,
  about: unknown,
  path: Path,
  { subjects, rules }: StepContext,
  report: Report,
): CaseStep["action"] | null {
  const text = readText(value, [...path, command], "a rule of the case", report);
  const rule = nameOf(text, rules, "rule of the case", [...path, command], report);
  if (rule === null) return null;
  const at = [...path, "subject"];
  const subject = readText(about, at, "a subject of the case", report);
  const meant = readSubjects(subject, subjects, at, report);
  return { kind: "command", command, rule, subjects: meant };
}

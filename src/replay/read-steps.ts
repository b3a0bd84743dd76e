import { errorAt, errorAtKey, type Path, type Report, shown } from "../rules/finding.ts";
import { parseOffset } from "./notation.ts";
import {
  nameOf,
  type RawMap,
  readList,
  readMap,
  readOffset,
  readSubjects,
  readText,
} from "./reading.ts";
import type { CaseStep } from "./rule-test.ts";
import type { NamedSubject } from "./subjects.ts";

const ORDERS = ["ack", "unack", "rearm"] as const;
const ACTIONS = ["restart", "clock", ...ORDERS] as const;
export const STEP_KEYS = ["at", ...ACTIONS, "subject"] as const;
const EXPECTED = "steps such as {at: 10m, restart: true} or {at: 20m, ack: my-rule}";
const RESTART = "true, or how long the daemon is down, such as 20m";
const CLOCK = "by how much the clock jumps, such as +1h or -1h";

/** What a step may name. */
interface StepContext {
  readonly subjects: readonly NamedSubject[];
  readonly rules: readonly string[];
}

/** Reads what happens to the daemon in a case, in the order of the times. */
export function readSteps(
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
    report(
      errorAt("missing-key", [...path, "at"], "is missing", { expected: "a time since the start" }),
    );
  }
  const action = readAction(map, path, context, report);
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
    report(errorAt("bad-step", path, message, { expected: EXPECTED }));
    return null;
  }
  const value = map[key];
  const at = [...path, key];
  const order = ORDERS.find((one) => one === key);
  if (order !== undefined) return readOrder(order, value, map.subject, path, context, report);
  if (map.subject !== undefined) {
    report(
      errorAtKey("misplaced-key", [...path, "subject"], `a step with ${key} is about no subject`),
    );
    return null;
  }
  return key === "restart" ? readRestart(value, at, report) : readClock(value, at, report);
}

function readRestart(value: unknown, path: Path, report: Report): CaseStep["action"] | null {
  if (value === true) return { kind: "restart", downMs: 0 };
  const downMs = typeof value === "string" ? parseOffset(value) : null;
  if (downMs !== null) return { kind: "restart", downMs };
  const said =
    typeof value === "string" ? `restart ${shown(value)} is not known` : "restart is not known";
  report(errorAt("bad-step", path, said, { expected: RESTART }));
  return null;
}

function readClock(value: unknown, path: Path, report: Report): CaseStep["action"] | null {
  const text = readText(value, path, CLOCK, report);
  if (text === null) return null;
  const match = /^([+-])(.+)$/.exec(text);
  const ms = match === null ? null : parseOffset(match[2] ?? "");
  if (ms === null || ms === 0) {
    report(errorAt("bad-step", path, `${shown(text)} is not a jump`, { expected: CLOCK }));
    return null;
  }
  return { kind: "clock", byMs: match?.[1] === "-" ? -ms : ms };
}

function readOrder(
  order: (typeof ORDERS)[number],
  value: unknown,
  about: unknown,
  path: Path,
  { subjects, rules }: StepContext,
  report: Report,
): CaseStep["action"] | null {
  const text = readText(value, [...path, order], "a rule of the case", report);
  const rule = nameOf(text, rules, "rule of the case", [...path, order], report);
  if (rule === null) return null;
  const at = [...path, "subject"];
  const subject = readText(about, at, "a subject of the case", report);
  const meant = readSubjects(subject, subjects, at, report);
  return { kind: "order", order, rule, subjects: meant };
}

import { errorAt, type Path, type Report } from "../engine/language/finding.ts";
import { shown } from "../engine/language/quantity-error.ts";
import { readList, readMap, readOffset, readText } from "./reading.ts";
import type { CaseStep } from "./rule-test.ts";
import { parseOffset } from "./times.ts";

const KEYS = ["at", "restart", "clock"] as const;
const EXPECTED = "steps such as {at: 10m, restart: true} or {at: 20m, clock: -1h}";
const RESTART = "true, or how long the daemon is down, such as 20m";
const CLOCK = "by how much the clock jumps, such as +1h or -1h";

/** Reads what happens to the daemon in a case, in the order of the times. */
export function readSteps(raw: unknown, path: Path, report: Report): readonly CaseStep[] {
  return readList(raw, path, EXPECTED, report)
    .flatMap((item, i) => readStep(item, [...path, i], report))
    .toSorted((a, b) => a.at - b.at);
}

function readStep(raw: unknown, path: Path, report: Report): readonly CaseStep[] {
  const map = readMap(raw, path, "a step", KEYS, report);
  if (map === null) return [];
  const at = readOffset(map.at, [...path, "at"], report);
  if (map.at === undefined) {
    report(errorAt([...path, "at"], "is missing", { expected: "a time since the start" }));
  }
  const action = readAction(map.restart, map.clock, path, report);
  return at === null || action === null ? [] : [{ at, action }];
}

function readAction(
  restart: unknown,
  clock: unknown,
  path: Path,
  report: Report,
): CaseStep["action"] | null {
  if ((restart === undefined) === (clock === undefined)) {
    report(errorAt(path, "a step is one of restart and clock", { expected: EXPECTED }));
    return null;
  }
  if (restart === true) return { kind: "restart", downMs: 0 };
  if (restart !== undefined) {
    const at = [...path, "restart"];
    const downMs = typeof restart === "string" ? parseOffset(restart) : null;
    if (downMs !== null) return { kind: "restart", downMs };
    const said =
      typeof restart === "string"
        ? `restart ${shown(restart)} is not known`
        : "restart is not known";
    report(errorAt(at, said, { expected: RESTART }));
    return null;
  }
  const text = readText(clock, [...path, "clock"], CLOCK, report);
  if (text === null) return null;
  const match = /^([+-])(.+)$/.exec(text);
  const ms = match === null ? null : parseOffset(match[2] ?? "");
  if (ms === null || ms === 0) {
    report(errorAt([...path, "clock"], `${shown(text)} is no jump`, { expected: CLOCK }));
    return null;
  }
  return { kind: "clock", byMs: match?.[1] === "-" ? -ms : ms };
}

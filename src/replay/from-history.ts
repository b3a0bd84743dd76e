import { formatTime } from "../base/clock.ts";
import { writtenDuration } from "../base/duration.ts";
import type { Notice, Rule } from "../model/index.ts";
import type { Step } from "./notation.ts";

/** Recorded values as a rule test: one step for each round. */

/** What one round had of a metric: a value as exact text, or why it had none. */
export type RecordedStep = Exclude<Step, { readonly kind: "absent" }>;

export interface RecordedSubject {
  /** As rule tests name it. */
  readonly name: string;
  /** By metric, one step for each round, all equally long. */
  readonly metrics: ReadonlyMap<string, readonly RecordedStep[]>;
}

export interface RecordedCase {
  readonly rule: Rule;
  /** The moment that it is about, epoch milliseconds. */
  readonly around: number;
  readonly start: number;
  readonly everyMs: number;
  readonly subjects: readonly RecordedSubject[];
  /** Files with rules, as the test names them. */
  readonly ruleFiles: readonly string[];
  /** What the daemon told in this time. */
  readonly told: readonly Notice[];
}

/** A metric whose records can be made up from it: the range and a tick in it or beside it. */
const IN_RANGE = "in_range";
const RANGE = { lower: -10, upper: 10, inside: 0, outside: 10 } as const;

/** The file; `expected`: the notices that must come, with their offsets from the start. */
export function recordedTest(
  one: RecordedCase,
  expected: readonly {
    readonly elapsed: number;
    readonly notice: Notice;
    readonly subject: string | null;
    /** Null: it is of the rule itself. */
    readonly rule: string | null;
  }[],
): string {
  const { rule, around, start, everyMs, subjects, ruleFiles, told } = one;
  const steps = Math.max(
    0,
    ...subjects.flatMap(({ metrics }) => Array.from(metrics.values(), (all) => all.length)),
  );
  const inRange = subjects.filter(({ metrics }) => metrics.has(IN_RANGE));
  const plain = subjects.filter(({ metrics }) => !metrics.has(IN_RANGE));
  const lines = [
    `# Recorded by a daemon around ${formatTime(around)}. \`expect\` is what ${rule.name} as it stands makes of it:`,
    "# change it to what should have come, and then the rule until the test passes.",
    ...(told.length === 0
      ? ["# The daemon sent nothing in this time."]
      : [
          "# The daemon sent:",
          ...told.map(({ at, kind, headline }) => `#   ${formatTime(at)} ${kind}: ${headline}`),
        ]),
    `rule_files: [${ruleFiles.map(quoted).join(", ")}]`,
    `start: ${new Date(start).toISOString().replace(".000Z", "Z")}`,
    `every: ${writtenDuration(everyMs)}`,
    "cases:",
    `  - name: ${quoted(`${rule.name} around ${formatTime(around)}`)}`,
    `    rule: ${quoted(rule.name)}`,
  ];
  if (plain.length > 0) {
    lines.push("    values:");
    for (const { name, metrics } of plain) {
      lines.push(`      ${quoted(name)}:`);
      for (const [metric, all] of metrics)
        lines.push(`        ${metric}: ${quoted(seriesText(all))}`);
    }
  }
  if (inRange.length > 0) {
    lines.push("    answers:");
    for (const { name, metrics } of inRange) {
      lines.push(`      ${quoted(name)}:`, ...rangeAnswers(metrics.get(IN_RANGE) ?? [], everyMs));
    }
  }
  lines.push(`    until: ${writtenDuration(Math.max(0, steps - 1) * everyMs)}`);
  lines.push(expected.length === 0 ? "    expect: []" : "    expect:");
  for (const { elapsed, notice, subject, rule: other } of expected) {
    const whose = other === null ? "" : `, rule: ${quoted(other)}`;
    const who = `${whose}${subject === null ? "" : `, subject: ${quoted(subject)}`}`;
    lines.push(
      `      - {at: ${elapsed === 0 ? "0s" : writtenDuration(elapsed)}, kind: ${notice.kind}${who}}`,
    );
  }
  return `${lines.join("\n")}\n`;
}

/** `1000x3 400.25x5 _ failx2`. */
function seriesText(steps: readonly RecordedStep[]): string {
  const words: string[] = [];
  let count = 0;
  for (const [i, step] of steps.entries()) {
    count += 1;
    const word = wordOf(step);
    const next = steps[i + 1];
    if (next !== undefined && wordOf(next) === word) continue;
    words.push(count === 1 ? word : `${word}x${count}`);
    count = 0;
  }
  return words.join(" ");
}

function wordOf(step: RecordedStep): string {
  if (step.kind === "value") return step.text;
  return step.kind === "null" ? "_" : "fail";
}

/** The records of a position that is in its range when it was. */
function rangeAnswers(steps: readonly RecordedStep[], everyMs: number): string[] {
  const lines: string[] = [];
  let before = "";
  for (const [i, step] of steps.entries()) {
    const pool = poolOf(step);
    if (pool === before) continue;
    before = pool;
    lines.push(
      i === 0
        ? `        - v4_position: {lower_tick: ${RANGE.lower}, upper_tick: ${RANGE.upper}, liquidity: 1}\n          v4_pool: ${pool}`
        : `        - {at: ${writtenDuration(i * everyMs)}, v4_pool: ${pool}}`,
    );
  }
  return lines;
}

function poolOf(step: RecordedStep): string {
  if (step.kind === "failed") return "fail";
  if (step.kind === "null") return "absent";
  return `{current_tick: ${step.text === "true" ? RANGE.inside : RANGE.outside}}`;
}

function quoted(text: string): string {
  return /^[A-Za-z][\w./-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text);
}

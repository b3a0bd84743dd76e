import { dirname, relative, resolve } from "node:path";
import { formatTime, systemClock } from "../base/clock.ts";
import { errorCode } from "../base/error-code.ts";
import { cleanText } from "../base/text.ts";
import { readFromDisk } from "../config/files/read-text.ts";
import { loadDefaults } from "../config/settings/defaults-key.ts";
import { comparisonsOfRule, lookBackOf, referencesOf } from "../decide/condition-tree.ts";
import { KINDS } from "../kinds/index.ts";
import type { Rule, Run, SeriesName, Setup } from "../model/index.ts";
import {
  type RecordedCase,
  type RecordedStep,
  type RecordedSubject,
  recordedTest,
} from "../replay/from-history.ts";
import { loadTests } from "../replay/load-tests.ts";
import { fieldBehind } from "../replay/record-json.ts";
import { runCase } from "../replay/run-case.ts";
import { askedFor, callSubject, type NamedSubject, subjectsOf } from "../replay/subjects.ts";
import type { PastNotice } from "../store/operator-db/past.ts";
import { openRecorded, type Recorded, type RecordedSpan } from "../store/operator-db/recorded.ts";
import { memoryStores } from "../store/sqlite/store.ts";
import type { Moment } from "./arguments.ts";
import { gatesOf } from "./backtest-gates.ts";
import { EXIT, type Io } from "./io.ts";
import { writeReport } from "./report-file.ts";
import { alertSubjects, ruleNamed, subjectNamed } from "./rule-argument.ts";
import { withOperatorDb } from "./with-operator-db.ts";

export interface FromHistoryOptions {
  readonly config?: string;
  readonly fromHistory?: boolean;
  readonly around?: Moment;
  readonly out?: string;
}

/** A test with more steps is none that anybody reads. */
const MOST_STEPS = 5_000;
const MOST_SUBJECTS = 50;
/** So many rounds are written before and after the moment, beside those that timers and windows need. */
const ROUNDS_AROUND = 10;

/** `tickwatch test --from-history`: the exit code. Throws ConfigError and StoreError. */
export async function testFromHistory(
  name: string,
  text: string | undefined,
  { config = "config.yaml", around, out }: FromHistoryOptions,
  io: Io,
): Promise<number> {
  const fail = (problem: string, code: number = EXIT.usage): number => {
    io.err(`tickwatch: ${problem}\n`);
    return code;
  };
  if (around === undefined)
    return fail("say around which time: --around 2026-11-02T03:10Z, or 03:10");
  return await withOperatorDb(config, io, "read", async (db, { store, setup: read }) => {
    const setup = await read();
    const rule = ruleNamed(name, setup, io);
    if (rule === null) return EXIT.usage;
    const labels = await db.silences.labels(rule.name);
    const rules = [rule, ...gatesOf([rule], setup.rules)];
    const all = askedFor(subjectsOf(rules, KINDS), rules);
    const watched = alertSubjects(rule, labels);
    const meant = subjectNamed(text, watched, rule, io);
    if (meant === null) return EXIT.usage;
    const problem = whyNot(rules, all);
    if (problem !== null) return fail(problem, EXIT.found);
    const recorded = await openRecorded(store);
    if (recorded === null) return EXIT.database;
    try {
      const now = systemClock().now();
      const at = around(now);
      const span = spanOf(rules, at, await recorded.span());
      if (typeof span === "string") return fail(span, EXIT.found);
      const series = await recorded.series(all.map(({ subject }) => subject.key));
      const whole: RecordedSubject[] = [];
      for (const one of all) {
        whole.push(await subjectOf(one, all, rules, span, { recorded, series }));
      }
      const { lead, subjects } = withoutLead(whole);
      const alerts: PastNotice[] = [];
      for (const { subject } of meant) {
        alerts.push(...(await db.past.notices(rule.name, subject.key, span.start, span.end, 20)));
      }
      const folder = out === undefined ? "." : dirname(out);
      const ruleFiles = filesOf(rule, setup).map((file) =>
        relative(resolve(folder), resolve(file)),
      );
      const recordedCase: RecordedCase = {
        rule,
        around: at,
        start: span.start + lead * span.everyMs,
        everyMs: span.everyMs,
        subjects,
        ruleFiles,
        told: alerts.map(({ notice }) => notice),
      };
      const file = resolve(out ?? "recorded.test.yaml");
      const written = await withExpectations(recordedCase, all, file, config, io);
      if (typeof written !== "object") return fail(written, EXIT.found);
      if (out === undefined) io.out(written.text);
      else {
        await writeReport(out, written.text, "test", "--out", "wx");
        io.err(`wrote ${out}; run it with \`tickwatch test --config ${config} ${out}\`\n`);
      }
      return EXIT.fine;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
      return fail(`${out ?? ""} exists: name another file`);
    } finally {
      recorded.close();
    }
  });
}

/** Why a rule and its gates cannot be written as a test; null: they can. */
function whyNot(rules: readonly Rule[], all: readonly NamedSubject[]): string | null {
  const [rule] = rules;
  if (rule === undefined || all.length === 0) return `${rule?.name ?? ""} watches nothing`;
  if (all.length > MOST_SUBJECTS) {
    return `${rule.name} needs ${all.length} subjects, and a test holds at most ${MOST_SUBJECTS}: copy the rule for one`;
  }
  for (const one of all) {
    for (const { name, metric } of neededOf(one, rules)) {
      const spec = one.kind.metrics.get(metric);
      if (spec === undefined || (metric === "in_range" && one.kind.kind === "v4_position"))
        continue;
      if (spec.entry === true) return `${name} looks at single entries, which are not kept`;
      if (fieldBehind(spec, one) === null) {
        return `${metric} is derived from records that are not kept: write answers by hand, see docs/testing.md`;
      }
    }
  }
  return null;
}

/** The metrics that rules compare of a subject, their own or one that they refer to. */
function neededOf(
  { subject: { key } }: NamedSubject,
  rules: readonly Rule[],
): readonly { readonly name: string; readonly metric: string }[] {
  return rules.flatMap((rule) => {
    const own = rule.subjects.some((one) => one.key === key) ? comparisonsOfRule(rule) : [];
    const compared = referencesOf(rule).filter(({ subject, across }) =>
      (across?.members ?? [subject]).some((one) => one.key === key),
    );
    return [...own, ...compared].map(({ metric }) => ({ name: rule.name, metric }));
  });
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly everyMs: number;
}

/** The steps around a moment; or why there are none. */
function spanOf(rules: readonly Rule[], at: number, kept: RecordedSpan | null): Span | string {
  const [rule] = rules;
  if (rule === undefined) return "there is no rule";
  if (kept === null || at < kept.first || at > kept.last) {
    const from =
      kept === null
        ? "no round is recorded"
        : `rounds are recorded from ${formatTime(kept.first)} to ${formatTime(kept.last)}`;
    return `nothing is recorded around ${formatTime(at)}: ${from}`;
  }
  const bucketMs = KINDS.get(rule.kind)?.bucketMs ?? null;
  const everyMs =
    bucketMs ?? rule.schedule.everyMs ?? Math.round((rule.schedule.third(at) - at) / 3);
  const lookBackMs = rules
    .flatMap(comparisonsOfRule)
    .reduce((most, one) => Math.max(most, lookBackOf(one)), 0);
  const timers = Math.max(
    ...rules.map(({ forMs, resolveAfterMs }) => Math.max(forMs, resolveAfterMs)),
  );
  const before = lookBackMs + timers + ROUNDS_AROUND * everyMs;
  // Of hours and days the answers reach back beyond the first round.
  const first = bucketMs === null ? Math.max(kept.first, at - before) : at - before;
  const start = Math.floor(first / everyMs) * everyMs;
  const end = Math.min(kept.last, at + timers + ROUNDS_AROUND * everyMs);
  const steps = Math.floor((end - start) / everyMs) + 1;
  return steps > MOST_STEPS
    ? `its windows hold ${steps} rounds, and a test holds at most ${MOST_STEPS}`
    : { start, end, everyMs };
}

async function subjectOf(
  one: NamedSubject,
  all: readonly NamedSubject[],
  rules: readonly Rule[],
  span: Span,
  past: { readonly recorded: Recorded; readonly series: readonly SeriesName[] },
): Promise<RecordedSubject> {
  const { recorded } = past;
  const metrics = new Map<string, readonly RecordedStep[]>();
  const needed = neededOf(one, rules);
  const readers = rules.filter(({ name }) => needed.some((its) => its.name === name));
  const failed = await failuresOf(one, readers, span, recorded);
  const series = past.series.filter(
    ({ subject }) => subject.replace(/[@~].*$/, "") === one.subject.key,
  );
  for (const metric of new Set(needed.map((its) => its.metric))) {
    const ids = series.filter((its) => its.metric === metric).map(({ id }) => id);
    const runs: Run[] = [];
    for await (const page of recorded.runs(ids, span.start, span.end)) runs.push(...page);
    runs.sort((a, b) => a.first - b.first);
    metrics.set(metric, stepsOf(runs, failed, span, one, readers));
  }
  return { name: callSubject(one, all), metrics };
}

/** What nobody was answered at the start of it all is no part of the story. */
function withoutLead(subjects: readonly RecordedSubject[]): {
  readonly lead: number;
  readonly subjects: readonly RecordedSubject[];
} {
  const all = subjects.flatMap(({ metrics }) => [...metrics.values()]);
  const leads = all.map((steps) => steps.findIndex(({ kind }) => kind !== "failed"));
  const lead = Math.min(...leads.map((one, i) => (one < 0 ? (all[i]?.length ?? 1) - 1 : one)));
  const shortened = subjects.map(({ name, metrics }) => ({
    name,
    metrics: new Map(Array.from(metrics, ([metric, steps]) => [metric, steps.slice(lead)])),
  }));
  return { lead, subjects: shortened };
}

/** The rounds in which a request for the subject failed. */
async function failuresOf(
  { kind, subject }: NamedSubject,
  readers: readonly Rule[],
  { start, end }: Span,
  recorded: Recorded,
): Promise<ReadonlySet<number>> {
  const failed = new Set<number>();
  const names = new Set(readers.map(({ name }) => name));
  for await (const page of recorded.rounds(start, end)) {
    for (const { date, rules, failures, failed: count } of page) {
      if (count === 0 || !rules.some((name) => names.has(name))) continue;
      if (kind.asks(subject, date, null).some(({ key }) => failures[key] !== undefined))
        failed.add(date);
    }
  }
  return failed;
}

function stepsOf(
  runs: readonly Run[],
  failed: ReadonlySet<number>,
  { start, end, everyMs }: Span,
  { kind }: NamedSubject,
  readers: readonly Rule[],
): readonly RecordedStep[] {
  const steps: RecordedStep[] = [];
  let place = -1;
  for (let at = start; at <= end; at += everyMs) {
    while ((runs[place + 1]?.first ?? Number.POSITIVE_INFINITY) <= at) place += 1;
    const run = runs[place];
    const next = runs[place + 1];
    const until = kind.bucketMs === null ? (run?.last ?? 0) : (run?.last ?? 0) + kind.bucketMs - 1;
    // Between two runs it is in force for three intervals: the round in between had no answer of its own.
    const holds =
      run !== undefined &&
      (at <= until ||
        (next !== undefined &&
          readers.some(({ schedule }) => next.first <= schedule.third(run.last))));
    if (!holds || failed.has(at)) steps.push({ kind: "failed" });
    else steps.push(run.value === null ? { kind: "null" } : { kind: "value", text: run.value });
  }
  return steps;
}

/** The file of the rule, or, where it names what other files may list, all of them. */
function filesOf(rule: Rule, { rules }: Setup): readonly string[] {
  const all = [...new Set(rules.map(({ place }) => place.file))];
  return all.length <= 20 ? all : [rule.place.file];
}

/** Runs the case without expectations, and writes what came of it as what is expected. */
async function withExpectations(
  one: RecordedCase,
  all: readonly NamedSubject[],
  file: string,
  config: string,
  io: Io,
): Promise<{ readonly text: string } | string> {
  const draft = recordedTest(one, []);
  const loaded = await loadTests(file, {
    kinds: KINDS,
    defaults: await loadDefaults(config, io.env),
    readFile: async (path, limit) =>
      path === file ? Buffer.from(draft) : await readFromDisk(path, limit),
  });
  const [test] = loaded.cases;
  const [problem] = loaded.problems;
  if (test === undefined) {
    return `the recorded values make no rule test: ${cleanText(problem?.message ?? "it cannot be read", 200)}`;
  }
  const { seen } = await runCase(test, { kinds: KINDS, createStore: await memoryStores() });
  const expected = seen
    .filter(({ notice }) => notice.kind !== "started")
    .map(({ elapsed, notice }) => {
      const subject = all.find(({ subject: { key } }) => key === notice.subject);
      return {
        elapsed,
        notice,
        subject: subject === undefined || all.length === 1 ? null : callSubject(subject, all),
        // Gates run as well, and tell what they tell.
        rule: notice.rule === one.rule.name ? null : notice.rule,
      };
    });

  return { text: recordedTest(one, expected) };
}

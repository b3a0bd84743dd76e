import type { Log } from "../base/log.ts";
import { type Change, type Failure, NO_CHANGE, type RoundRecord } from "../model.ts";
import type { Source } from "../source/source.ts";
import type { Committer } from "./commit.ts";
import { Gatherer } from "./gather.ts";
import type { RuleMemory } from "./memory.ts";
import type { Telling } from "./notices.ts";
import type { PlanCache } from "./plan.ts";
import { type PollReport, poll } from "./poll.ts";
import { type DecidedWork, Slices } from "./slices.ts";
import { changeOfStart, type StartedRule, Starts } from "./started.ts";

/** What a round is made with. */
export interface RoundParts {
  readonly source: Source;
  readonly committer: Committer;
  readonly plans: PlanCache;
  readonly log: Log;
  /** How long, in real milliseconds, a round over these rules may poll. */
  readonly budgetMs: (rules: readonly RuleMemory[], requests: number) => number;
  /** Notices are owed from now on. */
  readonly onNotices: (tellings: readonly Telling[]) => void;
  readonly onDecided: (decided: readonly DecidedWork[]) => void;
  /** The store refused a commit. */
  readonly onRefused: (error: unknown) => void;
}

/**
 * One round at `date` over the rules that are due: ask, decide as answers settle, commit in
 * slices, and close it. Never rejects: whatever fails is in the record and the log.
 */
export async function runRound(
  rules: readonly RuleMemory[],
  date: number,
  parts: RoundParts,
  stop: AbortSignal,
): Promise<RoundRecord> {
  const began = performance.now();
  const { log } = parts;
  const plan = parts.plans.plan(rules, date);
  const starts = new Starts();
  let refused = false;
  const onRefused = (error: unknown): void => {
    refused = true;
    parts.onRefused(error);
  };
  const slices = new Slices(date, parts.committer, {
    onCommitted: (decided, tellings) => {
      for (const one of decided) starts.look(one);
      parts.onDecided(decided);
      if (tellings.length > 0) parts.onNotices(tellings);
    },
    onTrouble: (work, error) =>
      log.error({ subject: work.subject.key, err: error }, "a subject could not be decided"),
    onRefused,
  });
  const gatherer = new Gatherer(rules, (work, reading) => slices.add(work, reading));
  const budget = new Budget(parts.budgetMs(rules, plan.requests.length), stop);
  const report = await poll(
    plan,
    parts.source,
    date,
    budget.signal,
    (work, reading) => {
      // What a stop has cut off is no answer: the next start asks again.
      if (stop.aborted) return;
      // Some are asked only as parts of a sum, and have nothing of their own to keep.
      if (work.subject.series.length > 0) slices.add(work, reading);
      gatherer.add(work.subject, reading);
    },
    (work, error) =>
      log.error({ subject: work.subject.key, err: error }, "an answer could not be read"),
  );
  budget.end();
  await slices.finish();
  if (report.learned) parts.plans.forget();
  const record: RoundRecord = {
    date,
    rules: rules.map(({ rule }) => rule.name),
    requests: report.requests,
    subjects: plan.works.length,
    failures: report.failures,
    failed: report.failed,
    tookMs: Math.round(performance.now() - began),
  };
  if (!refused && !stop.aborted) await close(rules, date, record, starts, parts, onRefused);
  if (!stop.aborted) logRound(record, report, log);
  return record;
}

/** Ends a poll when its time is over or the daemon stops; leaves nothing behind on either. */
class Budget {
  readonly #controller = new AbortController();
  readonly #abort = (): void => this.#controller.abort();
  readonly #timer: NodeJS.Timeout;
  readonly #stop: AbortSignal;

  constructor(ms: number, stop: AbortSignal) {
    this.#timer = setTimeout(this.#abort, ms);
    this.#stop = stop;
    if (stop.aborted) this.#abort();
    else stop.addEventListener("abort", this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#stop.removeEventListener("abort", this.#abort);
  }
}

/** The last transaction of a round: what started, that the rules were evaluated, the record. */
async function close(
  rules: readonly RuleMemory[],
  date: number,
  record: RoundRecord,
  starts: Starts,
  parts: RoundParts,
  onRefused: (error: unknown) => void,
): Promise<void> {
  const decide = async (): Promise<{ change: Change; started: StartedRule[] }> => {
    const started = rules.map((memory) => starts.begin(memory, date)).filter((one) => one !== null);
    const fresh = new Set(started.map(({ memory }) => memory));
    const changes = started.map(changeOfStart);
    const change: Change = {
      ...NO_CHANGE,
      alerts: changes.flatMap(({ alerts }) => alerts),
      notices: changes.flatMap(({ notices }) => notices),
      rules: rules.map((memory) => ({
        ...memory.state,
        lastRound: date,
        startedAt: fresh.has(memory) ? date : memory.state.startedAt,
      })),
      round: record,
    };
    return { change, started };
  };
  await parts.committer
    .take(decide, ({ change, started }) => {
      for (const [index, memory] of rules.entries()) {
        const state = change.rules[index];
        if (state !== undefined) memory.state = state;
      }
      for (const { alerts, tellings } of started) {
        for (const { memory, alert } of alerts) memory.alert = alert;
        if (tellings.length > 0) parts.onNotices(tellings);
      }
    })
    .catch(onRefused);
}

function logRound(record: RoundRecord, report: PollReport, log: Log): void {
  const { date, rules, requests, subjects, failed, tookMs } = record;
  log.debug(
    { date: new Date(date).toISOString(), rules: rules.length, requests, subjects, failed, tookMs },
    "round",
  );
  if (failed === 0) return;
  const reasons = new Map<string, { count: number; first: Failure; ask: string }>();
  for (const [ask, failure] of Object.entries(report.failures)) {
    const known = reasons.get(failure.reason);
    if (known === undefined) reasons.set(failure.reason, { count: 1, first: failure, ask });
    else known.count += 1;
  }
  for (const [reason, { count, first, ask }] of reasons) {
    log.warn({ reason, count, failed, ask, detail: first.detail }, "records could not be had");
  }
}

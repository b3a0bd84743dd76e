import type { Log } from "../base/log.ts";
import type { Source } from "../fetch/source.ts";
import type { RoundRecord } from "../model/index.ts";
import { Budget } from "../poll/budget.ts";
import { Collector } from "../poll/collector.ts";
import type { FailureLog, RoundSum } from "../poll/failure-log.ts";
import { GateQueue } from "../poll/gate-queue.ts";
import type { Memory, RuleMemory, SubjectMemory } from "../poll/memory.ts";
import type { DecidedWork, PlanCache } from "../poll/plan.ts";
import { type PollReport, poll } from "../poll/poll.ts";
import { ReferenceGate } from "../poll/references.ts";
import { closeRound } from "./close.ts";
import type { Committer } from "./committer.ts";
import type { AddressedNotice } from "./notices.ts";
import type { Renewals } from "./renewals.ts";
import { Slices } from "./slices.ts";
import type { MarkWriter } from "./watermark.ts";
import { LagGuard } from "./watermark.ts";

/** What a round is made with. */
export interface RoundParts {
  readonly source: Source;
  readonly committer: Committer;
  readonly plans: PlanCache;
  readonly marks: MarkWriter;
  readonly log: Log;
  readonly failures: FailureLog;
  readonly memory: Memory;
  /** Who hears of the daemon's own troubles. */
  readonly selfChannels: readonly string[];
  /** How long, in real milliseconds, a round over these rules may poll. */
  readonly budgetMs: (rules: readonly RuleMemory[], date: number, requests: number) => number;
  /** Notices are owed from now on. */
  readonly onNotices: (tellings: readonly AddressedNotice[]) => void;
  readonly onDecided: (decided: readonly DecidedWork[]) => void;
  /** What is answered from elsewhere than before begins anew. */
  readonly renewals?: Renewals;
  /** Whether the answers that are there come from elsewhere than the subject's samples. */
  readonly isForeign?: (subject: SubjectMemory) => boolean;
  /** The store refused a commit. */
  readonly onRefused: (error: unknown) => void;
}

/**
 * The round at `date` of one group of the rules that are due: ask, decide as answers settle, commit in
 * slices, and close it. Never rejects: whatever fails is in the record, which is added to `sum`, and
 * the log.
 */
export async function runRound(
  rules: readonly RuleMemory[],
  date: number,
  parts: RoundParts,
  stop: AbortSignal,
  sum: RoundSum,
): Promise<void> {
  const began = performance.now();
  const { log } = parts;
  const plan = parts.plans.plan(rules, date);
  let refused = false;
  const onRefused = (error: unknown): void => {
    refused = true;
    parts.onRefused(error);
  };
  const slices = new Slices(date, parts.committer, {
    onCommitted: (decided, tellings) => {
      parts.onDecided(decided);
      if (tellings.length > 0) parts.onNotices(tellings);
    },
    onTrouble: (work, error) =>
      log.error({ subject: work.subject.key, err: error }, "a subject could not be decided"),
    onPlain: (error) => log.error({ err: error }, "a notice could not be composed in full"),
    onRefused,
    ...(parts.renewals === undefined ? {} : { renewals: parts.renewals }),
  });
  const guard = new LagGuard(date, log);
  const gates = new GateQueue(rules, (work, reading, references) =>
    slices.add(work, reading, references),
  );
  const gate = new ReferenceGate(rules, (work, reading, references) =>
    gates.add(work, reading, references),
  );
  const gatherer = new Collector(rules, {
    onRule: (work, reading) => gate.add(work, reading),
    onReference: (owner, reading) => gate.learn(owner, reading),
  });
  sum.planned += plan.requests.length;
  // Then all groups of this date have planned: theirs go out at the same rate.
  await Promise.resolve();
  const budget = new Budget(parts.budgetMs(rules, date, sum.planned), stop);
  const report = await poll(plan, parts.source, parts.memory.facts, date, budget.signal, {
    round: sum,
    onReading: (work, answered) => {
      // What a stop has cut off is no answer: the next start asks again.
      if (stop.aborted) return;
      const reading = guard.check(work.subject, answered);
      gate.learn(work.subject, reading);
      // Some are asked only as parts of a sum, and have nothing of their own to keep.
      if (work.subject.series.length > 0 || work.due.length > 0) gate.add(work, reading);
      gatherer.add(work.subject, reading);
    },
    onTrouble: (work, error) =>
      log.error({ subject: work?.subject.key, err: error }, "an answer could not be read"),
    ...(parts.isForeign === undefined ? {} : { isForeign: parts.isForeign }),
  });
  budget.end();
  gate.finish();
  gates.finish();
  await slices.finish();
  if (report.unbegun !== null) parts.plans.beginWith(plan, report.unbegun);
  if (report.learnedFacts) parts.plans.forgetAll();
  else if (report.learned) parts.plans.forget(rules);
  const record: RoundRecord = {
    date,
    rules: plan.names,
    requests: report.requests,
    subjects: plan.works.length,
    failures: report.failures,
    failed: report.failed,
    tookMs: Math.round(performance.now() - began),
  };
  if (!refused && !stop.aborted) {
    const { tallies } = report;
    const whole = sum.add(record);
    await closeRound({ plan, date, record: whole, guard, tallies }, parts).catch(onRefused);
  } else sum.add(record);
  if (!stop.aborted) logRound(record, report, parts);
}

function logRound(record: RoundRecord, { tallies }: PollReport, parts: RoundParts): void {
  const { date, rules, requests, subjects, failed, tookMs } = record;
  parts.log.debug(
    { date: new Date(date).toISOString(), rules: rules.length, requests, subjects, failed, tookMs },
    "round",
  );
  parts.failures.observe(tallies);
}

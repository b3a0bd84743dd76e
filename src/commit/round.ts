import { withDeadline } from "../base/clock.ts";
import { DAY } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import type { Source } from "../fetch/source.ts";
import type { Reading, Row } from "../kinds/kind.ts";
import {
  type AlertChange,
  type Change,
  NO_CHANGE,
  type RoundRecord,
  SOURCE_RULE,
  type Unread,
} from "../model/index.ts";
import type { Share } from "../poll/division.ts";
import type { Memory, RuleMemory, SubjectMemory } from "../poll/memory.ts";
import { scopeFromKey, scopesOf } from "../poll/outages.ts";
import type { DecidedWork, PlanCache, RulesPlan } from "../poll/plan.ts";
import { type PollHooks, poll } from "../poll/poll.ts";
import type { EndedGroup, RoundSum } from "../poll/round-sum.ts";
import { type FailureLog, MOST_UNREAD } from "../poll/tally.ts";
import { WaitingRoom } from "../poll/waiting-room.ts";
import type { Store } from "../store/store.ts";
import { judgeOutages, type OutageVerdict } from "./outage.ts";
import type { Elsewhere } from "./outage-scopes.ts";
import { isAlertChange, type SliceParts, Slices } from "./slices.ts";
import { LagGuard, type WatermarkWriter } from "./watermark.ts";

/** What a round is made with. */
export interface RoundParts extends SliceParts {
  readonly source: Source;
  readonly plans: PlanCache;
  readonly marks: WatermarkWriter;
  readonly log: Log;
  readonly failures: FailureLog;
  readonly memory: Memory;
  /** Absent: it is the only one. */
  readonly share?: Share;
  /** Null: it is the only one. */
  readonly elsewhere: Elsewhere | null;
  /** Who hears of the daemon's own troubles. */
  readonly selfChannels: readonly string[];
  /** How long, in real milliseconds, a round over these rules may poll. */
  readonly budgetMs: (rules: readonly RuleMemory[], date: number, requests: number) => number;
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
  const { log, plans, memory, sourceChanges } = parts;
  const plan = plans.plan(rules, date);
  const guard = new LagGuard(date, log);
  const unread = new UnreadNotes();
  const slices = new Slices(date, {
    ...parts,
    onJudged: (decided) => {
      unread.decided(decided);
      parts.onJudged(decided);
    },
  });
  const room = new WaitingRoom(rules, (ready) => slices.add(ready));
  sum.planned += plan.requests.length;
  // Then all groups of this date have planned: theirs go out at the same rate.
  await Promise.resolve();
  const hooks: PollHooks = {
    round: sum,
    check: (subject, reading) => (stop.aborted ? reading : guard.check(subject, reading)),
    onReading: (work, reading) => {
      // What a stop has cut off is no answer: the next start asks again.
      if (stop.aborted) return;
      unread.read(work.subject, reading);
      room.read(work, reading);
    },
    onTrouble: (work, error) =>
      log.error({ subject: work?.subject.key, err: error }, "an answer could not be read"),
    isForeign: (subject) => sourceChanges?.isForeign(subject) === true,
  };
  const report = await withDeadline(parts.budgetMs(rules, date, sum.planned), stop, (signal) =>
    poll(plan, parts.source, memory.facts, date, signal, hooks),
  );
  // Nor is anything decided that waits for what a stop has cut off.
  if (!stop.aborted) room.finish();
  const isCommitted = await slices.finish();
  if (report.unbegun !== null) plans.beginWith(plan, report.unbegun);
  if (report.learnedFacts) plans.forgetAll();
  else if (report.learned) plans.forget(rules);
  const { requests, failures, failed, tallies } = report;
  const subjects = plan.works.length;
  const tookMs = Math.round(performance.now() - began);
  const counts = { date, rules: plan.names, requests, subjects, failures, failed, tookMs };
  const group = { rules: plan.names, scopes: scopesOf(tallies), rebased: guard.rebased };
  const reads = { openedAt: memory.openedAt, groups: [group] };
  const record = sum.add({ ...counts, unread: unread.all, reads });
  const isCutOff = stop.aborted;
  if (!isCutOff) memory.outages.observe(date, tallies, memory.sources);
  const isDecided = isCommitted && !isCutOff;
  sum.end(rules, isDecided ? tallies : null);
  const isClosed = isDecided && (await closeGroup({ plan, date, record, guard, sum }, parts));
  // The others waited for it, and may not be asked again for long.
  if (!isClosed) await judgeEnded(date, sum, parts);
  if (isCutOff) return;
  log.debug(
    { ...counts, date: new Date(date).toISOString(), rules: rules.length, failures: undefined },
    "round",
  );
  parts.failures.observe(tallies);
}

/** A fault of the program has ended the round of a group: the others do not wait for it. */
export async function abandonGroup(
  rules: readonly RuleMemory[],
  date: number,
  sum: RoundSum,
  parts: RoundParts,
): Promise<void> {
  sum.end(rules, null);
  await judgeEnded(date, sum, parts);
}

function outageChanges(
  { alerts, sources }: OutageVerdict,
  memory: Memory,
  at: number,
): AlertChange[] {
  const pairs = [
    ...alerts.map(({ memory: { alert: before }, alert }) => ({ before, alert })),
    ...sources.map((alert) => ({ before: memory.sources.get(alert.subject) ?? null, alert })),
  ];
  return pairs
    .filter(({ before, alert }) => isAlertChange(before, alert))
    .map(({ alert }) => ({ at, value: null, alert }));
}

/** A group whose answers are decided and committed. */
interface ClosingGroup {
  readonly plan: RulesPlan;
  readonly date: number;
  /** Of all groups of the date that are over. */
  readonly record: RoundRecord;
  readonly guard: LagGuard;
  readonly sum: RoundSum;
}

/** The end of a group: that the rules were evaluated, the record, and with the last one whose source is down or back. */
async function closeGroup(group: ClosingGroup, parts: RoundParts): Promise<boolean> {
  const { plan, date, record, guard, sum } = group;
  const { rules, names, works } = plan;
  const { committer, plans, marks } = parts;
  return await committer.commit(
    async (store) => {
      const judged = await judge(date, sum.ended, store, parts);
      const change = {
        ...judged.change,
        notices: [...judged.outage.notices, ...guard.notices(parts.elsewhere?.rules)],
        closed: [{ date, rules: names, ...slotsOf(rules, parts.share) }],
        marks: marks.take(rules[0]?.group ?? 0, works),
        round: record,
      };
      return { ...judged, change };
    },
    (judged) => {
      const before = rules[0]?.state.lastRound ?? date;
      for (const rule of rules) rule.endRound(date);
      applyJudged(judged, sum, parts);
      const isNewDay = Math.floor(before / DAY) !== Math.floor(date / DAY);
      if (isNewDay && forgetRefusedFacts(parts.memory)) plans.forgetAll();
    },
  );
}

/** What is left of a date whose last group was cut off, or could not be committed. */
async function judgeEnded(date: number, sum: RoundSum, parts: RoundParts): Promise<void> {
  if (sum.ended.length === 0) return;
  await parts.committer.commit(
    (store) => judge(date, sum.ended, store, parts),
    (judged) => applyJudged(judged, sum, parts),
  );
}

interface Judged {
  readonly groups: readonly EndedGroup[];
  readonly outage: OutageVerdict;
  readonly change: Change;
}

async function judge(
  date: number,
  groups: readonly EndedGroup[],
  store: Store,
  { memory, selfChannels, elsewhere }: RoundParts,
): Promise<Judged> {
  await hearOfOthers(memory, store);
  const outage = judgeOutages(groups, date, memory, selfChannels, elsewhere);
  const change = {
    ...NO_CHANGE,
    alerts: [...outage.alerts.map(({ alert }) => alert), ...outage.sources],
    alertChanges: outageChanges(outage, memory, date),
    notices: outage.notices,
  };
  return { groups, outage, change };
}

function applyJudged(
  { groups, outage: { sources, alerts, isOver } }: Judged,
  sum: RoundSum,
  { memory, plans }: RoundParts,
): void {
  sum.judged(groups);
  for (const source of sources) memory.sources.set(source.subject, source);
  for (const { memory: one, alert } of alerts) one.alert = alert;
  if (isOver && forgetRefusedFacts(memory)) plans.forgetAll();
}

/** What other daemons were answered, and told people of: one that is answered nothing is not alone in the world. */
async function hearOfOthers({ sources }: Memory, store: Store): Promise<void> {
  for (const alert of (await store.alertsOf?.(SOURCE_RULE)) ?? []) {
    if (scopeFromKey(alert.subject) !== null) sources.set(alert.subject, alert);
  }
}

function slotsOf(
  rules: readonly RuleMemory[],
  share: Share | undefined,
): { readonly slots?: readonly number[] } {
  if (share === undefined) return {};
  const slots = new Set(rules.flatMap(({ rule }) => [...share.division.slotsOf(rule.name)]));
  return { slots: [...slots].filter((slot) => share.slots.has(slot)).toSorted((a, b) => a - b) };
}

/** What was refused may have been so for a while only: it is asked for anew. */
function forgetRefusedFacts({ facts }: Memory): boolean {
  const refused = [...facts].filter(([, { status }]) => status === "failed");
  for (const [key] of refused) facts.delete(key);
  return refused.length > 0;
}

/**
 * Notes of what a round read too little, and why, so that whoever replays it reads no more of it. So many
 * subjects at most: a round may have a hundred thousand.
 */
class UnreadNotes {
  readonly #bySubject = new Map<string, Unread>();

  /** Hears of each subject as it is read. */
  read(subject: SubjectMemory, reading: Reading): void {
    const one = unreadOf(subject, reading);
    if (one === null) return;
    // Several rules on the same subjects together read them one after the other.
    const trouble = this.#bySubject.get(subject.key)?.trouble;
    this.#note(trouble === undefined ? one : { ...one, trouble });
  }

  /** Hears of what was decided: why alerts go without a value, and of several subjects together. */
  decided(works: readonly DecidedWork[]): void {
    for (const { work, reading, references, decision } of works) {
      const { subject } = work;
      if (work.due.some(({ watched }) => watched.rule.across !== null)) this.read(subject, reading);
      if (decision.alerts.every(({ alert }) => alert.missing === null)) continue;
      this.#noteTrouble(subject.key, reading);
      // Those without a value leave an alert without one, too.
      for (const [key, other] of references) this.#noteTrouble(key, other);
    }
  }

  get all(): readonly Unread[] {
    return [...this.#bySubject.values()];
  }

  #noteTrouble(subject: string, { trouble }: Reading): void {
    if (trouble === null) return;
    const known = this.#bySubject.get(subject) ?? { subject, metrics: [] };
    if (known.trouble !== trouble) this.#note({ ...known, trouble });
  }

  #note(one: Unread): void {
    if (this.#bySubject.size >= MOST_UNREAD && !this.#bySubject.has(one.subject)) return;
    this.#bySubject.set(one.subject, one);
  }
}

/** Null: all that is wanted was read, be it that some of it is null. */
function unreadOf({ key, series }: SubjectMemory, reading: Reading): Unread | null {
  const { unanswered, absent } = reading;
  const [row] = reading.rows;
  const lacking = row === undefined ? null : unseenOf(row, series);
  if (unanswered === null && !absent && lacking?.length === 0) return null;
  return {
    subject: key,
    metrics: lacking,
    ...(unanswered === null ? {} : { unanswered }),
    ...(absent ? { absent } : {}),
  };
}

/** Rows of most kinds have all their metrics. */
function unseenOf(row: Row, series: SubjectMemory["series"]): readonly string[] {
  if (row.isUnseen === undefined) return [];
  return series.map(({ metric }) => metric).filter((metric) => row.isUnseen?.(metric) === true);
}

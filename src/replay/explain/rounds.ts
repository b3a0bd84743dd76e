import { createLogger } from "../../base/log.ts";
import { troubleOf } from "../../decide/evaluation-context.ts";
import { calledBy } from "../../decide/event.ts";
import type { WatchKind } from "../../kinds/kind.ts";
import type { Alert, Rule } from "../../model/index.ts";
import type { DecidedWork } from "../../poll/plan.ts";
import type { Recorded } from "../../store/operator-db/recorded.ts";
import { backtest } from "../past/backtest.ts";
import { needsByKey, needsOf } from "../past/needs.ts";
import { recordedMetrics } from "../past/recorded-tracks.ts";
import { tracksOf } from "../past/tracks.ts";
import { known, partOf, type Seen } from "./part.ts";
import type { RoundFound } from "./situation.ts";

export interface RoundsAsked {
  readonly rule: Rule;
  /** All rules that are watched: in the rounds of others samples of it were taken, too. */
  readonly rules: readonly Rule[];
  /** The key of what the alert is on. */
  readonly subject: string;
  readonly kinds: ReadonlyMap<string, WatchKind>;
  readonly recorded: Recorded;
  /** The rounds that are wanted, both ends included, epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  /** The alert as the daemon had left it at a time; null: that is not kept. */
  readonly alertAt: (date: number) => Alert | null;
}

/** Intervals before the windows of the first round that is wanted, so that they are as they were. */
const RUN_IN = 12;

/** As many values as an alert remembers of a metric. */
const SEEN = 2;
/** Where those are not found, it looks so many times as far back. */
const LONGER = 4;

/**
 * What the rounds of a rule made of one subject, decided again by the same code on the recorded samples: by the rule
 * as it stands, on the alert as the daemon had it. Oldest first.
 */
export async function roundsFound(asked: RoundsAsked): Promise<readonly RoundFound[]> {
  const { subject, kinds, recorded, from, to, alertAt } = asked;
  // Whether its gates were open says the record; the verdict does not depend on them.
  const rule = alone(asked.rule, new Set([subject]));
  const needs = needsOf(rule, kinds);
  const mine = needsByKey([needs], await recordedMetrics(recorded, [needs]));
  const others = asked.rules.flatMap((one) =>
    one.name === rule.name ? [] : beside(one, new Set(mine.keys()), kinds),
  );
  const world = [rule, ...others];
  const all = world.map((one) => needsOf(one, kinds));
  const byKey = new Map(needsByKey(all, await recordedMetrics(recorded, all)));
  for (const [key, { metrics }] of mine) {
    const shared = byKey.get(key);
    // What only others need of it may not have been recorded then.
    if (shared !== undefined) byKey.set(key, { ...shared, metrics });
  }
  const intervalMs = (rule.schedule.third(to) - to) / 3;
  const bucketMs = needs.kind.bucketMs ?? 0;
  const oldest = (await recorded.span())?.first ?? to;
  let start =
    from -
    2 * needs.lookBackMs -
    RUN_IN * Math.max(intervalMs, bucketMs) -
    rule.forMs -
    rule.resolveAfterMs;
  for (;;) {
    const { found, hasSeen } = await decidedAgain(start);
    if (hasSeen || start <= oldest) return found;
    // It has had no data for a while: what it saw last was before that.
    start = from - LONGER * (from - start);
  }

  async function decidedAgain(
    since: number,
  ): Promise<{ readonly found: readonly RoundFound[]; readonly hasSeen: boolean }> {
    const found: RoundFound[] = [];
    /** By metric, of those that it compares with what it saw last: in how many rounds before it had a value. */
    const seenIn = new Map<string, number>();
    await backtest({
      worlds: [world],
      kinds,
      from: await firstRound(recorded, rule.name, since, to),
      to,
      tracks: await tracksOf(byKey, recorded, new Map(), new Map()),
      recorded,
      lookBackMs: 2 * needs.lookBackMs + RUN_IN * bucketMs,
      selfNotify: [],
      log: createLogger({ level: "silent", stream: { write: () => true } }),
      beforeRound: (date, memory) => {
        for (const { rule: its, alerts } of memory.rules) {
          if (its.name !== rule.name) continue;
          for (const one of alerts) {
            const kept = alertAt(date - 1);
            if (kept === null) continue;
            // What it saw last is not written down for each round.
            const { seen, missing } = one.alert ?? kept;
            one.alert = { ...kept, seen, missing };
          }
        }
      },
      onDecided: (date, decided) => {
        for (const one of decided) {
          countSeen(one, rule.name, subject, date < from, seenIn);
          if (date >= from) found.push(...foundIn(one, rule.name, subject, date));
        }
      },
      stop: new AbortController().signal,
    });
    return { found, hasSeen: [...seenIn.values()].every((rounds) => rounds >= SEEN) };
  }
}

/** Counts, of each metric that the rule compares with what it saw last, the rounds before in which it had a value. */
function countSeen(
  { work, decision }: DecidedWork,
  name: string,
  subject: string,
  isBefore: boolean,
  seenIn: Map<string, number>,
): void {
  for (const [i, { verdict }] of decision.alerts.entries()) {
    const memory = work.due[i];
    if (memory?.subject.key !== subject || memory.watched.rule.name !== name) continue;
    for (const metric of memory.watched.lastMetrics) {
      const isSeen = isBefore && verdict.context.value(metric) !== null;
      seenIn.set(metric, (seenIn.get(metric) ?? 0) + (isSeen ? 1 : 0));
    }
  }
}

/** The first round of a rule from a time on: what was before it, such as points of a history, fills its windows. */
async function firstRound(
  recorded: Recorded,
  rule: string,
  from: number,
  to: number,
): Promise<number> {
  for await (const page of recorded.rounds(from, to)) {
    const first = page.find(({ rules }) => rules.includes(rule));
    if (first !== undefined) return first.date;
  }
  return to;
}

/**
 * Another rule in whose rounds samples were taken of any of these subjects, by their keys: it watches them, each alone
 * or together with others, or compares with them. None where it does not.
 */
function beside(
  other: Rule,
  keys: ReadonlySet<string>,
  kinds: ReadonlyMap<string, WatchKind>,
): Rule[] {
  if (other.subjects.some(({ key }) => keys.has(key))) return [alone(other, keys)];
  const { own, references } = needsOf(other, kinds);
  const isRead =
    own.some(({ key }) => keys.has(key)) || references.some(({ subject }) => keys.has(subject.key));
  // Of one that only compares with them any subject will do.
  return isRead ? [alone(other, new Set(other.subjects.slice(0, 1).map(({ key }) => key)))] : [];
}

/** The rule on these subjects alone, or on all of its own together; it notifies nobody and has no gates. */
function alone(rule: Rule, keys: ReadonlySet<string>): Rule {
  const subjects =
    rule.across === null ? rule.subjects.filter(({ key }) => keys.has(key)) : rule.subjects;
  return { ...rule, subjects, gates: null, notify: [] };
}

function foundIn(
  { work, reading, references, decision }: DecidedWork,
  name: string,
  subject: string,
  date: number,
): RoundFound[] {
  return decision.alerts.flatMap(({ alert, verdict, truth }, i): RoundFound[] => {
    const memory = work.due[i];
    if (memory === undefined || memory.subject.key !== subject) return [];
    const { rule } = memory.watched;
    if (rule.name !== name) return [];
    const trouble = troubleOf(reading, memory.watched, references);
    const label = memory.alert?.label ?? memory.subject.name;
    const seen: Seen = {
      context: verdict.context,
      rule,
      description: calledBy(label, reading.describe()),
      trouble,
    };
    const { bucket } = verdict;
    return [
      {
        date,
        truth: known(truth),
        when: partOf(rule.when, seen),
        resolveWhen: rule.resolveWhen === null ? null : partOf(rule.resolveWhen, seen),
        trouble,
        missing: alert.missing,
        bucket:
          bucket === null
            ? null
            : {
                start: bucket.rows.newest,
                ms: bucket.ms,
                trueMs: bucket.rows.trueMs,
                recoveredMs: bucket.rows.recoveredMs,
              },
      },
    ];
  });
}

import { MINUTE } from "../base/duration.ts";
import type { Request, Source } from "../fetch/source.ts";
import type { Answers, Reading } from "../kinds/kind.ts";
import type { Answer, Ask, Failure } from "../model/index.ts";
import type { RuleMemory, SubjectMemory } from "./memory.ts";
import { type PlannedRequest, planRequests, type RoundPlan, type Work } from "./plan.ts";
import {
  emptyTally,
  MOST_NAMED_FAILURES,
  type RecordTally,
  type Tallies,
  tallyAnswer,
} from "./tally.ts";

/** In the last wave a subject is read with what is there, whatever its kind still wants. */
const MOST_WAVES = 5;

export interface PollReport {
  /** As many as were really sent, where the source tells. */
  readonly requests: number;
  readonly failed: number;
  readonly tallies: Tallies;
  readonly failures: Readonly<Record<string, Failure>>;
  /** A subject learned to ask for other things than before. */
  readonly learned: boolean;
  /** So did others, whatever group their rules are of: facts became known, which are asked for once. */
  readonly learnedFacts: boolean;
  /** The first request of the plan for which there was no time; null: all were begun. */
  readonly unbegun: PlannedRequest | null;
}

export interface PollHooks {
  readonly onReading: (work: Work, reading: Reading) => void;
  readonly onTrouble: (work: Work | null, error: unknown) => void;
  /** What of a reading counts; where that throws, the subject could not be read. Default: all of it. */
  readonly check?: (subject: SubjectMemory, reading: Reading) => Reading;
  /** A subject's answers come from elsewhere than before: a list is read as if for the first time. */
  readonly isForeign?: (subject: SubjectMemory) => boolean;
  /** One for all that is polled at this date; default: nothing else is. */
  readonly round?: object;
}

/** A source that answers fewer asks than it was given must not leave a subject unread. */
const NO_ANSWER: Answer = {
  status: "failed",
  failure: { reason: "malformed", detail: "the source gave no answer" },
};

/** What is read of an answer that its watch kind could not read. */
export const UNREADABLE: Reading = {
  rows: [],
  trouble: "the answer could not be read",
  absent: false,
  unanswered: null,
  closed: false,
  marks: () => [],
  decimals: () => null,
  describe: () => ({ label: "", chain: "", link: null, range: null, unit: () => "" }),
};

/** The answers to one work's asks as they come in. */
interface Progress {
  asks: readonly Ask[];
  readonly answers: (Answer | undefined)[];
  open: number;
  /** The subject's when its first answer came: a commit may move it on meanwhile. */
  readonly cursor: string | null;
}

/**
 * Asks for everything a round needs, in waves, and hands over each subject as soon as its last
 * answer is there. A failed request is an answer too and touches only its own subjects; nothing
 * rejects. Aborting the signal ends it with what is known by then.
 */
export async function poll(
  plan: RoundPlan,
  source: Source,
  facts: Map<string, Answer>,
  date: number,
  signal: AbortSignal,
  { onReading, onTrouble, check, isForeign, round = signal }: PollHooks,
): Promise<PollReport> {
  // Made with the first answer and gone with the last: a round of many subjects stays small.
  const progress: (Progress | undefined)[] = Array.from({ length: plan.works.length });
  const failures: Record<string, Failure> = {};
  const tallies = new Map<Ask["record"], RecordTally>();
  let requests = 0;
  let failed = 0;
  let learned = false;
  let learnedFacts = false;
  const unbegun = new Set<PlannedRequest>();
  let wave = 0;
  let next = new Map<number, readonly Ask[]>();

  /** Reads a work once its answers are there, unless what it shows to be needed must be asked first. */
  const settle = (index: number, work: Work, answers: Answers, known: string | null): boolean => {
    const { subject } = work;
    const cursor = known !== null && isForeign?.(subject) === true ? null : known;
    let reading: Reading;
    try {
      if (subject.wantsFacts && learnFacts(subject, answers, facts, date)) learnedFacts = true;
      const wanted = subject.kind.follow(subject.subject, answers, cursor);
      if (wanted.length > 0) {
        const follow = wanted.filter(({ record }) => source.serves(record));
        const missing = follow.filter((ask) => answers(ask) === undefined);
        if (missing.length > 0 && wave < MOST_WAVES) {
          next.set(index, missing);
          return false;
        }
        // The next pages of a list are not those that will be wanted next time.
        const lasting = subject.kind.stream === undefined ? follow : [];
        if (lasting.length > 0 && !sameAsks(lasting, subject.followed)) {
          subject.followed = lasting;
          learned = true;
        }
      }
      reading = subject.kind.read(subject.subject, answers, date, cursor);
      if ((reading.stream?.cursor ?? cursor) !== cursor) learned = true;
      if (check !== undefined) reading = check(subject, reading);
    } catch (error) {
      // One answer that trips its reader must not take the round's other subjects with it.
      onTrouble(work, error);
      reading = UNREADABLE;
    }
    onReading(work, reading);
    return true;
  };

  const hand = (index: number, asked: Ask, answer: Answer): void => {
    const work = plan.works[index];
    if (work === undefined) return;
    const { cursor } = work.subject;
    const asks = plan.asks[index] ?? null;
    const known = progress[index];
    if (known === undefined && asks === null) {
      // It has this ask and no other, as most have, of which nothing need be kept.
      const only: Answers = ({ key }) => (key === asked.key ? answer : facts.get(key));
      if (settle(index, work, only, cursor)) return;
      progress[index] = { asks: [asked], answers: [answer], open: 0, cursor };
      return;
    }
    const one = (progress[index] ??= begin(asks ?? [asked], cursor));
    if (!take(one, asked, answer)) return;
    const all: Answers = (ask) => answerOf(one, ask) ?? facts.get(ask.key);
    // Answers are large and rounds are long: what has been read may go.
    if (settle(index, work, all, one.cursor)) progress[index] = undefined;
  };

  const ask = async ({ request, waiting }: PlannedRequest): Promise<void> => {
    requests += 1;
    let answers: readonly Answer[] = [];
    try {
      answers = await source.fetch(request, signal, round);
    } catch (error) {
      // Against its contract; the round goes on without.
      onTrouble(null, error);
    }
    const tally = tallies.get(request.record) ?? emptyTally();
    tallies.set(request.record, tally);
    for (let i = 0; i < request.asks.length; i += 1) {
      const asked = request.asks[i];
      if (asked === undefined) continue;
      const answer = answers[i] ?? NO_ANSWER;
      tallyAnswer(tally, asked, answer);
      if (answer.status === "failed") {
        if (failed < MOST_NAMED_FAILURES) failures[asked.key] = answer.failure;
        failed += 1;
      }
      const waiter = waiting[i] ?? [];
      if (typeof waiter === "number") hand(waiter, asked, answer);
      else for (const index of waiter) hand(index, asked, answer);
    }
  };

  /** Requests to one endpoint begin one after the other; one that hangs holds up no other endpoint. */
  const askInTurn = async (lane: readonly PlannedRequest[]): Promise<void> => {
    const asking: Promise<void>[] = [];
    for (const one of lane) {
      // What is out of time need not wait for anything.
      if (!signal.aborted) await source.room(one.request, signal);
      if (signal.aborted) unbegun.add(one);
      asking.push(ask(one));
    }
    await Promise.all(asking);
  };

  let planned: readonly PlannedRequest[] = plan.requests;
  while (planned.length > 0) {
    wave += 1;
    next = new Map();
    await Promise.all(byEndpoint(planned).map(askInTurn));
    const indices = [...next.keys()];
    for (const [index, asks] of next) extend(progress[index], asks);
    planned = planRequests(next.values(), source, (position) => indices[position] ?? 0);
  }
  const sent = source.sent?.(signal) ?? requests;
  const late = unbegun.size === 0 ? undefined : plan.requests.find((one) => unbegun.has(one));
  return {
    requests: sent,
    failed,
    tallies,
    failures,
    learned,
    learnedFacts,
    unbegun: late ?? null,
  };
}

function byEndpoint(planned: readonly PlannedRequest[]): readonly PlannedRequest[][] {
  const lanes = new Map<Request["endpoint"], PlannedRequest[]>();
  for (const one of planned) {
    const lane = lanes.get(one.request.endpoint);
    if (lane === undefined) lanes.set(one.request.endpoint, [one]);
    else lane.push(one);
  }
  return [...lanes.values()];
}

function begin(asks: readonly Ask[], cursor: string | null): Progress {
  return { asks, answers: asks.map(() => undefined), open: asks.length, cursor };
}

/** Keeps what was answered of a subject's facts; failures are not answers. True if any was. */
function learnFacts(
  { kind, subject, cursor }: SubjectMemory,
  answers: Answers,
  facts: Map<string, Answer>,
  date: number,
): boolean {
  // A service that answers nothing at the moment refuses what it will know again.
  const isDown = (): boolean =>
    kind.asks(subject, date, cursor).some((own) => answers(own)?.status === "failed");
  let learned = false;
  for (const ask of kind.facts?.(subject, (fact) => facts.get(fact.key)) ?? []) {
    if (facts.has(ask.key)) continue;
    const answer = answers(ask);
    if (answer === undefined) continue;
    // A token that the service refuses to tell of is one without facts; anything else may pass.
    if (answer.status === "failed" && (answer.failure.reason !== "refused" || isDown())) continue;
    facts.set(ask.key, answer);
    learned = true;
  }
  return learned;
}

function answerOf(one: Progress, ask: Ask): Answer | undefined {
  const place = placeOf(one, ask);
  return place < 0 ? undefined : one.answers[place];
}

/** Notes an answer; true when it was the last one that the work was waiting for. */
function take(one: Progress, ask: Ask, answer: Answer): boolean {
  const index = placeOf(one, ask);
  if (index < 0 || one.answers[index] !== undefined) return false;
  one.answers[index] = answer;
  one.open -= 1;
  return one.open === 0;
}

function placeOf({ asks }: Progress, { key }: Ask): number {
  for (let i = 0; i < asks.length; i += 1) if (asks[i]?.key === key) return i;
  return -1;
}

function extend(one: Progress | undefined, asks: readonly Ask[]): void {
  if (one === undefined) return;
  one.asks = [...one.asks, ...asks];
  one.open += asks.length;
}

function sameAsks(a: readonly Ask[], b: readonly Ask[]): boolean {
  return a.length === b.length && a.every((ask, i) => ask.key === b[i]?.key);
}

/** Of the time until the next round a poll leaves this share to its commits: it would else be skipped. */
const LEFT_TO_CLOSE = 0.1;
/** What hangs is to fail by its own time limit first: a round that is cut off says nothing of it. */
const BEYOND_TIMEOUT_MS = 250;
/** Half as much time again as the rate demands. */
const AT_RATE = 1.5;

interface Pace {
  /** The time limit of one request, in milliseconds. */
  readonly timeoutMs: number;
  readonly requestsPerSecond: number;
}

/**
 * How long a poll may take, in real milliseconds: most of the time until the next round, or what its
 * requests demand at their rate.
 */
export function budgetMs(pace: Pace, untilNextMs: number, requests: number): number {
  const rateMs = (requests * AT_RATE * 1_000) / pace.requestsPerSecond;
  const needed = pace.timeoutMs + BEYOND_TIMEOUT_MS + rateMs;
  return Math.max(untilNextMs * (1 - LEFT_TO_CLOSE), needed);
}

/**
 * How long it is at `now` until the first of the rules whose round at `date` begins is due again, in
 * milliseconds; a minute at most. The first look is not at a scheduled time: its next one may be near.
 */
export function untilNext(rules: readonly RuleMemory[], date: number, now: number): number {
  let least = MINUTE;
  const crons = new Set<string>();
  for (const { rule } of rules) {
    const { key, everyMs } = rule.schedule;
    if (everyMs === null) {
      if (crons.has(key)) continue;
      crons.add(key);
    }
    least = Math.min(least, rule.schedule.next(date) - now);
  }
  return least;
}

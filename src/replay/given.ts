import { isoDay } from "../base/clock.ts";
import type { Answer, Ask, RawRecord } from "../model/index.ts";
import { type Step, stepAt } from "./notation.ts";
import { bucketName, identityOf, recordKey } from "./record-json.ts";
import type { FieldSeries, Moment, SubjectGiven } from "./rule-test.ts";

const ABSENT: Answer = { status: "absent" };
const FAILED: Answer = {
  status: "failed",
  failure: { reason: "timeout", detail: "timed out after 10 s" },
};

const MOST_FOLLOWED = 5;

/** Where a round stands in a case: milliseconds since its start, and the dates of both clocks. */
export interface Moments {
  readonly elapsed: number;
  /** By the daemon's clock. */
  readonly date: number;
  /** By the service's, which no step of a case sets. */
  readonly serviceDate: number;
}

/** What a case says is asked for, but not given. */
export interface Lacking {
  readonly record: Ask["record"];
  readonly subject: string;
}

/** Answers what a case gives, by the records that its subjects ask for. */
export class Given {
  readonly #closed: Closed = new Map();
  /** Whose asks were seen, by what is asked: a daemon asks on for the pool of a position that is not answered. */
  readonly #wanted = new Map<string, SubjectGiven[]>();

  constructor(
    private readonly subjects: readonly SubjectGiven[],
    private readonly onLacking: (lacking: Lacking) => void,
  ) {}

  answers(asks: readonly Ask[], at: Moments): readonly Answer[] {
    for (const one of this.subjects) {
      for (const ask of wantedBy(one, at, this.#closed)) {
        const key = recordKey(ask);
        const known = this.#wanted.get(key);
        if (known === undefined) this.#wanted.set(key, [one]);
        else if (!known.includes(one)) known.push(one);
      }
    }
    return asks.map((ask) => this.#answer(ask, this.#wanted.get(recordKey(ask)), at));
  }

  #answer(ask: Ask, by: readonly SubjectGiven[] | undefined, at: Moments): Answer {
    // Nobody needs it, as a token's decimals that the rule gives already.
    if (by === undefined) return ABSENT;
    const answers = by
      .map((one) => answerOf(one, ask, at, this.#closed))
      .filter((one) => one !== null);
    const [first] = answers;
    if (first === undefined) {
      for (const { name } of by) this.onLacking({ record: ask.record, subject: name });
      return ABSENT;
    }
    return answers.reduce(together);
  }
}

/** Everything that a subject's kind asks for, seen what the case answers. */
function wantedBy(one: SubjectGiven, at: Moments, closed: Closed): readonly Ask[] {
  const { kind, subject } = one;
  const found = new Map<string, Ask>();
  const lookUp = (ask: Ask): Answer | undefined => answerOf(one, ask, at, closed) ?? undefined;
  let next = kind.asks(subject, at.date, null);
  for (let wave = 0; next.length > 0 && wave < MOST_FOLLOWED; wave += 1) {
    for (const ask of next) found.set(ask.key, ask);
    next = kind.follow(subject, lookUp, null).filter(({ key }) => !found.has(key));
  }
  // What only some metrics need is asked for where a rule looks at them; all that there is may be given.
  const extras = kind.extras?.(subject, new Set(kind.metrics.keys())) ?? [];
  for (const ask of extras) if (one.records.has(ask.record)) found.set(ask.key, ask);
  // Facts are asked for only where a rule leaves them open, and need not be given.
  for (const ask of kind.facts?.(subject, lookUp) ?? []) {
    if (one.records.has(ask.record)) found.set(ask.key, ask);
  }
  return [...found.values()];
}

/** Two subjects share a record, as two positions do their pool: what both give of it counts. */
function together(one: Answer, other: Answer): Answer {
  if (one.status !== "ok" || other.status !== "ok") return one.status === "ok" ? other : one;
  const [a, b] = [one.records, other.records];
  if (a.length !== 1 || b.length !== 1) return other;
  return { status: "ok", records: [{ ...a[0], ...b[0] }] };
}

/** What a case gives of one record of a subject; null: nothing at all. */
function answerOf(one: SubjectGiven, ask: Ask, at: Moments, closed: Closed): Answer | null {
  const { kind, records } = one;
  const own = ask.record === kind.records[0];
  const series = own ? one.series : [];
  const moments = records.get(ask.record);
  if (moments === undefined && series.length === 0) return null;
  const given = { series, moments: moments ?? [] };
  // Newest first; of other lists, as of holders, a later one is the whole list.
  const grows = own && kind.stream === "grows";
  const entries = entriesUntil(given.moments, at.elapsed, grows);
  if (own && kind.bucketMs !== null && entries === null) {
    const known = closed.get(one) ?? new Map<number, State>();
    closed.set(one, known);
    return bucketAnswer(one, ask, given, kind.bucketMs, at, known);
  }
  const state = stateAt(given, at.elapsed);
  if (state === "failed") return FAILED;
  // A list that is followed is there before anything is in it.
  const begun = moments?.some((moment) => moment.at <= at.elapsed) === true;
  if (state === "absent" && (begun || !grows)) return ABSENT;
  if (entries === null) {
    const fields = state === "absent" ? {} : state;
    return { status: "ok", records: [{ ...identityOf(ask), ...fields }] };
  }
  const offset = ask.offset ?? 0;
  const page = entries.slice(offset, ask.limit === undefined ? undefined : offset + ask.limit);
  return { status: "ok", records: page.map((entry) => ({ ...identityOf(ask), ...entry })) };
}

interface RecordGiven {
  readonly series: readonly FieldSeries[];
  readonly moments: readonly Moment[];
}

type State = RawRecord | "absent" | "failed";

/** What each bucket of a subject said at its end, by the bucket's start since that of the case: it says so ever after. */
type Closed = Map<SubjectGiven, Map<number, State>>;

function stateAt({ series, moments }: RecordGiven, elapsed: number): State {
  const fields: Record<string, unknown> = {};
  let state: "absent" | "failed" | null =
    moments.length > 0 && series.length === 0 ? "absent" : null;
  for (const { at, change } of moments) {
    if (at > elapsed) break;
    state = change.kind === "absent" || change.kind === "failed" ? change.kind : null;
    if (change.kind === "fields") Object.assign(fields, change.fields);
  }
  const steps = series.map((one): [FieldSeries, Step] => [
    one,
    stepAt(one.parts, Math.max(0, Math.floor(elapsed / one.everyMs))),
  ]);
  if (state === "failed" || steps.some(([, { kind }]) => kind === "failed")) return "failed";
  if (state === "absent" || steps.some(([, { kind }]) => kind === "absent")) return "absent";
  for (const [{ field, json }, step] of steps) {
    fields[field] = step.kind === "value" ? json(step.text) : null;
  }
  return fields;
}

/** The entries of a list; null: the record is given by its fields. What grows is there from the start. */
function entriesUntil(
  moments: readonly Moment[],
  elapsed: number,
  grows: boolean,
): readonly RawRecord[] | null {
  let entries: readonly RawRecord[] | null = grows ? [] : null;
  for (const { at, change } of moments) {
    if (change.kind !== "entries") continue;
    if (at > elapsed) return entries ?? [];
    entries = grows ? [...change.entries, ...(entries ?? [])] : change.entries;
  }
  return entries;
}

/** The buckets that have begun, each as it stands now or stood at its end, oldest first. */
function bucketAnswer(
  { kind }: SubjectGiven,
  ask: Ask,
  given: RecordGiven,
  bucketMs: number,
  { elapsed, serviceDate }: Moments,
  closed: Map<number, State>,
): Answer {
  if (stateAt(given, elapsed) === "failed") return FAILED;
  const start = serviceDate - elapsed;
  const first = start - (start % bucketMs);
  const records: RawRecord[] = [];
  const identity = identityOf(ask);
  for (let bucket = first; bucket <= serviceDate; bucket += bucketMs) {
    const day = isoDay(bucket);
    if ((ask.from !== undefined && day < ask.from) || (ask.to !== undefined && day > ask.to)) {
      continue;
    }
    const from = bucket - start;
    const end = from + bucketMs - 1;
    const state =
      closed.get(from) ?? lastAnswered(given, Math.max(0, from), Math.min(elapsed, end));
    if (end <= elapsed) closed.set(from, state);
    if (typeof state === "object") {
      records.push({ ...identity, ...bucketName(kind, bucket), ...state });
    }
  }
  return { status: "ok", records };
}

/** What was last answered of a bucket from one moment to another: a failed request told nothing. */
function lastAnswered(given: RecordGiven, from: number, to: number): State {
  const changes = [
    ...given.moments.map(({ at }) => at),
    ...given.series.flatMap(({ everyMs }) => stepsWithin(everyMs, from, to)),
  ];
  const moments = [...new Set([to, from, ...changes])].filter((at) => from <= at && at <= to);
  for (const at of moments.toSorted((a, b) => b - a)) {
    const state = stateAt(given, at);
    if (state !== "failed") return state;
  }
  return "failed";
}

function stepsWithin(everyMs: number, from: number, to: number): number[] {
  const first = Math.ceil(from / everyMs);
  const count = Math.max(0, Math.floor(to / everyMs) - first + 1);
  return Array.from({ length: count }, (_, i) => (first + i) * everyMs);
}

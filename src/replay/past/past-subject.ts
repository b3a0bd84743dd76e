import { Decimal, valueFromText } from "../../base/decimal.ts";
import { type Across, AcrossReading, acrossOf } from "../../decide/across.ts";
import type { Description, Reading, Row, StreamReading, WatchKind } from "../../kinds/kind.ts";
import { rangeAt } from "../../kinds/position-row.ts";
import type { Ask, Failure, Quantity, Run, Subject, Unread, Value } from "../../model/index.ts";
import type { PastEntries } from "./past-entries.ts";

/** One metric of one subject as the replay has come to it. */
export interface PastSeries {
  readonly metric: string;
  readonly quantity: Quantity;
  /** The newest run that began by now, and its value; null: none has begun. */
  run: Run | null;
  value: Value | null;
}

/** What is known of a subject beside its values, from a date on. */
export interface SubjectFacts {
  /** Epoch milliseconds; it holds until the next ones. */
  readonly at: number;
  readonly description: Description;
  /** A position without liquidity. */
  readonly closed: boolean;
  decimals(metric: string): number | null;
}

/** A request of a subject that failed in a round. */
export interface PastFailure {
  readonly record: Ask["record"];
  readonly failure: Failure;
}

/** What a round saw of a subject. */
export type PastLook =
  /** As the round wrote down; null: all of it. */
  | { readonly kind: "noted"; readonly noted: Unread | null }
  /**
   * As far as it can be told otherwise. `failure`: a request of it failed, whatever a run bridges. `lacking`:
   * what it read nothing of though it was answered; null: all of it.
   */
  | {
      readonly kind: "inferred";
      readonly failure: PastFailure | null;
      readonly lacking: readonly string[] | null;
    }
  /** Of its list. `cursor`: what that is gone on from; null: it is new. */
  | { readonly kind: "list"; readonly cursor: string | null };

/** Nothing is known to have failed. */
export const WHOLE: PastLook = { kind: "inferred", failure: null, lacking: [] };

/** The metric that says where the price is in a position's range. */
export const PRICE_OF_RANGE = "current_tick";

const NO_ROWS: readonly Row[] = [];

/**
 * A subject in the past: fed with runs in the order of their dates, it gives the reading that a round at any
 * of them had. One object for all rounds, since a replay makes half a million of them: a reading is good
 * until the next one is asked for.
 */
export class PastSubject implements Reading, Row {
  readonly date = null;
  readonly series: PastSeries[] = [];
  rows: readonly Row[] = NO_ROWS;
  absent = false;
  unanswered: Ask["record"] | null = null;
  trouble: string | null = null;
  stream: StreamReading | null = null;
  #lacking: readonly string[] = NOTHING;
  readonly #across: Across | null;
  readonly #self: readonly Row[] = [this];
  readonly #bucketMs: number | null;
  #now = 0;
  /** The facts that hold now, and those that come after them, the next one last. */
  #facts: SubjectFacts;
  #later: SubjectFacts[] = [];
  /** Bucketed kinds: the newest buckets that are known, oldest first, and those with news since the last reading. */
  #buckets: PastBucket[] = [];
  #news = new Set<PastBucket>();

  /** `members`: what it is made of; itself, unless it is several subjects together. */
  constructor(
    readonly subject: Subject,
    readonly kind: WatchKind,
    members: readonly Subject[] = [subject],
    /** The list that it follows; null: it follows none, or its past is not known. */
    readonly entries: PastEntries | null = null,
  ) {
    this.#bucketMs = kind.bucketMs;
    this.#across = acrossOf(subject.key);
    this.#facts = factsOfNothing(members, kind, this.#across);
  }

  /** What is known of it now. */
  get facts(): SubjectFacts {
    return this.#facts;
  }

  /** Takes what is known of it beside its values, oldest first; the first of them holds before its time as well. */
  know(facts: readonly SubjectFacts[]): void {
    const [first = this.#facts, ...others] = facts;
    this.#facts = first;
    this.#later = others.toReversed();
  }

  /** The series of a metric, which is there from now on. */
  seriesOf(metric: string): PastSeries {
    const known = this.series.find((one) => one.metric === metric);
    if (known !== undefined) return known;
    const quantity = this.kind.metrics.get(metric)?.quantity ?? "text";
    const series: PastSeries = { metric, quantity, run: null, value: null };
    this.series.push(series);
    return series;
  }

  /** Takes a run that has begun by the round that comes next. */
  take(series: PastSeries, run: Run): void {
    if (series.run?.value !== run.value) series.value = valueFromText(run.value, series.quantity);
    series.run = run;
    if (this.#bucketMs === null) return;
    const at = this.#buckets.findLastIndex(({ date }) => date <= run.first);
    let bucket = this.#buckets[at];
    if (bucket?.date !== run.first) {
      bucket = new PastBucket(run.first);
      this.#buckets.splice(at + 1, 0, bucket);
      if (this.#buckets.length > MOST_BUCKETS) this.#buckets.shift();
    }
    bucket.values.set(series.metric, series.value);
    this.#news.add(bucket);
  }

  /** What a round at `date` read of it. */
  at(date: number, look: PastLook): Reading {
    this.#now = date;
    for (
      let next = this.#later.at(-1);
      next !== undefined && next.at <= date;
      next = this.#later.at(-1)
    ) {
      this.#facts = next;
      this.#later.pop();
    }
    if (look.kind === "list") this.#readList(look.cursor);
    else if (look.kind === "noted") this.#readNoted(look.noted);
    else this.#readInferred(look.failure, look.lacking);
    return this;
  }

  #readList(cursor: string | null): void {
    this.absent = false;
    this.unanswered = null;
    this.trouble = null;
    this.#lacking = NOTHING;
    this.stream = this.entries?.read(cursor, this.#now) ?? null;
    this.rows = this.#self;
  }

  #readNoted(noted: Unread | null): void {
    this.absent = noted?.absent === true;
    this.unanswered = noted?.unanswered ?? null;
    this.trouble = noted?.trouble ?? null;
    this.#lacking = noted?.metrics ?? NOTHING;
    this.rows = NO_ROWS;
    if (noted?.metrics === null) return;
    if (this.#bucketMs !== null) this.rows = this.#newest();
    // What it lacks shows that it was read.
    else if (this.#lacking.length > 0 || this.covers(this.#now)) this.rows = this.#self;
    else this.trouble ??= "nothing was recorded";
  }

  #readInferred(failure: PastFailure | null, lacking: readonly string[] | null): void {
    this.absent = false;
    this.unanswered = failure?.record ?? null;
    this.trouble = failure === null ? null : failure.failure.detail;
    this.rows = NO_ROWS;
    this.#lacking = lacking ?? NOTHING;
    const isOwn =
      failure !== null &&
      (this.kind.records[0] ?? failure.record) === failure.record &&
      // Of several together there is a value in every round: none where one of them has none.
      (this.#bucketMs !== null || this.#across === null);
    if (isOwn || lacking === null) {
      this.trouble ??= "nothing was recorded";
      return;
    }
    if (this.#bucketMs !== null) {
      this.rows = this.#newest();
      return;
    }
    let known = false;
    let inForce = false;
    for (const { run, value } of this.series) {
      if (run === null || run.last < this.#now) continue;
      inForce = true;
      known ||= value !== null;
    }
    // A closed position is there, whatever its range metrics do not say.
    // What it lacks shows that it was read.
    const isRead = inForce || this.#lacking.length > 0;
    const isClosed = isRead && this.#facts.closed;
    if (known || isClosed || (inForce && failure !== null)) this.rows = this.#self;
    else {
      this.absent = inForce && failure === null;
      this.trouble ??= inForce ? "not in the answer" : "nothing was recorded";
    }
  }

  /** Whether a round at `date` recorded a value of all of its metrics. */
  knows(date: number): boolean {
    if (this.#bucketMs !== null) return this.#buckets.length > 0;
    return this.series.every(
      ({ run, value }) => run !== null && run.last >= date && value !== null,
    );
  }

  /** Whether a round at `date` recorded anything of it, good or bad. */
  covers(date: number): boolean {
    if (this.#bucketMs !== null) return this.#buckets.length > 0;
    for (const { run } of this.series) if (run !== null && run.last >= date) return true;
    return false;
  }

  /** Nothing is known of a position that was not read. */
  get closed(): boolean {
    return this.rows.length > 0 && this.#facts.closed;
  }

  value(metric: string): Value | null {
    for (const one of this.series) {
      if (one.metric !== metric) continue;
      return this.#isSeen(one) ? one.value : null;
    }
    return null;
  }

  text(metric: string): string | null {
    for (const one of this.series) {
      if (one.metric === metric) return this.#isSeen(one) ? (one.run?.value ?? null) : null;
    }
    return null;
  }

  /** A metric of which this round recorded nothing, good or bad, though it did of others. */
  isUnseen(metric: string): boolean {
    for (const one of this.series) if (one.metric === metric) return !this.#isSeen(one);
    return true;
  }

  #isSeen({ metric, run }: PastSeries): boolean {
    return run !== null && run.last >= this.#now && !this.#lacking.includes(metric);
  }

  marks(): [] {
    return [];
  }

  decimals(metric: string): number | null {
    return this.#facts.decimals(metric);
  }

  describe(): Description {
    const { at, description } = this.#facts;
    const { range, rangeDecimals, ...rest } = description;
    if (range === null || at === this.#now) return description;
    // The price in it is that of when it was noted, unless the pool is where it was.
    const tick = this.value(PRICE_OF_RANGE);
    if (rangeDecimals === undefined || !(tick instanceof Decimal)) return { ...rest, range: null };
    const now = Number(tick.toString());
    return now === range.tick
      ? description
      : { ...rest, range: rangeAt(range, rangeDecimals, now) };
  }

  /** The newest buckets and all that have news: the engine remembers what the others said. */
  #newest(): readonly Row[] {
    const first = this.#buckets.length - FEW_BUCKETS;
    if (this.#news.size === 0) return this.#buckets.slice(Math.max(0, first));
    const rows = this.#buckets.filter((one, i) => i >= first || this.#news.has(one));
    this.#news.clear();
    return rows;
  }
}

/** An answer has so many buckets at most that may still change. */
const MOST_BUCKETS = 80;
/** So many are given in each reading. */
const FEW_BUCKETS = 3;

const NOTHING: readonly string[] = [];

class PastBucket implements Row {
  readonly values = new Map<string, Value | null>();

  constructor(readonly date: number) {}

  value(metric: string): Value | null {
    return this.values.get(metric) ?? null;
  }
}

/** What a kind says of a subject of which nothing was ever answered: its id, its chain, no unit. */
function factsOfNothing(
  members: readonly Subject[],
  kind: WatchKind,
  across: Across | null,
): SubjectFacts {
  const readings = members.map((one) => kind.read(one, () => undefined, 0, null));
  const [only] = readings;
  const reading =
    across === null && only !== undefined
      ? only
      : new AcrossReading(across ?? "sum", kind.bucketMs !== null, members, readings);
  return { at: 0, closed: false, description: reading.describe(), decimals: () => null };
}

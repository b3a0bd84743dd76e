import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../../base/clock.ts";
import { HOUR, MINUTE } from "../../base/duration.ts";
import type { Log } from "../../base/log.ts";
import type { Source } from "../../fetch/source.ts";
import type { Answer, Ask } from "../../model/index.ts";
import { isBackfilled } from "../../poll/backfill-state.ts";
import type { Memory, SubjectMemory } from "../../poll/memory.ts";
import type { SeriesMemory } from "../../poll/series-memory.ts";
import type { Store } from "../../store/store.ts";
import type { Committer } from "../committer.ts";
import type { SourceAffinity } from "../source-affinity.ts";
import { historyOf, type SeriesHistory } from "./histories.ts";
import { backfillSubject, isCovered } from "./points.ts";

const FIRST_DELAY_MS = MINUTE;
const LONGEST_DELAY_MS = HOUR;
/** Subjects in one pool have one history: so many answers are kept for those that come next. */
const MOST_ANSWERS = 16;
/** The share of the requests in a second that are for histories. */
const SHARE = 10;

export interface BackfillOptions {
  readonly memory: Memory;
  readonly source: Source;
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly log: Log;
  readonly requestsPerSecond: number;
  /** Who answers what two affinity can answer. */
  readonly affinity: SourceAffinity;
}

/** A subject with windows that a history could fill. */
interface Job {
  readonly subject: SubjectMemory;
  readonly series: readonly SeriesMemory[];
  /** Under which name the subject's samples are kept: of another one, what is asked for is not the past. */
  readonly storeKey: string;
  /** Elapsed time. */
  due: number;
  delayMs: number;
}

/**
 * Fills windows once from histories, beside the rounds: one request after the other, a tenth of what
 * may be asked in a second. What fails is tried again later; until then its series are `priming`.
 */
export class Backfill {
  readonly #stop = new AbortController();
  /** Samples of our own are dated from then on. */
  readonly #opened: number;
  readonly #answers = new Map<string, Answer>();
  #jobs: Job[];
  #started = false;
  #running: Promise<void> | null = null;
  #wake = (): void => {};
  /** Why a history could not be fetched last. */
  #detail: string | null = null;

  constructor(private readonly options: BackfillOptions) {
    const now = options.clock.now();
    this.#opened = now - (now % 1_000);
    this.#jobs = jobsOf(
      options.memory.subjects.values(),
      options.source,
      now,
      options.clock.elapsed(),
    );
    for (const { series } of this.#jobs) for (const one of series) one.backfilling = true;
  }

  start(): void {
    this.#started = true;
    this.poke();
  }

  /** After a round: looks for what is due, if that does not go on already. */
  poke(): void {
    if (
      !this.#started ||
      this.#stop.signal.aborted ||
      this.#running !== null ||
      this.#jobs.length === 0
    )
      return;
    this.#running = this.#run()
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted)
          this.options.log.error({ err: error }, "the backfill failed");
      })
      .finally(() => {
        this.#running = null;
        this.#answers.clear();
        this.#arm();
      });
  }

  /** A subject begins anew: its windows may have a history at the source that it has now. */
  add(subject: SubjectMemory): void {
    const { source, clock } = this.options;
    const fresh = jobsOf([subject], source, clock.now(), clock.elapsed());
    for (const { series } of fresh) for (const one of series) one.backfilling = true;
    this.#jobs = [...this.#jobs.filter((job) => job.subject !== subject), ...fresh];
  }

  /** Resolves when nothing is asked for at the moment. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake();
    await this.idle();
  }

  async #run(): Promise<void> {
    const { clock, log } = this.options;
    let filled = 0;
    let failed = 0;
    this.#detail = null;
    for (const job of this.#jobs) {
      if (this.#stop.signal.aborted) return;
      if (job.due > clock.elapsed() || isOver(job)) continue;
      const left = await this.#fill(job).catch((error: unknown) => {
        // A history that trips its reader must not keep the others from theirs.
        if (!this.#stop.signal.aborted) {
          log.error({ subject: job.subject.key, err: error }, "a history could not be stored");
        }
        return "failed" as const;
      });
      if (isOver(job)) continue;
      if (left === "done") {
        for (const one of job.series) one.backfilling = false;
        filled += 1;
      } else if (left === "failed") {
        failed += 1;
        job.due = clock.elapsed() + job.delayMs;
        job.delayMs = Math.min(2 * job.delayMs, LONGEST_DELAY_MS);
      }
    }
    this.#jobs = this.#jobs.filter(({ series }) => series.some(({ backfilling }) => backfilling));
    if (filled > 0)
      log.info({ subjects: filled, left: this.#jobs.length }, "windows are filled from histories");
    if (failed > 0 && !this.#stop.signal.aborted) {
      const detail = this.#detail;
      log.warn(
        { subjects: failed, detail },
        "histories cannot be fetched, and are asked for again",
      );
    }
  }

  /** `later`: what it takes is learned in a round. */
  async #fill({ subject, series, storeKey }: Job): Promise<"done" | "later" | "failed"> {
    const { source, store, clock, committer } = this.options;
    const now = clock.now();
    const histories: SeriesHistory[] = [];
    for (const one of series.filter(({ backfilling }) => backfilling)) {
      const history = historyOf(subject, one, now);
      if (history === "later") return "later";
      if (history !== null && !(await isCovered(subject, history, store, now))) {
        histories.push(history);
      }
    }
    if (histories.length === 0) return "done";
    const { affinity } = this.options;
    const asked = histories.flatMap(({ asks }) => asks);
    // Who has its past is known once it was answered.
    if (asked.some(({ like }) => like !== undefined && affinity.sourceOf(like) === null)) {
      return "later";
    }
    const answers = new Map<string, Answer>();
    for (const { asks } of histories) {
      for (const ask of asks) {
        if (answers.has(ask.key) || !source.serves(ask.record)) continue;
        const answer = await this.#ask(ask);
        if (answer === null) return "failed";
        answers.set(ask.key, answer);
      }
    }
    const lookUp = (ask: Ask): Answer | undefined => answers.get(ask.key);
    const taking = { committer, opened: this.#opened, now, storeKey };
    await backfillSubject(subject, histories, lookUp, taking);
    return "done";
  }

  /** Null: it has to be asked again; what the service refuses to tell has no history. */
  async #ask(ask: Ask): Promise<Answer | null> {
    const { source, affinity, requestsPerSecond, log } = this.options;
    const family = ask.like === undefined ? undefined : affinity.sourceOf(ask.like);
    const key = `${ask.key} ${family ?? ""}`;
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const [request] = source.plan([ask]);
    if (request === undefined) return null;
    // While the family that has it does not answer, the other one is tried.
    if (family !== undefined && request.family !== family) return null;
    // The requests of one signal are one round's to the source.
    const round = new AbortController();
    const end = (): void => round.abort();
    this.#stop.signal.addEventListener("abort", end);
    await source.room(request, round.signal);
    const [answer] = await source.fetch(request, round.signal);
    this.#stop.signal.removeEventListener("abort", end);
    await pause((SHARE * 1_000) / requestsPerSecond, undefined, { signal: this.#stop.signal });
    if (answer === undefined) return null;
    if (answer.status === "failed") {
      const { reason, detail } = answer.failure;
      log.debug({ ask: ask.key, detail }, "a history could not be fetched");
      if (reason !== "refused") {
        this.#detail = detail;
        return null;
      }
    }
    if (this.#answers.size >= MOST_ANSWERS) this.#answers.clear();
    this.#answers.set(key, answer);
    return answer;
  }

  #arm(): void {
    this.#wake();
    if (this.#stop.signal.aborted) return;
    const { clock } = this.options;
    const waits = this.#jobs.map((job) => job.due - clock.elapsed()).filter((ms) => ms > 0);
    if (waits.length === 0) return;
    this.#wake = clock.after(Math.min(...waits), () => this.poke());
  }
}

/** Its subject has begun anew, and has another job if it needs one. */
function isOver({ subject, storeKey }: Job): boolean {
  return subject.storeKey !== storeKey;
}

/** Every subject with a window for which there may be a history that was not asked for yet. */
function jobsOf(
  subjects: Iterable<SubjectMemory>,
  source: Source,
  now: number,
  due: number,
): Job[] {
  const jobs: (Job & { readonly key: string })[] = [];
  for (const subject of subjects) {
    if (subject.isCopy) continue;
    const wanted: SeriesMemory[] = [];
    let key = "";
    for (const series of subject.series) {
      const history = historyOf(subject, series, now);
      if (history === null) continue;
      if (history !== "later") {
        if (isBackfilled(subject.backfills ?? [], series.metric, history.needMs, now)) continue;
        if (!history.asks.every(({ record }) => source.serves(record))) continue;
        key ||= history.asks[0]?.key ?? "";
      }
      wanted.push(series);
    }
    if (wanted.length === 0) continue;
    const { storeKey } = subject;
    jobs.push({ key, subject, series: wanted, storeKey, due, delayMs: FIRST_DELAY_MS });
  }
  // Those of one history follow each other.
  return jobs.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

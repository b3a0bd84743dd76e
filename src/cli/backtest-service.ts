import { deflateSync, inflateSync } from "node:zlib";
import { systemClock } from "../base/clock.ts";
import { isMap, listOf } from "../base/json.ts";
import { acrossKind } from "../decide/across.ts";
import type { Source } from "../fetch/source.ts";
import type { Answers, PastList } from "../kinds/kind.ts";
import type { Answer, Ask, RawRecord, Subject } from "../model/index.ts";
import { type HistoryPlan, historyPlan } from "../replay/past/histories.ts";
import type { Need } from "../replay/past/needs.ts";
import type { ListTrack } from "../replay/past/past-entries.ts";
import type { SubjectFacts } from "../replay/past/past-subject.ts";
import { factsToday, type HistoryTrack } from "../replay/past/tracks.ts";
import type { HistoryCache } from "../store/operator-db/history-cache.ts";
import { listTrackOf, recordsIn } from "./backtest-list-track.ts";
import { type ReadList, readList } from "./backtest-lists.ts";
import type { Span, Told } from "./backtest-run.ts";

export interface Asking extends Span {
  readonly source: Source;
  /** Null: what is fetched is not kept. */
  readonly cache: HistoryCache | null;
  readonly stop: AbortSignal;
  /** Hears of each request: how many are done, and of how many. */
  readonly onRequest: (done: number, of: number) => void;
  /** From when on single entries are needed. */
  readonly entriesFrom: number;
}

/** What the service told, and what it did not. */
export interface Fetched extends Told {
  readonly requests: number;
}

type Answered = ReadonlyMap<string, Answer>;

/** Kinds of which the service has no records, or none that a past could be made of. */
function isAsked({ kind, subject }: Need): boolean {
  const isList = kind.stream !== undefined && kind.pastList === undefined;
  return !isList && kind.kind !== "source" && acrossKind(subject.key) === null;
}

/** Asks what subjects are today, and for the histories of their metrics. Never rejects for what fails. */
export async function fetchTold(needs: readonly Need[], asking: Asking): Promise<Fetched> {
  const now = systemClock().now();
  const wanted = needs.filter(isAsked);
  const counter = { requests: 0, done: 0, failures: new Set<string>() };
  const answers = await askToday(wanted, now, asking, counter);
  const lookUp: Answers = ({ key }) => answers.get(key);
  const facts = new Map<string, SubjectFacts>();
  const plans = new Map<string, { readonly plan: HistoryPlan; readonly needs: Need[] }>();
  for (const need of wanted) {
    const { subject, kind } = need;
    facts.set(subject.key, factsToday(need, lookUp, now));
    const plan = kind.pastList === undefined ? historyPlan(need, now, lookUp) : null;
    if (plan === null) continue;
    const known = plans.get(plan.key);
    if (known === undefined) plans.set(plan.key, { plan, needs: [need] });
    else known.needs.push(need);
  }
  const histories = new Map<string, HistoryTrack>();
  const asked = new Map<string, Promise<readonly RawRecord[] | null>>();
  // Rules on swaps and on prices need the same ones.
  const recordsOnce = (plan: HistoryPlan): Promise<readonly RawRecord[] | null> => {
    const found = asked.get(plan.key) ?? recordsOf(plan, now, asking, counter);
    asked.set(plan.key, found);
    return found;
  };
  await Promise.all(
    Array.from(plans.values(), async ({ plan, needs: its }) => {
      const records = await recordsOnce(plan);
      if (records === null || records.length === 0) return;
      for (const need of its) {
        const own = historyPlan(need, now, lookUp) ?? plan;
        const points = own.points(records, now);
        const told = new Map(
          [...points].filter(([, all]) => all.some(([, value]) => value !== null)),
        );
        // Which way round prices are a point tells.
        facts.set(need.subject.key, factsToday(need, lookUp, now, records));
        if (told.size === 0) continue;
        const ranges = own.ranges?.(records, now) ?? [];
        histories.set(need.subject.key, { spacingMs: own.spacingMs, points: told, ranges });
      }
    }),
  );
  const lists = new Map<string, ListTrack>();
  await Promise.all(
    wanted.map(async (need) => {
      const { subject, kind } = need;
      if (kind.pastList === undefined) return;
      const list = await readKept(subject, kind.pastList, now, asking, counter);
      if (list === null) return;
      const track = await listTrackOf(need, kind.pastList, list, lookUp, now, recordsOnce);
      lists.set(subject.key, track);
    }),
  );
  const { requests, failures } = counter;
  return { histories, facts, lists, requests, failures: [...failures] };
}

/** A list from now back to the beginning, as far as it can be had; it is kept, and gone on from. */
async function readKept(
  subject: Subject,
  list: PastList,
  now: number,
  asking: Asking,
  counter: Counter,
): Promise<ReadList | null> {
  const { cache, source, entriesFrom } = asking;
  const { record, chainId, id } = list.page(subject, 0, 1);
  if (!source.serves(record, chainId)) return null;
  const key = `list:${record}:${chainId}:${id}`;
  const row = cache?.find(key) ?? null;
  const kept =
    row === null
      ? null
      : { since: row.first, items: list.items({ status: "ok", records: unpack(row.body) }) ?? [] };
  const read = await readList(subject, list, entriesFrom, kept, async (ask) => {
    const [found] = await fetchAll([ask], asking, counter);
    return recordsIn(found?.[1]);
  });
  if (read !== null && read !== kept) {
    const body = pack(read.items.map(({ value }) => value));
    cache?.put(key, { first: read.since, last: now, body }, now);
  }
  return read;
}

/** How many requests `fetchTold` needs at most, without asking anything. */
export function countRequests(
  needs: readonly Need[],
  { from, to, source, cache }: Pick<Asking, "from" | "to" | "source" | "cache">,
): {
  readonly today: number;
  readonly histories: number;
  readonly cached: number;
  /** Lists that are read by page: how many pages they have is not known before. */
  readonly lists: number;
} {
  const now = systemClock().now();
  const wanted = needs.filter(isAsked);
  const today = source.plan(
    unique(wanted.flatMap((need) => asksOf(need, now, source, () => undefined))),
  );
  const keys = new Set<string>();
  let [histories, cached] = [0, 0];
  const lists = wanted.filter(({ kind }) => kind.pastList !== undefined);
  for (const need of wanted) {
    if (need.kind.pastList !== undefined) {
      // Its pool, and both of its tokens, which the pool names.
      histories += 3 * Math.ceil((now - from) / 3_600_000 / 1_000);
      continue;
    }
    // The pool of a position is known once it was asked for: each may have one of its own.
    const plan = historyPlan(need, now, () => undefined);
    const key = plan?.key ?? need.subject.key;
    if (keys.has(key) || (plan === null && need.kind.replayed === undefined)) continue;
    keys.add(key);
    if (plan === null) {
      histories += Math.ceil((now - from) / 3_600_000 / 1_000);
      continue;
    }
    const gap = gapOf(plan, cache, { from, to }, now);
    if (gap === null) cached += 1;
    else histories += plan.asks(gap.from, gap.to, now).length;
  }
  return { today: today.length, histories, cached, lists: lists.length };
}

interface Counter {
  requests: number;
  done: number;
  readonly failures: Set<string>;
}

async function askToday(
  needs: readonly Need[],
  now: number,
  asking: Asking,
  counter: Counter,
): Promise<Answered> {
  const answers = new Map<string, Answer>();
  const lookUp: Answers = ({ key }) => answers.get(key);
  // What one answer shows to be needed is asked in the next wave.
  for (let wave = 0; wave < 3; wave += 1) {
    const asks = unique(needs.flatMap((need) => asksOf(need, now, asking.source, lookUp)));
    const missing = asks.filter(({ key }) => !answers.has(key));
    if (missing.length === 0) break;
    for (const [ask, answer] of await fetchAll(missing, asking, counter))
      answers.set(ask.key, answer);
  }
  return answers;
}

function asksOf(
  { subject, kind }: Need,
  now: number,
  source: Source,
  lookUp: Answers,
): readonly Ask[] {
  // The newest points of a history say nothing of what the subject is called.
  const own = kind.bucketMs === null ? kind.asks(subject, now, null) : [];
  const all = [
    ...own,
    ...kind.follow(subject, lookUp, null),
    ...(kind.facts?.(subject, lookUp) ?? []),
  ];
  return all.filter(({ record, chainId }) => source.serves(record, chainId));
}

function unique(asks: readonly Ask[]): readonly Ask[] {
  return [...new Map(asks.map((ask) => [ask.key, ask])).values()];
}

async function fetchAll(
  asks: readonly Ask[],
  { source, stop, onRequest }: Asking,
  counter: Counter,
): Promise<readonly (readonly [Ask, Answer])[]> {
  const requests = source.plan(asks);
  counter.requests += requests.length;
  const found = await Promise.all(
    requests.map(async (request) => {
      await source.room(request, stop);
      const answers = await source.fetch(request, stop);
      counter.done += 1;
      onRequest(counter.done, counter.requests);
      return request.asks.map((ask, i): [Ask, Answer] => [ask, answers[i] ?? NO_ANSWER]);
    }),
  );
  for (const [{ record }, answer] of found.flat()) {
    if (answer.status === "failed") counter.failures.add(`${record}: ${answer.failure.detail}`);
  }
  return found.flat();
}

const NO_ANSWER: Answer = {
  status: "failed",
  failure: { reason: "malformed", detail: "the source gave no answer" },
};

/** The records of a history over a span, from what was kept and what is asked for; null: it cannot be had. */
async function recordsOf(
  plan: HistoryPlan,
  now: number,
  asking: Asking,
  counter: Counter,
): Promise<readonly RawRecord[] | null> {
  const { cache, source } = asking;
  const kept = cache?.find(plan.key) ?? null;
  const old = kept === null ? [] : unpack(kept.body);
  const gap = gapOf(plan, cache, asking, now);
  if (gap === null) return old;
  const asks = plan.asks(gap.from, gap.to, now);
  if (asks.some(({ record, chainId }) => !source.serves(record, chainId))) return null;
  const answers = await fetchAll(asks, asking, counter);
  if (answers.some(([, { status }]) => status === "failed")) return kept === null ? null : old;
  const fresh = answers.flatMap(([, answer]) => (answer.status === "ok" ? answer.records : []));
  const whole = kept !== null && gap.from >= kept.first ? merged(old, fresh) : fresh;
  const first = whole === fresh ? gap.from : (kept?.first ?? gap.from);
  // A bucket that still ran is asked for again.
  const ended = Math.floor(now / plan.spacingMs) * plan.spacingMs;
  cache?.put(plan.key, { first, last: Math.min(gap.to, ended), body: pack(whole) }, now);
  return whole;
}

/** What of a span has to be asked for; null: all of it was kept. */
function gapOf(
  plan: HistoryPlan,
  cache: HistoryCache | null,
  { from, to }: Span,
  now: number,
): Span | null {
  const kept = cache?.find(plan.key) ?? null;
  const end = Math.min(to, Math.floor(now / plan.spacingMs) * plan.spacingMs);
  if (kept === null || kept.first > from) return { from, to: end };
  return kept.last >= end ? null : { from: kept.last - plan.spacingMs, to: end };
}

/** Of points of one time the newer answer counts. */
function merged(old: readonly RawRecord[], fresh: readonly RawRecord[]): readonly RawRecord[] {
  const timeOf = (record: RawRecord): string =>
    JSON.stringify(record.hour ?? record.date ?? record);
  const times = new Set(fresh.map(timeOf));
  return [...fresh, ...old.filter((record) => !times.has(timeOf(record)))];
}

function pack(records: readonly RawRecord[]): Buffer {
  return deflateSync(JSON.stringify(records));
}

function unpack(body: Buffer): readonly RawRecord[] {
  const read: unknown = JSON.parse(inflateSync(body).toString("utf8"));
  return listOf(read).filter(isMap);
}

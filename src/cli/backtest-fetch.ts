import { deflateSync, inflateSync } from "node:zlib";
import { isMap, listOf } from "../base/json.ts";
import type { Source } from "../fetch/source.ts";
import type { PastList } from "../kinds/kind.ts";
import { SIZES } from "../kinds/streams/item.ts";
import type { Answer, Ask, RawRecord, Subject } from "../model/index.ts";
import type { HistoryPlan } from "../replay/past/histories.ts";
import type { CachedHistory, HistoryCache } from "../store/operator-db/history-cache.ts";
import { type ReadList, readList } from "./backtest-lists.ts";
import type { Span } from "./backtest-run.ts";

export interface Asking extends Span {
  readonly source: Source;
  /** Null: what is fetched is not kept. */
  readonly cache: HistoryCache | null;
  readonly stop: AbortSignal;
  /** Hears of each request: how many are done, and of how many. */
  readonly onRequest: (done: number, of: number) => void;
  /** Hears how far a list has been read: 0 to 1. */
  readonly onList?: (key: string, share: number) => void;
  /** From when on single entries are needed. */
  readonly entriesFrom: number;
}

/** What was asked for so far, and what failed of it, each once. */
export interface Counter {
  requests: number;
  done: number;
  readonly failures: Set<string>;
}

/** The answers to these, in the fewest requests and within the limits of the service. Never rejects. */
export async function fetchAll(
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

/** A list from now back to the beginning, as far as it can be had; it is kept, and gone on from. */
export async function readKept(
  subject: Subject,
  list: PastList,
  now: number,
  asking: Asking,
  counter: Counter,
): Promise<ReadList | "failed" | "unserved"> {
  const { cache, source, entriesFrom } = asking;
  const { record, chainId, id } = list.page(subject, 0, 1);
  if (!source.serves(record, chainId)) return "unserved";
  const key = `list:${record}:${chainId}:${id}`;
  const row = (await cache?.find(key)) ?? null;
  const kept =
    row === null
      ? null
      : { since: row.first, items: list.items({ status: "ok", records: unpack(row.body) }) ?? [] };
  const onReach = (at: number): void =>
    asking.onList?.(key, Math.min(1, (now - at) / (now - entriesFrom)));
  const read = await readList(
    subject,
    list,
    entriesFrom,
    kept,
    async (ask) => {
      const [found] = await fetchAll([ask], asking, counter);
      return recordsIn(found?.[1]);
    },
    SIZES,
    onReach,
  );
  if (read !== null && read !== kept) {
    const body = pack(read.items.map(({ value }) => value));
    await cache?.put(key, { first: read.since, last: now, body }, now);
  }
  return read ?? "failed";
}

/** What is known of a history: its points, or why there are none. */
export type Had = readonly RawRecord[] | "failed" | "unserved";

/**
 * The points of a history over a span, from what was kept and what is asked for. Where a request fails, those that
 * came before it are kept as far as they lie next to the others.
 */
export async function recordsOf(
  plan: HistoryPlan,
  now: number,
  asking: Asking,
  counter: Counter,
): Promise<Had> {
  const { cache, source } = asking;
  const kept = (await cache?.find(plan.key)) ?? null;
  let records = kept === null ? null : unpack(kept.body);
  let { first, last } = kept ?? { first: Number.POSITIVE_INFINITY, last: 0 };
  const gaps = gapsOf(plan, kept, asking, now);
  if (gaps.length === 0 && records !== null) return records;
  // A bucket that still ran is asked for again.
  const ended = Math.floor(now / plan.spacingMs) * plan.spacingMs;
  for (const gap of gaps) {
    const asks = plan.asks(gap.from, gap.to, now);
    if (asks.some(({ record, chainId }) => !source.serves(record, chainId))) return "unserved";
    // From the newest back, so that what was answered before a failure lies together.
    const answers = (await fetchAll(asks, asking, counter)).map(([, answer]) => answer);
    const failed = answers.findIndex(({ status }) => status === "failed");
    const good = failed < 0 ? answers : answers.slice(0, failed);
    const oldest = asks[good.length - 1];
    // New ones that do not reach back to what was kept would leave a hole.
    if (oldest === undefined || (failed >= 0 && kept !== null && gap.to > kept.last)) continue;
    const fresh = good.flatMap((answer) => (answer.status === "ok" ? answer.records : []));
    records = merged(records ?? [], fresh);
    first = Math.min(first, failed < 0 ? gap.from : plan.reaches(oldest, now));
    last = Math.max(last, Math.min(gap.to, ended));
    await cache?.put(plan.key, { first, last, body: pack(records) }, now);
  }
  return records ?? "failed";
}

/** What of a span has to be asked for, before and after what was kept. */
export function gapsOf(
  { spacingMs }: HistoryPlan,
  kept: Pick<CachedHistory, "first" | "last"> | null,
  { from, to }: Span,
  now: number,
): readonly Span[] {
  const end = Math.min(to, Math.floor(now / spacingMs) * spacingMs);
  if (kept === null) return [{ from, to: end }];
  const gaps: Span[] = [];
  if (kept.last < end) gaps.push({ from: kept.last - spacingMs, to: end });
  if (kept.first > from) gaps.push({ from, to: kept.first });
  return gaps;
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

/** What a page answered; null: it failed. */
function recordsIn(answer: Answer | undefined): readonly RawRecord[] | null {
  return answer?.status === "ok" ? answer.records : null;
}

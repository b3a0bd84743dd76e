import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Asking, recordsOf } from "../../src/cli/backtest-fetch.ts";
import type { Source } from "../../src/fetch/source.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { Answer, Ask, RawRecord, Subject } from "../../src/model/index.ts";
import { type HistoryPlan, historyPlan } from "../../src/replay/past/histories.ts";
import type { CachedHistory, HistoryCache } from "../../src/store/operator-db/history-cache.ts";
import { propertyRuns } from "../support/tier.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 29, 9, 30);

const PLANS: Readonly<Record<"days" | "pages", HistoryPlan>> = {
  // 90 days a request, and 1,000 hours a page.
  days: planOf("gas", { chainId: 1, id: null }, "tip_top10"),
  pages: planOf("v4_pool", { chainId: 1, id: `0x${"ab".repeat(32)}` }, "current_tick"),
};

function planOf(
  name: string,
  target: { chainId: number; id: string | null },
  metric: string,
): HistoryPlan {
  const kind = KINDS.get(name);
  const subject: Subject | undefined = kind?.subject({ ...target, protocol: null, name: null });
  if (kind === undefined || subject === undefined) throw new Error(`no kind ${name}`);
  const plan = historyPlan({ subject, kind, metrics: new Set([metric]) }, NOW, () => undefined);
  if (plan === null) throw new Error(`no history of ${name}`);
  return plan;
}

/** The hours that a request asks for, the newest first. */
function hoursOf({ from, to, offset = 0, limit = 0 }: Ask): readonly number[] {
  if (from !== undefined && to !== undefined) {
    const [first, end] = [Date.parse(from) / HOUR, Date.parse(to) / HOUR + 24];
    return Array.from({ length: end - first }, (_, i) => end - 1 - i);
  }
  const newest = Math.floor(NOW / HOUR) - offset;
  return Array.from({ length: limit }, (_, i) => newest - i);
}

/** A service that has every hour, and refuses the requests of these places. */
class Hours {
  readonly asked: Ask[] = [];

  constructor(private readonly refused: ReadonlySet<number> = new Set()) {}

  readonly source: Source = {
    serves: () => true,
    plan: (asks) =>
      asks.map((ask) => ({
        record: ask.record,
        endpoint: "gas_hourly",
        asks: [ask],
        path: ask.key,
      })),
    room: () => Promise.resolve(),
    fetch: ({ asks }) => {
      return Promise.resolve(
        asks.map((ask): Answer => {
          this.asked.push(ask);
          if (this.refused.has(this.asked.length)) {
            return { status: "failed", failure: { reason: "server_error", detail: "HTTP 500" } };
          }
          const hours = hoursOf(ask).map((hour): RawRecord => {
            const date = new Date(hour * HOUR).toISOString();
            return { hour: date, date };
          });
          return { status: "ok", records: hours };
        }),
      );
    },
    verify: () => Promise.resolve("valid"),
    close: () => Promise.resolve(),
  };
}

class MemoryCache implements HistoryCache {
  readonly rows = new Map<string, CachedHistory>();
  find = async (key: string): Promise<CachedHistory | null> => this.rows.get(key) ?? null;
  put = async (key: string, history: CachedHistory): Promise<void> =>
    void this.rows.set(key, history);
  close = (): void => {};
}

async function fetched(
  plan: HistoryPlan,
  from: number,
  to: number,
  cache: HistoryCache,
  service: Hours,
) {
  const asking: Asking = {
    from,
    to,
    entriesFrom: from,
    source: service.source,
    cache,
    stop: new AbortController().signal,
    onRequest: () => {},
  };
  const records = await recordsOf(plan, NOW, asking, { requests: 0, done: 0, failures: new Set() });
  return typeof records === "string"
    ? records
    : new Set(records.map(({ hour }) => Date.parse(String(hour)) / HOUR));
}

/** The hours from `from` on that have ended by `to` and are not there. */
function missing(
  found: ReadonlySet<number> | string,
  from: number,
  to: number,
): readonly number[] | string {
  if (typeof found === "string") return found;
  const [first, end] = [Math.ceil(from / HOUR), Math.floor(to / HOUR)];
  const hours = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
  return hours.filter((hour) => !found.has(hour));
}

describe("fetching a history", () => {
  it.each(["days", "pages"] as const)(
    "by %s asks for what was not kept, and for nothing twice",
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.nat(400), fc.nat(200)), { minLength: 1, maxLength: 4 }),
          async (spans) => {
            const plan = PLANS[kind];
            const cache = new MemoryCache();
            for (const [before, length] of spans) {
              const from = NOW - (before + length + 1) * DAY;
              const to = NOW - before * DAY;
              const found = await fetched(plan, from, to, cache, new Hours());
              expect(missing(found, from, to)).toEqual([]);
              const again = new Hours();
              await fetched(plan, from, to, cache, again);
              expect(again.asked).toEqual([]);
            }
          },
        ),
        { numRuns: propertyRuns(60) },
      );
    },
  );

  it.each(["days", "pages"] as const)(
    "by %s keeps what came before a refusal, and goes on from there",
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.nat(400), fc.integer({ min: 1, max: 400 })), {
            minLength: 1,
            maxLength: 3,
          }),
          fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { maxLength: 4 }),
          async (spans, refused) => {
            const plan = PLANS[kind];
            const cache = new MemoryCache();
            for (const [before, length] of spans) {
              const span = [NOW - (before + length) * DAY, NOW - before * DAY] as const;
              await fetched(plan, ...span, cache, new Hours(new Set(refused)));
              // What it says to have it has, without a hole.
              const kept = await cache.find(plan.key);
              if (kept === null) continue;
              const has = await fetched(plan, kept.first, kept.last, cache, new Hours());
              expect(missing(has, kept.first, kept.last)).toEqual([]);
            }
            const [from, to] = [NOW - 800 * DAY, NOW];
            const all = await fetched(plan, from, to, cache, new Hours());
            expect(missing(all, from, to)).toEqual([]);
          },
        ),
        // 90 days of which the first is not a whole one are 91 dates.
        { numRuns: propertyRuns(60), examples: [[[[0, 90]], []]] },
      );
    },
  );

  it("asks for the part only that is older than what was kept", async () => {
    const cache = new MemoryCache();
    const week = new Hours();
    await fetched(PLANS.pages, NOW - 7 * DAY, NOW, cache, week);
    expect(week.asked).toHaveLength(1);
    const month = new Hours();
    await fetched(PLANS.pages, NOW - 30 * DAY, NOW, cache, month);
    // 23 days of 24 hours are 552; one more at each end, where hours have begun.
    expect(month.asked.map(({ offset, limit }) => [offset, limit])).toEqual([[167, 554]]);
  });
});

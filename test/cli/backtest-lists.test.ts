import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readList } from "../../src/cli/backtest-lists.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { RawRecord } from "../../src/model/index.ts";
import { propertyRuns } from "../support/tier.ts";

const SECOND = 1_000;
const START = Date.UTC(2026, 10, 1);
const NEVER = Number.POSITIVE_INFINITY;
const SIZES = { big: 50, lap: 9 };

const kind = KINDS.get("v4_swaps");
const list = kind?.pastList;
if (kind === undefined || list === undefined) throw new Error("no list of swaps");
const subject = kind.subject({
  chainId: 1,
  id: `0x${"ab".repeat(32)}`,
  protocol: null,
  name: null,
});

/** The nth entry: four in a block of twelve seconds, and the last two of them look alike. */
const entry = (n: number): RawRecord => ({
  transaction_hash: `0x${(n % 4 === 3 ? n - 1 : n).toString(16).padStart(64, "0")}`,
  block_number: Math.floor(n / 4),
  timestamp: new Date(START + Math.floor(n / 4) * 12 * SECOND).toISOString(),
  amount0: "1",
  amount1: "-1",
});

type Order = "newest first" | "oldest first" | "pages turned around";

/** A list that has grown by `growth` entries with each answer, and refuses from the nth request on. */
class Service {
  requests = 0;

  constructor(
    public length: number,
    private readonly order: Order,
    private readonly growth = 0,
    private readonly refusesFrom = Number.POSITIVE_INFINITY,
    /** One in so many entries lacks a field; null: none does. */
    private readonly lacksEach: number | null = null,
  ) {}

  readonly fetch = ({ offset = 0, limit = 0 }): Promise<readonly RawRecord[] | null> => {
    this.requests += 1;
    if (this.requests >= this.refusesFrom) return Promise.resolve(null);
    const all = Array.from({ length: this.length }, (_, n) => {
      const { amount1: _left, ...lacking } = entry(n);
      return this.lacksEach !== null && n % this.lacksEach === 0 ? lacking : entry(n);
    });
    this.length += this.growth;
    const page = (this.order === "oldest first" ? all : all.toReversed()).slice(
      offset,
      offset + limit,
    );
    return Promise.resolve(this.order === "pages turned around" ? page.toReversed() : page);
  };
}

const timeOf = (n: number): number => START + Math.floor(n / 4) * 12 * SECOND;

/** The hashes of all entries from a time on, of the first `length`, the oldest first. */
function expected(length: number, since: number): readonly string[] {
  return Array.from({ length }, (_, n) => n)
    .filter((n) => timeOf(n) >= since)
    .map((n) => String(entry(n).transaction_hash));
}

function told(read: Awaited<ReturnType<typeof readList>>, since: number): readonly string[] {
  const items = (read?.items ?? []).filter(({ at }) => (at ?? 0) >= since);
  return items.map(({ value }) => String(value.transaction_hash)).toReversed();
}

// Of the first five there are two blocks at least, which show in which order a page is.
describe("reading a list back to a time", () => {
  it("has each entry from then on once, in any order of the service, while the list grows", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 5, max: 600 }),
        fc.constantFrom<Order>("newest first", "oldest first", "pages turned around"),
        fc.nat(9),
        fc.nat(600),
        async (length, order, growth, back) => {
          const from = timeOf(Math.max(0, length - back));
          const service = new Service(length, order, growth);
          const read = await readList(subject, list, from, null, service.fetch, SIZES);
          expect(read?.since).toBeLessThanOrEqual(from);
          // What came while it was read may be there.
          const all = told(read, from);
          const least = expected(length, from);
          expect(all.slice(0, least.length)).toEqual(least);
          expect(all).toEqual(expected(service.length, from).slice(0, all.length));
        },
      ),
      {
        numRuns: propertyRuns(200),
        // Two pages that meet in one block; a list that outgrows what was taken for its end.
        examples: [
          [51, "oldest first", 0, 0],
          [371, "oldest first", 9, 0],
        ],
      },
    );
  });

  it("goes on from what was kept, after a refusal in the middle as well", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 5, max: 600 }),
        fc.constantFrom<Order>("newest first", "oldest first"),
        fc.integer({ min: 1, max: 20 }),
        fc.nat(300),
        async (length, order, refusesFrom, more) => {
          const early = new Service(length, order, 0, refusesFrom);
          const half = await readList(subject, list, START, null, early.fetch, SIZES);
          // What it says to know it knows.
          if (half !== null) expect(told(half, half.since)).toEqual(expected(length, half.since));
          const service = new Service(length + more, order);
          const read = await readList(subject, list, START, half, service.fetch, SIZES);
          expect(told(read, 0)).toEqual(expected(length + more, 0));
        },
      ),
      {
        numRuns: propertyRuns(200),
        // The first of two that look alike was kept, and the second ends the page that reaches what was kept.
        examples: [[11, "newest first", 2, 91]],
      },
    );
  });

  it("has an entry once, in full, that lacked a field when it was kept or lacks it now", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 5, max: 600 }),
        fc.constantFrom<Order>("newest first", "oldest first"),
        fc.integer({ min: 1, max: 20 }),
        fc.nat(300),
        fc.integer({ min: 2, max: 9 }),
        fc.boolean(),
        async (length, order, refusesFrom, more, lacksEach, isLater) => {
          const [before, after] = isLater ? [null, lacksEach] : [lacksEach, null];
          const early = new Service(length, order, 0, refusesFrom, before);
          const half = await readList(subject, list, START, null, early.fetch, SIZES);
          const service = new Service(length + more, order, 0, NEVER, after);
          const read = await readList(subject, list, START, half, service.fetch, SIZES);
          expect(told(read, 0)).toEqual(expected(length + more, 0));
          // Of what the newest page shows again.
          const again = read?.items.filter(({ place }) => 4 * place >= length + more - SIZES.big);
          if (!isLater) expect(again?.every(({ value }) => value.amount1 === "-1")).toBe(true);
        },
      ),
      { numRuns: propertyRuns(200) },
    );
  });

  it("asks for nothing twice", async () => {
    const first = new Service(1_000, "newest first");
    const kept = await readList(subject, list, timeOf(300), null, first.fetch, SIZES);
    // Pages of 50, each 41 on: 17 of them hold the newest 706, of which the last six are too old.
    expect(first.requests).toBe(17);
    const again = new Service(1_020, "newest first");
    const read = await readList(subject, list, timeOf(300), kept, again.fetch, SIZES);
    expect(again.requests).toBe(1);
    expect(told(read, timeOf(300))).toEqual(expected(1_020, timeOf(300)));
  });

  it("has a change of liquidity that is shown twice once, in the fullest form", async () => {
    const liquidity = KINDS.get("v4_liquidity");
    if (liquidity?.pastList === undefined) throw new Error("no list of changes");
    const change = (n: number, salt: string | null): RawRecord => ({
      id: `change-${n}`,
      liquidity_delta: "-5",
      salt,
      tx_at_timestamp: String(timeOf(4 * n) / SECOND),
      tx_at_block_number: String(n),
    });
    const shown = [change(3, "0x1"), change(2, null), change(2, "0x1"), change(2, "0x1")];
    const pool = liquidity.subject({
      chainId: 1,
      id: `0x${"ab".repeat(32)}`,
      protocol: null,
      name: null,
    });
    const answer = (): Promise<readonly RawRecord[]> => Promise.resolve(shown);
    const read = await readList(pool, liquidity.pastList, START, null, answer, SIZES);
    expect(read?.items.map(({ value }) => value)).toEqual([change(3, "0x1"), change(2, "0x1")]);
  });
});

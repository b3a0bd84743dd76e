import { describe, it } from "vitest";
import type { Fault } from "../../src/serve/faults.ts";
import { STABLECOIN } from "../../src/simulator/listed-tokens.ts";
import { createMarket } from "../../src/simulator/market.ts";
import type { Store } from "../../src/store/store.ts";
import { ENTRY_LISTS, ENTRY_RULES, entriesBetween, toldEntries } from "../support/every-kind.ts";
import { MARKET_START, MarketWorld, SEED } from "../support/market-world.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { WHOLE } from "../support/tier.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const RULES = `rules:${ENTRY_RULES}`;
const TOP = 20;
/** Some pages of swaps. */
const PAUSE = 5 * HOUR;
const MOST_SWAPS = 1_500;
/** On a disk each commit is waited for: the short pass restarts on what is in memory. */
const stores = (): { store?: Store } => (WHOLE ? {} : { store: createMemoryStore() });

const fault = (at: number, length: number, given: { readonly status: number }): Fault => ({
  kind: "status",
  retryAfter: null,
  endpoint: null,
  at,
  for: length,
  ...given,
});

describe("the lists of a pool, over real HTTP", () => {
  // The short pass has all but the HTTP in test/commit/streams.test.ts, and the HTTP below.
  it.runIf(WHOLE)(
    "are told of exactly, over restarts, faults and pauses of hours",
    async (test) => {
      const { expect } = test;
      const faults = [
        fault(17 * MINUTE, 25 * MINUTE, { status: 503 }),
        fault(2 * HOUR, HOUR, { status: 500 }),
      ];
      const world = await MarketWorld.create(test, { rules: RULES, faults, ...stores() });
      await world.rounds(1, 5 * MINUTE);
      const begun = world.now();
      await world.rounds(3, 5 * MINUTE);
      await world.restart();
      // While nothing is answered.
      await world.rounds(2, 5 * MINUTE);
      await world.restart();
      await world.rounds(5, 5 * MINUTE);
      // More than a small page, then more than a big one has come meanwhile.
      await world.rounds(1, HOUR);
      await world.restart();
      await world.rounds(1, PAUSE);
      await world.rounds(3, 5 * MINUTE);
      const counts: number[] = [];
      for (const list of ENTRY_LISTS) {
        const expected = entriesBetween(world.market, list, begun, world.now());
        expect(toldEntries(world.told, list)).toEqual(expected);
        counts.push(expected.length);
      }
      // That this says anything.
      expect(counts[0]).toBeGreaterThan(MOST_SWAPS);
      expect(Math.min(...counts)).toBeGreaterThan(0);
      const ids = world.told.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(world.told.filter(({ kind }) => kind === "baseline")).toEqual([]);
      expect(world.errors).toEqual([]);
    },
  );
});

describe("the largest holders, over real HTTP", () => {
  it("are told of when one gives away all, once each, over a restart and a fault", async (test) => {
    const { expect } = test;
    const quiet = createMarket({ seed: SEED, start: MARKET_START });
    const top = (market: typeof quiet, at: number): readonly string[] =>
      market
        .holders(1, STABLECOIN, { size: TOP, offset: 0, ascending: false }, at)
        ?.map(({ wallet_address: wallet }) => wallet.toLowerCase()) ?? [];
    const seller = top(quiet, MARKET_START).find((wallet) => canSell(wallet));
    if (seller === undefined) throw new Error("nobody on the list can sell");
    const script = [{ kind: "sell", chain: 1, wallet: seller, at: 12 * MINUTE }] as const;
    const market = createMarket({ seed: SEED, start: MARKET_START, script });
    const faults = [fault(11 * MINUTE, 10 * MINUTE, { status: 503 })];
    const world = await MarketWorld.create(test, { rules: RULES, market, faults, ...stores() });
    await world.rounds(2, 5 * MINUTE);
    const before = top(market, world.now());
    await world.rounds(1, 5 * MINUTE);
    await world.restart();
    await world.rounds(4, 5 * MINUTE);
    const after = top(market, world.now());
    const wallets = (rule: string): readonly unknown[] =>
      world.by(rule, "changed").map(({ link }) => link?.split("/").at(-1));
    expect(wallets("holders-left")).toEqual(before.filter((one) => !after.includes(one)));
    expect(wallets("holders-entered")).toEqual(after.filter((one) => !before.includes(one)));
    expect(wallets("holders-left")).toContain(seller);
    expect(world.errors).toEqual([]);
  });
});

/** Whether the market's script may let this wallet sell: it must be one that is simulated. */
function canSell(wallet: string): boolean {
  try {
    createMarket({
      seed: SEED,
      start: MARKET_START,
      script: [{ kind: "sell", chain: 1, wallet, at: 0 }],
    });
    return true;
  } catch {
    return false;
  }
}

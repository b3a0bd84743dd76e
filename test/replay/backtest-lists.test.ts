import { describe, expect, it } from "vitest";
import type { RawRecord } from "../../src/model/index.ts";
import { POOL_ID, poolRecord } from "../support/world.ts";
import { iso, replayed, START } from "./told-past.ts";

const TOKEN0 = `0x${"11".repeat(20)}`;
const TOKEN1 = `0x${"22".repeat(20)}`;
const POOL_KEY = `v4_pool:1:${POOL_ID}`;
const POOL = poolRecord({
  token0: { address: TOKEN0, symbol: "ETH", decimals: 18, price: 9_999 },
  token1: { address: TOKEN1, symbol: "USDC", decimals: 6, price: 1 },
});

/** A swap at an hour: so many whole token0 come in, for so many whole token1. */
const swap = (hour: number, in0: number, out1: number): RawRecord => ({
  transaction_hash: `0x${Math.round(hour * 3_600)
    .toString(16)
    .padStart(64, "0")}`,
  block_number: Math.round(hour * 300),
  timestamp: iso(hour),
  amount0: `${in0}${"0".repeat(18)}`,
  amount1: `-${out1}${"0".repeat(6)}`,
});

const change = (hour: number, delta: string, lower: number, upper: number): RawRecord => ({
  id: `${POOL_ID}-${Math.round(hour * 3_600)}`,
  liquidity_delta: delta,
  tick_lower: lower,
  tick_upper: upper,
  hash: `0x${"ab".repeat(32)}`,
  tx_at_timestamp: String(START / 1_000 + hour * 3_600),
  tx_at_block_number: String(Math.round(hour * 300)),
});

const prices = (usd: readonly number[]): RawRecord[] =>
  usd.map((price, hour) => ({ date: iso(hour), price_usd: price }));

const minutes = (count: number): number => count / 60;

describe("a backtest of the service's lists", () => {
  it("tells each swap in the first round after it, and none that was there before", async () => {
    const { told, sources } = await replayed(
      `
rules:
  - name: sale
    watch: {kind: v4_swaps, chain: 1, pools: ["${POOL_ID}"]}
    when: {all: [{metric: amount0_abs, at_least: 100 tokens}, {metric: direction, equals: token0_in}]}
    schedule: 5m
`,
      {
        // The newest first. The one before the start is what was there; of two in one round each is told.
        v4_swap: [
          swap(minutes(179.5), 150, 300_000),
          swap(minutes(62), 99, 198_000),
          swap(minutes(61), 120, 240_000),
          swap(minutes(60.5), 100, 200_000),
          swap(minutes(-1), 500, 1_000_000),
        ],
      },
      { [POOL_KEY]: POOL },
    );
    // At 1 h 00.5 min and 1 h 01 min: the round of 1 h 05 min. At 2 h 59.5 min: that of 3 h.
    expect(told).toEqual(["1h 05m changed", "1h 05m changed", "3h changed"]);
    expect(sources).toEqual(["from the service's list, looked at by its schedule: 4 entries"]);
  });

  it("reckons dollars at the price of the last full hour", async () => {
    const { told, sources } = await replayed(
      `
rules:
  - name: large
    watch: {kind: v4_swaps, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: amount_usd, at_least: $30k}
    schedule: 1m
`,
      {
        // 10 ETH each. The hour from 1h on says 2,000, which is known at 2h; the next one 3,000, known at 3h.
        v4_swap: [swap(minutes(185), 10, 1), swap(minutes(150), 10, 1)],
        price_point: ({ id }) =>
          id === TOKEN0 ? prices([1_000, 2_000, 3_000, 3_000]) : prices([1, 1, 1, 1]),
      },
      { [POOL_KEY]: POOL },
    );
    // At 2 h 30 min it is 10 × 2,000 = 20,000; at 3 h 05 min it is 10 × 3,000 = 30,000.
    expect(told).toEqual(["3h 05m changed"]);
    expect(sources[0]).toContain(
      "amount_usd by what the pool and its tokens were at the last full hour",
    );
  });

  it("reckons the share that was removed on from the pool's last full hour", async () => {
    const rule = (share: string) => `
rules:
  - name: pulled
    watch: {kind: v4_liquidity, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: removed_share, at_least: ${share}}
    schedule: 1m
`;
    const told = {
      // At the price of tick 50: +1,000 counts, −400 beside the price does not, −500 of 2,000 is 25%.
      v4_liquidity: [
        change(minutes(140), "-500", 0, 100),
        change(minutes(130), "-400", 60, 100),
        change(minutes(125), "+1000", 0, 100),
      ],
      v4_pool_point: [0, 1, 2, 3].map((hour) => ({
        date: iso(hour),
        tick: 50,
        sqrtPrice: "79426470787362580746886972461",
        liquidity: hour === 0 ? "7000" : "1000",
      })),
    };
    expect((await replayed(rule("25%"), told, { [POOL_KEY]: POOL })).told).toEqual([
      "2h 20m changed",
    ]);
    expect((await replayed(rule("25.1%"), told, { [POOL_KEY]: POOL })).told).toEqual([]);
  });

  it("compares a swap with what another subject was by then", async () => {
    const { told } = await replayed(
      `
references:
  root: {metric: sqrt_price_x96, watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}}
rules:
  - name: above-pool
    watch: {kind: v4_swaps, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: sqrt_price_x96, above: 200% of root}
    schedule: 1m
`,
      {
        v4_swap: [
          { ...swap(minutes(150), 1, 1), sqrt_price_x96: "250" },
          { ...swap(minutes(90), 1, 1), sqrt_price_x96: "250" },
        ],
        v4_pool_point: [100, 150, 100].map((root, hour) => ({
          date: iso(hour),
          sqrtPrice: String(root),
        })),
      },
      { [POOL_KEY]: POOL },
    );
    // Twice the root is 200 from 1h on, and 300 from 2h on.
    expect(told).toEqual(["1h 30m changed"]);
  });

  it("refuses what the service does not tell", async () => {
    const { refusals } = await replayed(
      `
rules:
  - name: entered
    watch: {kind: holders, chain: 1, token: "${TOKEN0}"}
    when: {metric: entered, equals: true}
  - name: large
    watch: {kind: v4_swaps, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: amount_usd, at_least: $30k}
`,
      { v4_swap: [swap(1, 1, 1)] },
      { [POOL_KEY]: POOL },
    );
    expect(refusals).toEqual([
      "entered is of single entries of a list of which no past is kept; use rule tests",
      "amount_usd: the service has no price history of its tokens",
    ]);
  });
});

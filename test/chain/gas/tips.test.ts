import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimatedTips, PERCENTILES, tipsOf } from "../../../src/chain/gas/tips.ts";
import { propertyRuns } from "../../support/tier.ts";

const GWEI = 1_000_000_000n;

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}

/** A transaction that bids this tip over a base fee of one gwei, in one of the three ways. */
function bidding(tip: bigint, way: number): Readonly<Record<string, string>> {
  if (way === 0) return { type: "0x0", gasPrice: hex(GWEI + tip) };
  const maxFeePerGas = hex(way === 1 ? GWEI + tip : GWEI + tip + 5n);
  return { type: "0x2", maxFeePerGas, maxPriorityFeePerGas: hex(way === 1 ? tip + 7n : tip) };
}

describe("the tips of a block", () => {
  test("are what each transaction bids above the base fee, by all three ways to bid", () => {
    const tips = tipsOf(GWEI, [bidding(3n, 0), bidding(2n, 1), bidding(1n, 2), bidding(0n, 1)]);
    expect(tips).toEqual({
      bids: 4,
      zero: 1,
      min: 0n,
      max: 3n,
      top5: 3n,
      top5Mean: 3n,
      top10: 3n,
      top10Mean: 3n,
    });
  });

  test("of 21 transactions are topped by two among the best 5% and three among the best 10%", () => {
    const block = Array.from({ length: 21 }, (_, i) => bidding(BigInt(i), i % 3));
    expect(tipsOf(GWEI, block)).toMatchObject({
      top5: 19n,
      top5Mean: 19n,
      top10: 18n,
      top10Mean: 19n,
    });
  });

  test("leave out the chain's own transactions and those that pay in another currency", () => {
    const own = { type: "0x7e", gasPrice: "0x0" };
    const unpriced = { type: "0x6a" };
    const celo = { ...bidding(900n, 2), feeCurrency: `0x${"1".repeat(40)}` };
    expect(tipsOf(GWEI, [own, unpriced, celo, bidding(4n, 2)])).toMatchObject({ bids: 1, min: 4n });
    expect(tipsOf(GWEI, [own, unpriced])).toBeNull();
    expect(tipsOf(GWEI, [])).toBeNull();
  });

  test("before EIP-1559 are the whole gas price", () => {
    expect(tipsOf(null, [{ gasPrice: "0x5" }])).toMatchObject({ min: 5n, max: 5n });
  });

  test.each([[null], ["0x12"], [{ gasPrice: 5 }], [{ maxFeePerGas: "0x77359400" }]])(
    "are not guessed where a transaction is %j",
    (transaction) => {
      expect(() => tipsOf(GWEI, [transaction])).toThrow(RangeError);
    },
  );

  test("have no double in them: a tip of 30 digits is told to its last", () => {
    const tip = 123_456_789_012_345_678_901_234_567_891n;
    expect(tipsOf(GWEI, [bidding(tip, 0)])).toMatchObject({ max: tip, top10Mean: tip });
  });

  test("are, for any block, those of its sorted list", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.bigInt(0n, 10n ** 20n), fc.integer({ min: 0, max: 2 })), {
          minLength: 1,
          maxLength: 120,
        }),
        (bids) => {
          const sorted = bids.map(([tip]) => tip).toSorted((a, b) => (a < b ? 1 : -1));
          const tips = tipsOf(
            GWEI,
            bids.map(([tip, way]) => bidding(tip, way)),
          );
          for (const [share, threshold, mean] of [
            [5, tips?.top5, tips?.top5Mean],
            [10, tips?.top10, tips?.top10Mean],
          ] as const) {
            const best = sorted.filter((_, i) => i * 100 < sorted.length * share);
            expect(threshold).toBe(best.at(-1));
            expect(mean).toBe(best.reduce((a, b) => a + b, 0n) / BigInt(best.length));
          }
          expect([tips?.max, tips?.min]).toEqual([sorted[0], sorted.at(-1)]);
        },
      ),
      { numRuns: propertyRuns(200) },
    );
  });
});

describe("tips from the fee history", () => {
  const reward = PERCENTILES.map((one) => hex(BigInt(one) * 10n));

  test("have exact ends, and means of the lines between percentiles", () => {
    expect(estimatedTips(reward)).toEqual({
      min: 0n,
      max: 1_000n,
      top10: 900n,
      top10Mean: 950n,
      top5: 950n,
      top5Mean: 975n,
    });
  });

  test.each([[undefined], [[]], [reward.slice(1)], [[...reward.slice(1), "much"]]])(
    "are refused where the reward is %j",
    (bad) => {
      expect(() => estimatedTips(bad)).toThrow(RangeError);
    },
  );
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BlockRange,
  estimate,
  FIRST_SIZE,
  isOfLength,
  nextRange,
  nextSize,
  samplesOf,
} from "../../../src/chain/index/ranges.ts";
import { propertyRuns } from "../../support/tier.ts";

/** Reads a range from a node that refuses more than `blocks`, or more than `logs` where each block has `each`. */
function read(
  whole: BlockRange,
  limit: { blocks: number; logs: number; each: (n: number) => number },
) {
  const parts: BlockRange[] = [];
  let [size, first, refusals] = [FIRST_SIZE, whole.first, 0];
  for (;;) {
    const range = nextRange({ first, last: whole.last }, size);
    if (range === null) return { parts, refusals };
    const blocks = range.last - range.first + 1;
    let logs = 0;
    for (let n = range.first; n <= range.last; n += 1) logs += limit.each(n);
    const isLong = blocks > limit.blocks;
    if (isLong || (logs > limit.logs && blocks > 1)) {
      refusals += 1;
      size = nextSize(size, { status: "refused", blocks, isLong });
      continue;
    }
    parts.push(range);
    first = range.last + 1;
    size = nextSize(size, { status: "answered", share: logs / limit.logs });
  }
}

describe("a range that is read in parts", () => {
  test("is covered block by block, once, whatever a node refuses", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.integer({ min: 0, max: 5_000 }),
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 60 }),
        (first, length, blocks, logs, every) => {
          const whole = { first, last: first + length };
          const each = (n: number): number => (n % every === 0 ? 3 : 0);
          const { parts } = read(whole, { blocks, logs, each });
          expect(parts[0]?.first).toBe(first);
          expect(parts.at(-1)?.last).toBe(whole.last);
          for (const [i, part] of parts.entries()) {
            expect(part.first).toBeLessThanOrEqual(part.last);
            if (i > 0) expect(part.first).toBe((parts[i - 1]?.last ?? 0) + 1);
          }
        },
      ),
      { numRuns: propertyRuns(200) },
    );
  });

  test("soon keeps below a node's limit: it is hardly ever refused", () => {
    const whole = { first: 0, last: 5_000_000 };
    const { parts, refusals } = read(whole, { blocks: 10_000, logs: Infinity, each: () => 0 });
    expect(parts.length).toBeLessThan(600);
    expect(refusals).toBeLessThan(parts.length / 20);
  });

  test("grows again where a busy time is over", () => {
    const each = (n: number): number => (n < 5_000 ? 50 : 0);
    const { parts } = read({ first: 0, last: 500_000 }, { blocks: Infinity, logs: 10_000, each });
    expect(parts.length).toBeLessThan(120);
  });

  test.each([
    ["node 1: block range is limited to 10000 (-32005)", true],
    ["node 1: exceed maximum block range: 5000", true],
    ["node 1: You can make eth_getLogs requests with up to a 500 block range", true],
    ["node 1: query returned more than 10000 results (-32005)", false],
    ["node 1: Log response size exceeded; try a range of 200 blocks", false],
    ["node 1: query timeout exceeded", false],
    ["node 1: the answer is larger than 16 MB", false],
  ])("is refused for its length by %j: %s", (message, expected) => {
    expect(isOfLength(message)).toBe(expected);
  });

  test("goes down to one block where that is all a node answers", () => {
    const { parts } = read({ first: 7, last: 9 }, { blocks: 1, logs: 1, each: () => 5 });
    expect(parts).toHaveLength(3);
  });
});

describe("samples", () => {
  test("lie in the range and do not overlap", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000 }),
        fc.integer({ min: 0, max: 100_000 }),
        fc.integer({ min: 1, max: 3_000 }),
        (first, length, blocks) => {
          const whole = { first, last: first + length };
          const samples = samplesOf(whole, blocks);
          expect(samples.length).toBeGreaterThan(0);
          expect(samples.length).toBeLessThanOrEqual(20);
          let above = first - 1;
          for (const sample of samples) {
            expect(sample.first).toBeGreaterThan(above);
            expect(sample.last - sample.first).toBeLessThan(blocks);
            above = sample.last;
          }
          expect(above).toBeLessThanOrEqual(whole.last);
        },
      ),
      { numRuns: propertyRuns(200) },
    );
    expect(samplesOf({ first: 5, last: 4 }, 10)).toEqual([]);
  });

  test("of an even chain estimate it exactly", () => {
    const whole = { first: 0, last: 99_999 };
    const samples = samplesOf(whole, 100).map((one) => ({
      ...one,
      logs: 3 * (one.last - one.first + 1),
    }));
    expect(estimate(whole, samples)).toBe(300_000);
    expect(estimate(whole, [])).toBe(0);
  });
});

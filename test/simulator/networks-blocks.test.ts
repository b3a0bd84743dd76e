import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blocksOf, NETWORKS } from "../../src/simulator/networks.ts";

const someNetwork = fc.constantFrom(...NETWORKS);
const someStart = fc.integer({ min: 0, max: 4_000_000_000_000 });
const offset = fc.integer({ min: -120 * 86_400_000, max: 400 * 86_400_000 });

describe("the blocks of a chain", () => {
  it("are found by their time: the newest one that is not after it", () => {
    fc.assert(
      fc.property(someNetwork, someStart, offset, (network, start, t) => {
        const blocks = blocksOf(network, start);
        const block = blocks.numberAt(start + t);
        expect(blocks.timeOf(block)).toBeLessThanOrEqual(start + t);
        expect(blocks.timeOf(block + 1)).toBeGreaterThan(start + t);
      }),
    );
  });

  it("have their listed number at the start", () => {
    for (const network of NETWORKS) {
      const blocks = blocksOf(network, 1_700_000_000_123);
      expect(blocks.numberAt(1_700_000_000_123)).toBe(network.startBlock);
      expect(blocks.timeOf(network.startBlock)).toBe(1_700_000_000_123);
    }
  });

  it("are counted without a gap or an overlap", () => {
    fc.assert(
      fc.property(someNetwork, offset, offset, offset, (network, a, b, c) => {
        const blocks = blocksOf(network, 0);
        expect(blocks.countIn(a, b) + blocks.countIn(b, c)).toBe(blocks.countIn(a, c));
      }),
    );
  });

  it("begin with number 0", () => {
    const blocks = blocksOf(NETWORKS[0]!, 0);
    expect(blocks.numberAt(-100 * 365 * 86_400_000)).toBe(-1);
  });
});

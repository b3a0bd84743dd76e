import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryWait } from "../../src/delivery/waits.ts";

const MINUTE = 60_000;
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("the wait before a retry", () => {
  it("doubles from a second to ten minutes, half of it by chance", () => {
    expect([1, 2, 3, 9, 10, 11, 1_000].map((attempt) => retryWait(attempt, null, () => 0))).toEqual(
      [1_000, 2_000, 4_000, 256_000, 300_000, 300_000, 300_000],
    );
    expect(retryWait(1, null, () => 0.5)).toBe(1_500);
    expect(retryWait(12, null, () => 0.999_999)).toBe(10 * MINUTE);
  });

  it("grants what the receiver asks for, up to an hour", () => {
    expect(retryWait(1, 30_000, () => 0)).toBe(30_000);
    expect(retryWait(12, 30_000, () => 0)).toBe(300_000);
    expect(retryWait(1, 86_400_000, () => 0)).toBe(60 * MINUTE);
  });

  it("lies between one second and ten minutes whatever happens", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), chance, (attempt, x) => {
        const wait = retryWait(attempt, null, () => x);
        expect(wait).toBeGreaterThanOrEqual(1_000);
        expect(wait).toBeLessThanOrEqual(10 * MINUTE);
        expect(Number.isInteger(wait)).toBe(true);
      }),
    );
  });
});

import { describe, expect, it } from "vitest";
import { keepNewest } from "../../src/base/keep-newest.ts";

describe("what is kept of the newest", () => {
  it("is as many entries as are wanted, and loses the one that was put there longest ago", () => {
    const kept = new Map<string, number>();
    for (const [value, key] of ["a", "b", "c", "a", "d"].entries()) keepNewest(kept, key, value, 3);
    expect([...kept]).toEqual([
      ["c", 2],
      ["a", 3],
      ["d", 4],
    ]);
  });
});

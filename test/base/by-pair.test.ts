import { describe, expect, it } from "vitest";
import { ByPair } from "../../src/base/by-pair.ts";

describe("ByPair", () => {
  it("finds things by both texts, and neither by one alone nor by what the two spell together", () => {
    const all = new ByPair<number>();
    all.set("a", "bc", 1);
    all.set("ab", "c", 2);
    all.set("a", "c", 3);
    all.set("a", "bc", 4);
    expect(all.get("a", "bc")).toBe(4);
    expect(all.get("ab", "c")).toBe(2);
    expect(all.get("ab", "bc")).toBeUndefined();
    expect(all.get("c", "a")).toBeUndefined();
    expect([...all.values()]).toEqual([4, 3, 2]);
  });

  it("has no more what was taken, and the others stay", () => {
    const all = new ByPair<number>();
    all.set("a", "b", 1);
    all.set("a", "c", 2);
    expect(all.take("a", "b")).toBe(1);
    expect(all.take("a", "b")).toBeUndefined();
    expect(all.take("b", "a")).toBeUndefined();
    expect(all.get("a", "b")).toBeUndefined();
    expect([...all.values()]).toEqual([2]);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearest } from "../../src/base/nearest.ts";

const KEYS = ["schedule", "severity", "notify", "name", "note", "resolve_when", "ethereum", "gas"];

describe("the nearest name", () => {
  it.each([
    ["shedule", "schedule"],
    ["SEVERITY", "severity"],
    ["nmae", "name"],
    ["etherium", "ethereum"],
    ["resolve_wehn", "resolve_when"],
    ["sev", "severity"],
    ["gaz", "gas"],
    ["xyz", null],
    ["", null],
    ["a".repeat(1_000), null],
  ])("of %s is %s", (word, expected) => {
    expect(nearest(word, KEYS)).toBe(expected);
  });

  it("is found by its beginning among the keys of a map as well, which can be gone through once", () => {
    const metrics = new Map([
      ["fee", 1],
      ["tvl_usd", 2],
    ]);
    expect(nearest("tvl", metrics.keys())).toBe("tvl_usd");
  });

  it("is the name itself where it is there", () => {
    fc.assert(
      fc.property(fc.constantFrom(...KEYS), (key) => {
        expect(nearest(key, KEYS)).toBe(key);
      }),
    );
  });
});

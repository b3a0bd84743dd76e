import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearest } from "../../src/base/nearest.ts";
import { propertyRuns } from "../support/tier.ts";

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

  it("is as far as edits can be counted letter by letter", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 14 });
    fc.assert(
      fc.property(word, fc.array(word, { minLength: 1, maxLength: 8 }), (wanted, names) => {
        const limit = Math.max(1, Math.floor(wanted.length / 3));
        const far = names.map((name) => edits(wanted, name));
        const least = Math.min(...far);
        const found = nearest(wanted, names);
        const longer = found?.startsWith(wanted) === true ? found : null;
        expect(found).toBe(least <= limit ? names[far.indexOf(least)] : longer);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it("is found among thousands in little time, and is none where that would be chance", () => {
    const names = Array.from({ length: 4_000 }, (_, i) => `pool-${"xyz".repeat(16)}-${i * 7919}`);
    const start = process.cpuUsage().user;
    for (let i = 0; i < 200; i++)
      expect(nearest(`gate-${"zyx".repeat(17)}-${i}`, names)).toBe(null);
    expect(process.cpuUsage().user - start).toBeLessThan(5_000_000);
    expect(nearest(`pol-${"xyz".repeat(16)}-7919`, names)).toBe(names[1]);
  });
});

/** The restricted distance of Damerau by its definition. */
function edits(a: string, b: string): number {
  const table: number[][] = [];
  for (let i = 0; i <= a.length; i++) {
    table[i] = [];
    for (let j = 0; j <= b.length; j++) {
      const at = (x: number, y: number): number => table[x]?.[y] ?? Infinity;
      const choices = [
        i === 0 ? j : Infinity,
        j === 0 ? i : Infinity,
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
      ];
      if (i > 0 && j > 0) choices.push(at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        choices.push(at(i - 2, j - 2) + 1);
      }
      (table[i] ?? [])[j] = Math.min(...choices);
    }
  }
  return table[a.length]?.[b.length] ?? Infinity;
}

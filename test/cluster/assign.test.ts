import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assign } from "../../src/cluster/assign.ts";
import { propertyRuns } from "../support/tier.ts";

const SLOTS = Array.from({ length: 256 }, (_, at) => `s${String(at).padStart(3, "0")}`);

const members = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 12 });

function countsOf(owners: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const owner of owners.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return counts;
}

describe("the work that daemons share", () => {
  it("has one owner for each part, who is one of them and has at most a tenth more than the mean", () => {
    fc.assert(
      fc.property(members, (ids) => {
        const owners = assign(SLOTS, ids);
        expect([...owners.keys()]).toEqual(SLOTS);
        const most = Math.ceil((SLOTS.length / ids.length) * 1.1);
        for (const [owner, count] of countsOf(owners)) {
          expect(ids).toContain(owner);
          expect(count).toBeLessThanOrEqual(most);
        }
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it("is shared in the same way whoever is named first", () => {
    fc.assert(
      fc.property(members, (ids) => {
        expect(assign(SLOTS, ids.toReversed())).toEqual(assign(SLOTS, ids));
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  it("moves little more than what a daemon gets that comes, or had that goes", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 10 }), (ids) => {
        const [fresh = "", ...others] = ids;
        const before = assign(SLOTS, others);
        const after = assign(SLOTS, ids);
        const moved = SLOTS.filter((name) => before.get(name) !== after.get(name));
        const its = SLOTS.filter((name) => after.get(name) === fresh);
        expect(moved.length - its.length).toBeLessThanOrEqual(SLOTS.length / 5);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it("is nobody's where nobody is there, and one daemon's where there is one", () => {
    expect(assign(SLOTS, []).size).toBe(0);
    expect(new Set(assign(SLOTS, ["one"]).values())).toEqual(new Set(["one"]));
  });
});

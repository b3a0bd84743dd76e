import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assign } from "../../src/cluster/assign.ts";
import { propertyRuns } from "../support/tier.ts";

const SLOTS = Array.from({ length: 256 }, (_, at) => `s${String(at).padStart(3, "0")}`);

const members = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 12 });
const weighted = fc.uniqueArray(
  fc.record({ id: fc.uuid(), weight: fc.integer({ min: 1, max: 8 }) }),
  {
    minLength: 1,
    maxLength: 10,
    selector: ({ id }) => id,
  },
);
const equal = (ids: readonly string[]) => ids.map((id) => ({ id, weight: 1 }));

function countsOf(owners: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const owner of owners.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return counts;
}

describe("the work that daemons share", () => {
  it("has one owner for each part, who is one of them and has at most a tenth more than the mean", () => {
    fc.assert(
      fc.property(members, (ids) => {
        const owners = assign(SLOTS, equal(ids));
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
        expect(assign(SLOTS, equal(ids).toReversed())).toEqual(assign(SLOTS, equal(ids)));
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  it("moves little more than what a daemon gets that comes, or had that goes", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 10 }), (ids) => {
        const [fresh = "", ...others] = ids;
        const before = assign(SLOTS, equal(others));
        const after = assign(SLOTS, equal(ids));
        const moved = SLOTS.filter((name) => before.get(name) !== after.get(name));
        const its = SLOTS.filter((name) => after.get(name) === fresh);
        expect(moved.length - its.length).toBeLessThanOrEqual(SLOTS.length / 5);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it("is shared by weight, with at most a tenth more than that for anybody", () => {
    fc.assert(
      fc.property(weighted, (all) => {
        const counts = countsOf(assign(SLOTS, all));
        const total = all.reduce((sum, { weight }) => sum + weight, 0);
        for (const { id, weight } of all) {
          const share = (SLOTS.length * weight) / total;
          expect(counts.get(id) ?? 0).toBeLessThanOrEqual(Math.ceil(share * 1.1));
          // What others may have at most leaves it with this.
          const least = SLOTS.length - (SLOTS.length - share) * 1.1 - all.length;
          expect(counts.get(id) ?? 0).toBeGreaterThanOrEqual(Math.floor(least));
        }
        expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(SLOTS.length);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it("comes close to the weights on the whole", () => {
    const all = Array.from({ length: 200 }, (_, at) => at).map((at) => {
      const counts = countsOf(
        assign(SLOTS, [
          { id: `one ${at}`, weight: 1 },
          { id: `two ${at}`, weight: 2 },
          { id: `five ${at}`, weight: 5 },
        ]),
      );
      return [counts.get(`one ${at}`) ?? 0, counts.get(`two ${at}`) ?? 0];
    });
    const mean = (which: number): number =>
      all.reduce((sum, counts) => sum + (counts[which] ?? 0), 0) / all.length;
    expect(Math.abs(mean(0) - 32)).toBeLessThan(2);
    expect(Math.abs(mean(1) - 64)).toBeLessThan(3);
  });

  it("moves what one gains by a greater weight, and little else", () => {
    fc.assert(
      fc.property(weighted, fc.integer({ min: 1, max: 8 }), (all, more) => {
        const [first, ...others] = all;
        if (first === undefined) return;
        const before = assign(SLOTS, all);
        const after = assign(SLOTS, [{ ...first, weight: first.weight + more }, ...others]);
        const moved = SLOTS.filter((name) => before.get(name) !== after.get(name));
        const gained = moved.filter((name) => after.get(name) === first.id);
        expect(moved.length - gained.length).toBeLessThanOrEqual(SLOTS.length / 5);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it("is nobody's where nobody is there, and one daemon's where there is one", () => {
    expect(assign(SLOTS, []).size).toBe(0);
    expect(new Set(assign(SLOTS, equal(["one"])).values())).toEqual(new Set(["one"]));
  });
});

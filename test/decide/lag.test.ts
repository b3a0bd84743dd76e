import fc from "fast-check";
import { expect, it } from "vitest";
import { judgeLag, type Lagging, moveOn, watermarkOf } from "../../src/decide/lag.ts";
import type { Mark } from "../../src/kinds/kind.ts";
import { propertyRuns } from "../support/tier.ts";

const aTime = fc.option(fc.nat(3));
const someMarks = fc.uniqueArray(
  fc.record<Mark>({ key: fc.constantFrom("position", "pool"), block: aTime, time: aTime }),
  { minLength: 1, selector: ({ key }) => key },
);
const someLagging = fc.constantFrom<readonly (readonly [string, Lagging])[]>(
  [],
  [],
  [["pool", { since: 1, rounds: 1 }]],
);

it("records move on in place to what judging them comes to, and otherwise nothing moves", () => {
  fc.assert(
    fc.property(someMarks, someMarks, someLagging, (before, marks, lagging) => {
      const known = watermarkOf(before, 100, new Map(lagging));
      const judged = judgeLag(structuredClone(known), marks, 200, 0);
      const unmoved = structuredClone(known);
      const moved = known !== null && moveOn(known, marks, 200);
      expect(known).toEqual(moved ? judged.progress : unmoved);
      if (moved) expect(judged).toMatchObject({ dropped: new Set(), rebasedSince: null });
      // What is mostly so must not be left to the slower way.
      const keys = before.map(({ key }) => key).join();
      const isUsual = lagging.length === 0 && marks.map(({ key }) => key).join() === keys;
      if (isUsual && judged.dropped.size === 0) expect(moved).toBe(true);
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

it("a record that comes to lag has waited since a record was last accepted, whichever others lagged meanwhile", () => {
  const [position, pool] = ["position", "pool"].map(
    (key): Mark => ({ key, block: 10, time: null }),
  );
  if (position === undefined || pool === undefined) throw new Error("no marks");
  const old = (mark: Mark): Mark => ({ ...mark, block: 9 });
  let known = watermarkOf([position, pool], 0);
  const rebased: number[] = [];
  for (const [date, marks] of [
    [1, [old(pool)]],
    [3, [old(position)]],
    [4, [old(position)]],
    [5, [old(position)]],
  ] as const) {
    const { progress, rebasedSince } = judgeLag(known, marks, date, 5);
    if (rebasedSince !== null) rebased.push(date - rebasedSince);
    known = progress;
  }
  expect(rebased).toEqual([5]);
});

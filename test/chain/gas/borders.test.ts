import fc from "fast-check";
import { expect, test } from "vitest";
import { firstBlockAt } from "../../../src/chain/gas/borders.ts";
import { propertyRuns } from "../../support/tier.ts";

/** Searches a chain whose blocks have these times, and tells how often it looked. */
async function search(times: readonly number[], time: number): Promise<[number, number]> {
  let looks = 0;
  const [low, high] = [0, times.length - 1];
  const found = await firstBlockAt(
    time,
    { number: low, time: times[low] ?? 0 },
    { number: high, time: times[high] ?? 0 },
    async (number) => {
      looks += 1;
      return { before: times[number - 1] ?? 0, at: times[number] ?? 0 };
    },
  );
  return [found, looks];
}

test("the first block at or after a time is found on any chain, in no more looks than halving twice", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.constant(12), fc.integer({ min: 0, max: 5_000 })), {
        minLength: 2,
        maxLength: 300,
      }),
      fc.double({ min: 0.001, max: 1, noNaN: true }),
      async (steps, share) => {
        let at = 0;
        const times = [0, ...steps.map((step) => (at += step))];
        const time = Math.max(1, Math.round(at * share));
        if (time > at) return;
        const [found, looks] = await search(times, time);
        expect(found).toBe(times.findIndex((one) => one >= time));
        expect(looks).toBeLessThanOrEqual(6 + 2 * Math.ceil(Math.log2(times.length + 1)));
      },
    ),
    { numRuns: propertyRuns(400) },
  );
});

test("regular blocks need few looks, also where some are missing", async () => {
  let at = 0;
  // One slot in a hundred is empty, as on Ethereum.
  const times = Array.from({ length: 7_200 }, (_, i) => (at += i % 97 === 0 ? 24 : 12));
  let all = 0;
  for (let hour = 3_600; hour < at; hour += 3_600) all += (await search(times, hour))[1];
  expect(all / Math.floor(at / 3_600)).toBeLessThan(3);
});

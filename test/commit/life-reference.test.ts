import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RefRound, referenceLife } from "../decide/life-reference.ts";
import { propertyRuns } from "../support/tier.ts";
import { MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const LIMIT = 900;
const BY = 100;

/** In minutes. */
const rules = fc.record({
  forMs: fc.nat(4),
  resolveAfterMs: fc.nat(4),
  cooldownMs: fc.constantFrom(0, 0, 3, 10),
  remind: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 3 }),
  missingAfterMs: fc.constantFrom(2, 4, 10),
  once: fc.nat(7).map((n) => n === 0),
});

/** The values of a pool, minute by minute, the first of which is no reason to fire. */
const series = fc
  .array(
    fc.tuple(
      fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 8, max: 12 }).map((n) => n * 100) },
        { weight: 1, arbitrary: fc.constant(null) },
      ),
      fc.constantFrom(1, 1, 1, 1, 2, 4, 7),
    ),
    { minLength: 20, maxLength: 60 },
  )
  .map((all) => [LIMIT, ...all.flatMap(([value, n]) => Array.from({ length: n }, () => value))]);

const list = (minutes: readonly number[]): string => minutes.map((n) => `${n}m`).join(", ");

describe("the life of an alert, from the rule's text to its notices", () => {
  it("is what the reference tells, with worse, reminders, cooldown and flapping", async () => {
    await fc.assert(
      fc.asyncProperty(rules, series, async (rule, values) => {
        const rounds = values.map((value, i): RefRound => {
          const truth = value === null ? null : value > LIMIT;
          return { date: START + (i + 1) * MINUTE, truth, quiet: false, open: true, value };
        });
        const ms = (minutes: number): number => minutes * MINUTE;
        const told = referenceLife(
          {
            once: rule.once,
            forMs: ms(rule.forMs),
            resolveAfterMs: ms(rule.resolveAfterMs),
            cooldownMs: ms(rule.cooldownMs),
            missingAfterMs: ms(rule.missingAfterMs),
            remind: rule.remind.map(ms),
            flapping: { moreThan: 5, withinMs: 60 * MINUTE },
          },
          rounds,
          BY,
        );
        // Gaps in the data are not what flaps here: the reference has no word for that.
        fc.pre(told.filter(({ kind }) => kind === "no_data").length <= 5);
        const world = await World.create(`
rules:
  - name: high
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: tvl_usd, above: ${LIMIT}}
    worse_by: ${BY} usd
    for: ${rule.forMs}m
    resolve_after: ${rule.resolveAfterMs}m
    missing_after: ${rule.missingAfterMs}m
    once: ${rule.once}
${rule.cooldownMs > 0 ? `    cooldown: ${rule.cooldownMs}m` : ""}
${rule.remind.length > 0 ? `    remind: [${list(rule.remind)}]` : ""}
`);
        world.answer = (_ask, date) =>
          ok(poolRecord({ tvl_usd: values[(date - START) / MINUTE - 1] }));
        await world.run(values.length * MINUTE);
        await world.stop();
        expect(world.story()).toEqual(
          told.map(({ date, kind }) => `${(date - START) / MINUTE} ${kind}`),
        );
      }),
      { numRuns: Number(process.env.RUNS ?? propertyRuns(25)), endOnFailure: true },
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NO_CHANGE, type Run } from "../../src/model/index.ts";
import type { Settlement, Store } from "../../src/store/store.ts";
import { propertyRuns } from "../support/tier.ts";
import { createReferenceStore } from "./reference-store.ts";
import { alert, message, notice, SERIES, type StorePlace } from "./store-suite.ts";

const CHANNELS = ["lp", "mail"];

// Runs of a series never overlap: each has a slot of ten milliseconds.
const aRun = fc
  .record({
    series: fc.integer({ min: 1, max: 3 }),
    slot: fc.nat(20),
    length: fc.nat(9),
    value: fc.option(fc.constantFrom("0", "-1.5", "text")),
    before: fc.option(fc.nat(9)),
  })
  .map(({ series, slot, length, value, before }) => {
    const run = { series, first: slot * 10, last: slot * 10 + length };
    // One that goes on has the value that it had, and may have ended elsewhere so far.
    if (slot % 2 === 0) return { ...run, value };
    return { ...run, value: `${slot}`, before: before === null ? null : run.first + before };
  });

const RULE_NAMES = ["a", "b", "c"];
const someRules = fc.subarray(RULE_NAMES);

const aTime = fc.integer({ min: 0, max: 230 });
const aChannel = fc.constantFrom(...CHANNELS);

const anOperation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("commit" as const),
      runs: fc.oneof(fc.array(aRun, { maxLength: 40 }), fc.array(aRun, { maxLength: 3 })),
      alerts: fc.subarray(["a", "b", "c"]),
      removedAlerts: fc.subarray(["a", "b", "c"]),
      rules: someRules,
      removedRules: someRules,
      closed: fc.array(fc.record({ date: aTime, rules: someRules }), { maxLength: 3 }),
      round: fc.option(fc.record({ date: aTime, rules: someRules })),
      notices: fc.array(fc.record({ id: fc.nat(9), at: aTime, channels: fc.subarray(CHANNELS) }), {
        maxLength: 3,
      }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("send" as const),
      channel: aChannel,
      most: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("settle" as const),
      which: fc.nat(5),
      status: fc.constantFrom("sent" as const, "waiting" as const, "dead" as const),
      at: aTime,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("wake" as const), channel: aChannel }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("prune" as const), before: aTime }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rewind" as const), now: aTime }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart" as const) }) },
);

const ROUND = { requests: 1, subjects: 1, failures: {}, failed: 0, unread: [], tookMs: 1 };

type Operation = typeof anOperation extends fc.Arbitrary<infer T> ? T : never;

/** The series whose clock is set back. */
const REWOUND = [1, 3];

/**
 * The operations without runs that lie over the time to which the clock was set back before: what is dated later
 * is dated so then, and no daemon writes a run from before it that ends after it.
 */
function apart(operations: readonly Operation[]): readonly Operation[] {
  const times: number[] = [];
  return operations.map((operation) => {
    if (operation.kind === "rewind") times.push(operation.now);
    if (operation.kind !== "commit") return operation;
    const runs = operation.runs.filter(
      ({ series, first, last }) =>
        !REWOUND.includes(series) || times.every((time) => time <= first || time > last),
    );
    return { ...operation, runs };
  });
}

/** What a round observes of a series is one run: of several none is said to go on. */
function goingOn(run: Run, all: readonly Run[]): Run {
  const isAlone = all.filter(({ series }) => series === run.series).length === 1;
  return isAlone ? run : { ...run, before: null };
}

/** Does the operation and returns what it answered. */
async function perform(store: Store, step: number, operation: Operation): Promise<unknown> {
  switch (operation.kind) {
    case "commit":
      return store.commit({
        ...NO_CHANGE,
        series: SERIES,
        runs: operation.runs.map((run) => goingOn(run, operation.runs)),
        alerts: operation.alerts.map((rule) => alert(rule, "s", { since: step })),
        removedAlerts: operation.removedAlerts.map((rule) => ({ rule, subject: "s" })),
        closed: operation.closed,
        rules: operation.rules.map((name) => ({
          name,
          version: "1",
          startedAt: step,
          lastRound: step % 2 === 0 ? step : null,
        })),
        removedRules: operation.removedRules,
        round: operation.round === null ? null : { ...ROUND, ...operation.round },
        notices: operation.notices.map(({ id, at, channels }) => ({
          notice: notice(`n${id}`, at),
          channels,
        })),
      });
    case "send": {
      const claim = await store.claim(operation.channel, 100);
      if (claim.kind === "notices") {
        const ids = claim.notices.slice(0, operation.most).map(({ id }) => id);
        await store.freeze(message(`m${step}`, ids, operation.channel), step);
      }
      return claim;
    }
    case "settle": {
      const { at, status, which } = operation;
      const results: Record<typeof status, Settlement> = {
        sent: { status: "sent", at },
        waiting: { status: "waiting", at: 1, until: at, error: "503" },
        dead: { status: "dead", at, error: "550" },
      };
      return store.settle(`m${step - which}`, results[status]);
    }
    case "wake":
      return store.wake(operation.channel);
    case "prune":
      return store.prune(operation.before);
    case "rewind":
      return store.rewind(REWOUND, operation.now);
    case "restart":
      return undefined;
  }
}

async function seen(store: Store): Promise<unknown> {
  const { alerts, rules, newest } = await store.load();
  const windows = [];
  for (const from of [0, 55, 100, 199]) windows.push(await store.window([1, 2, 3], from));
  const claims = [];
  for (const channel of CHANNELS) claims.push(await store.claim(channel, 100));
  return {
    alerts: alerts.toSorted((a, b) => (a.rule < b.rule ? -1 : 1)),
    rules: rules.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    newest,
    windows,
    claims,
    owed: await store.owed(),
    backlog: await store.backlog(),
  };
}

/** What a round says of a series, whose value mostly stays. */
const aStep = fc.oneof(
  { weight: 5, arbitrary: fc.constant("stays" as const) },
  { weight: 2, arbitrary: fc.constant("changes" as const) },
  { weight: 1, arbitrary: fc.constant("is not answered" as const) },
  { weight: 1, arbitrary: fc.constant("stays, and ended elsewhere" as const) },
  { weight: 1, arbitrary: fc.constant("is revised" as const) },
);
const NEIGHBOURS = 12;
const someRounds = fc.array(fc.array(aStep, { minLength: NEIGHBOURS, maxLength: NEIGHBOURS }), {
  minLength: 1,
  maxLength: 6,
});
type Step = typeof aStep extends fc.Arbitrary<infer T> ? T : never;

/** The runs of such a round, `newest` being what is remembered of the series. */
function runsOf(steps: readonly Step[], date: number, newest: Map<number, Run>): Run[] {
  return steps.flatMap((step, series): Run[] => {
    const known = newest.get(series);
    if (step === "is not answered") return [];
    if (known === undefined || step === "changes") {
      const run = { series, first: date, last: date, value: `${date}` };
      newest.set(series, run);
      return [run];
    }
    if (step === "is revised") return [{ series, first: 1, last: 1, value: `${date}` }];
    const before = step === "stays" ? known.last : known.last - 1;
    newest.set(series, { ...known, last: date });
    return [{ ...known, last: date, before }];
  });
}

/** Runs any sequences of operations on fresh places, `wholeRuns` of them in the whole pass, and on what is written down of a store. */
export function sameSuite(
  name: string,
  makePlace: () => Promise<StorePlace>,
  wholeRuns: number,
): void {
  describe(`${name} and what is written down of a store`, () => {
    it("answer the same to any sequence of operations", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anOperation, { minLength: 1, maxLength: 25 }),
          async (operations) => {
            const place = await makePlace();
            let store = await place.open();
            const reference = createReferenceStore();
            try {
              for (const [step, operation] of apart(operations).entries()) {
                if (operation.kind === "restart") {
                  await store.close();
                  store = await place.open();
                }
                const answer = await perform(store, step, operation);
                expect(answer).toEqual(await perform(reference, step, operation));
                expect(await seen(store)).toEqual(await seen(reference));
              }
            } finally {
              await store.close();
              await place.remove();
            }
          },
        ),
        { numRuns: propertyRuns(wholeRuns) },
      );
    });

    it("have the same runs after rounds over series that follow each other", async () => {
      await fc.assert(
        fc.asyncProperty(someRounds, async (rounds) => {
          const place = await makePlace();
          const store = await place.open();
          const reference = createReferenceStore();
          try {
            const ids = Array.from({ length: NEIGHBOURS }, (_, id) => id);
            const series = ids.map((id) => ({ id, subject: `s${id}`, metric: "m" }));
            const newest = new Map<number, Run>();
            for (const [i, steps] of rounds.entries()) {
              const date = 10 * (i + 1);
              const runs = runsOf(i === 0 ? ids.map(() => "changes") : steps, date, newest);
              for (const one of [store, reference]) {
                await one.commit({ ...NO_CHANGE, series: i === 0 ? series : [], runs });
              }
            }
            expect(await store.window(ids, 0)).toEqual(await reference.window(ids, 0));
            expect((await store.load()).newest).toEqual((await reference.load()).newest);
          } finally {
            await store.close();
            await place.remove();
          }
        }),
        { numRuns: propertyRuns(2 * wholeRuns) },
      );
    });
  });
}

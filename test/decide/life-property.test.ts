import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FALSE, TRUE, UNKNOWN_VALUE } from "../../src/decide/evaluation-context.ts";
import { carryOut, isAcked, isCompleted } from "../../src/decide/notification-state.ts";
import { notify } from "../../src/decide/notify.ts";
import { transition } from "../../src/decide/transition.ts";
import type { Alert, Rule } from "../../src/model/index.ts";
import { makeAlert, makeRule } from "../support/nouns.ts";
import { propertyRuns } from "../support/tier.ts";
import { type RefRound, type RefTold, referenceLife } from "./life-reference.ts";

const MINUTE = 60_000;

/** The real thing on the same rounds; `keep` is what a store does to an alert. */
function realLife(
  rule: Rule,
  rounds: readonly RefRound[],
  keep: (alert: Alert, index: number) => Alert = (alert) => alert,
): readonly RefTold[] {
  let alert = makeAlert({ createdAt: rounds[0]?.date ?? 0, since: rounds[0]?.date ?? 0 });
  const told: RefTold[] = [];
  for (const [index, { date, truth, quiet, open }] of rounds.entries()) {
    if (isCompleted(alert)) continue;
    const known = truth !== null;
    const step = transition(rule, alert, {
      date,
      previousRound: rounds[index - 1]?.date ?? null,
      unanswered: false,
      truth: truth === null ? UNKNOWN_VALUE : truth ? TRUE : FALSE,
      recovered: null,
      closed: false,
      closedBy: open ? null : "gate",
      buckets: null,
    });
    const moment = {
      date,
      happened: step.happened,
      known,
      holds: truth === true,
      unanswered: false,
      quiet,
      verdict: null,
    };
    const spoken = notify(rule, alert, step.alert, moment);
    for (const { kind, about } of spoken.intents) {
      told.push({ date, kind: about === "gaps" ? `${kind} (gaps)` : kind });
    }
    alert = keep(spoken.alert, index);
  }
  return told;
}

const stretch = fc.record({
  truth: fc.constantFrom(true, true, false, false, null),
  quiet: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
  open: fc.integer({ min: 0, max: 5 }).map((n) => n > 0),
  length: fc.integer({ min: 1, max: 6 }),
  gap: fc.constantFrom(1, 1, 1, 1, 1, 2, 3, 4, 7),
});

const lives = fc.array(stretch, { minLength: 5, maxLength: 50 }).map((stretches) => {
  let minute = 1_000;
  return stretches.flatMap(({ length, gap, ...round }): RefRound[] =>
    Array.from({ length }, (_, i) => {
      minute += i === 0 ? gap : 1;
      return { ...round, date: minute * MINUTE };
    }),
  );
});

const minutes = (max: number): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max }).map((n) => n * MINUTE);

const rules = fc
  .record({
    forMs: minutes(4),
    resolveAfterMs: minutes(4),
    cooldownMs: fc.oneof(fc.constant(0), minutes(12)),
    remind: fc.array(
      fc.integer({ min: 1, max: 9 }).map((n) => n * MINUTE),
      { maxLength: 3 },
    ),
    flapping: fc.record({
      moreThan: fc.integer({ min: 1, max: 5 }),
      withinMs: fc.integer({ min: 5, max: 40 }).map((n) => n * MINUTE),
    }),
    gated: fc.boolean(),
    once: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  })
  .map(({ gated, ...given }) => {
    const gates = { onlyWhile: ["gate"], unless: [], anyChain: false };
    return makeRule({ ...given, gates: gated ? gates : null, missingAfterMs: 4 * MINUTE });
  });

/** Rules without gates never find one closed. */
function fitted(rule: Rule, rounds: readonly RefRound[]): readonly RefRound[] {
  return rule.gates === null ? rounds.map((round) => ({ ...round, open: true })) : rounds;
}

/** Gaps in the data are not what flaps here: the reference has no word for that. */
function gapsFlap(rule: Rule, told: readonly RefTold[]): boolean {
  return told.filter(({ kind }) => kind === "no_data").length > rule.flapping.moreThan;
}

describe("an alert that somebody looks after, whatever the rounds say", () => {
  const command = { id: 1, kind: "ack", rule: "r", subject: null, comment: null } as const;

  it("is told of again when it is over, and only then", () => {
    fc.assert(
      fc.property(rules, lives, fc.nat(60), (rule, life, index) => {
        const rounds = fitted(rule, life);
        const acked: { from: number | null; to: number | null } = { from: null, to: null };
        const told = realLife(rule, rounds, (alert, i) => {
          const date = rounds[i]?.date ?? 0;
          if (acked.from !== null && acked.to === null && !isAcked(alert)) acked.to = date;
          // People were told that it fires, so that whatever comes next they know already.
          if (i < index || acked.from !== null || alert.lastNotified.state !== "firing")
            return alert;
          acked.from = date;
          return carryOut(alert, { ...command, author: "anna", at: date });
        });
        const { from, to } = acked;
        fc.pre(from !== null);
        const after = told.filter(({ date, kind }) => {
          return date > (from ?? 0) && (to === null || date < to) && !kind.includes("data");
        });
        // What is said of gaps in the data goes on.
        expect(after.filter(({ kind }) => !kind.includes("(gaps)"))).toEqual([]);
        const end = to === null ? null : told.filter(({ date }) => date === to);
        if (end !== null) {
          expect(end.map(({ kind }) => kind)).toContain("resolved");
          expect(rounds.find(({ date }) => date === to)?.truth).toBe(false);
        }
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

describe("the life of an alert, whatever the rounds say", () => {
  it("is what the reference tells", () => {
    fc.assert(
      fc.property(rules, lives, (rule, life) => {
        const rounds = fitted(rule, life);
        const expected = referenceLife(rule, rounds);
        fc.pre(!gapsFlap(rule, expected));
        expect(realLife(rule, rounds)).toEqual(expected);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it("is the same over restarts, at any time of the day", () => {
    fc.assert(
      fc.property(rules, lives, fc.integer({ min: 1, max: 10 ** 6 }), (rule, life, by) => {
        const rounds = fitted(rule, life);
        const told = realLife(rule, rounds);
        const stored = (alert: Alert): Alert => JSON.parse(JSON.stringify(alert)) as Alert;
        expect(realLife(rule, rounds, stored)).toEqual(told);
        const shifted = rounds.map((round) => ({ ...round, date: round.date + by * MINUTE }));
        const back = realLife(rule, shifted).map((one) => ({
          ...one,
          date: one.date - by * MINUTE,
        }));
        expect(back).toEqual(told);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it("is told in turns, fired at most once in cooldown, and in the end as it is", () => {
    fc.assert(
      fc.property(rules, lives, (rule, life) => {
        const rounds = fitted(rule, life);
        // A time at the end in which nothing holds back and nothing happens.
        const end = rounds.at(-1)?.date ?? 0;
        const calm = Array.from({ length: 100 }, (_, i): RefRound => {
          return { date: end + (i + 1) * MINUTE, truth: false, quiet: false, open: true };
        });
        const told = realLife(rule, [...rounds, ...calm]);
        const turns = told.filter(({ kind }, i) => {
          if (kind === "fired" || kind === "resolved") return true;
          const before = told
            .slice(0, i)
            .findLast((one) => /fired|flapping|resolved|steady/.test(one.kind));
          return kind === "flapping" && before?.kind !== "flapping";
        });
        for (const [i, { kind }] of turns.entries()) {
          expect(kind === "resolved").toBe(i % 2 === 1);
        }
        expect(turns.length % 2).toBe(0);
        const fired = told.filter(({ kind }) => kind === "fired");
        for (const [i, { date }] of fired.entries()) {
          const next = fired[i + 1];
          if (next !== undefined) expect(next.date - date).toBeGreaterThanOrEqual(rule.cooldownMs);
        }
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});

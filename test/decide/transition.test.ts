import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  FALSE,
  TRUE,
  type Truth,
  UNKNOWN_VALUE,
  UNKNOWN_WINDOW,
} from "../../src/decide/evaluation-context.ts";
import { notify } from "../../src/decide/notify.ts";
import type { IntentKind } from "../../src/decide/notify-firings.ts";
import { transition } from "../../src/decide/transition.ts";
import type { Alert, Rule } from "../../src/model/index.ts";
import { makeAlert, makeRule } from "../support/nouns.ts";

const MINUTE = 60_000;

interface Step {
  readonly truth: Truth;
  readonly recovered?: Truth;
  readonly closed?: boolean;
  /** Minutes since the step before. */
  readonly gap?: number;
}

interface Told {
  readonly minute: number;
  readonly kind: IntentKind;
}

/** Lives through the steps, one a minute unless a gap is given. */
function live(
  rule: Rule,
  steps: readonly Step[],
  start: Alert = makeAlert(),
): { told: Told[]; alert: Alert } {
  let alert = start;
  let minute = 0;
  let previousRound: number | null = 0;
  const told: Told[] = [];
  for (const { truth, recovered, closed = false, gap = 1 } of steps) {
    minute += gap;
    const date = minute * MINUTE;
    const step = transition(rule, alert, {
      date,
      previousRound,
      unanswered: false,
      truth,
      recovered: rule.resolveWhen === null ? null : (recovered ?? FALSE),
      closed,
      closedBy: null,
      buckets: null,
    });
    const { happened } = step;
    const known = truth === TRUE || truth === FALSE;
    const holds = truth === TRUE;
    const moment = { date, happened, known, holds, unanswered: false, quiet: false, verdict: null };
    const spoken = notify(rule, alert, step.alert, moment);
    for (const { kind } of spoken.intents) told.push({ minute, kind });
    ({ alert } = spoken);
    previousRound = date;
  }
  return { told, alert };
}

const T: Step = { truth: TRUE };
const F: Step = { truth: FALSE };
const V: Step = { truth: UNKNOWN_VALUE };
const W: Step = { truth: UNKNOWN_WINDOW };

describe("an alert without for", () => {
  it("fires in the first true round and resolves in the first false one", () => {
    expect(live(makeRule(), [F, T, T, F, F]).told).toEqual([
      { minute: 2, kind: "fired" },
      { minute: 4, kind: "resolved" },
    ]);
  });

  it("is the same object while nothing happens, so nothing is written", () => {
    const alert = makeAlert();
    expect(live(makeRule(), [F, F, F], alert).alert).toBe(alert);
    const { alert: firing } = live(makeRule(), [T]);
    expect(live(makeRule(), [T, T], firing).alert).toBe(firing);
  });
});

describe("for", () => {
  const rule = makeRule({ forMs: 3 * MINUTE });

  it("wants every round with a value to be true for so long, the end included", () => {
    expect(live(rule, [T, T, T]).told).toEqual([]);
    expect(live(rule, [T, T, T, T]).told).toEqual([{ minute: 4, kind: "fired" }]);
  });

  it("begins anew after a false round, silently", () => {
    expect(live(rule, [T, T, F, T, T, T]).told).toEqual([]);
    expect(live(rule, [T, T, F]).alert.state).toBe("ok");
  });

  it("passes over rounds without a value, but fires only in a known one", () => {
    expect(live(rule, [T, V, V, T]).told).toEqual([{ minute: 4, kind: "fired" }]);
    expect(live(rule, [T, T, T, V]).told).toEqual([]);
  });

  it("begins anew after more than three intervals without a known verdict", () => {
    expect(live(rule, [T, { ...T, gap: 3 }]).told).toEqual([{ minute: 4, kind: "fired" }]);
    const gone = live(rule, [T, { ...T, gap: 4 }]);
    expect(gone.told).toEqual([]);
    expect(gone.alert).toMatchObject({ state: "pending", since: 5 * MINUTE });
  });

  it("a window that is not known yet takes pending back to ok and nothing else", () => {
    expect(live(rule, [T, W]).alert.state).toBe("ok");
    expect(live(makeRule(), [T, W]).alert.state).toBe("firing");
  });
});

describe("resolve_after", () => {
  const rule = makeRule({ resolveAfterMs: 2 * MINUTE });

  it("wants the recovery to hold for so long", () => {
    expect(live(rule, [T, F, F, F]).told).toEqual([
      { minute: 1, kind: "fired" },
      { minute: 4, kind: "resolved" },
    ]);
  });

  it("goes back to firing silently, thirty times if need be", () => {
    const dance = Array.from({ length: 30 }, () => [F, F, T]).flat();
    const { told, alert } = live(rule, [T, ...dance]);
    expect(told).toEqual([{ minute: 1, kind: "fired" }]);
    expect(alert).toMatchObject({ state: "firing", firedAt: MINUTE });
  });
});

describe("resolve_when", () => {
  const rule = makeRule({
    resolveWhen: {
      op: "below",
      metric: "tvl_usd",
      limit: { kind: "value", value: "1", text: "1" },
    },
  });

  it("keeps firing between the two limits", () => {
    const between: Step = { truth: FALSE, recovered: FALSE };
    const below: Step = { truth: FALSE, recovered: TRUE };
    expect(live(rule, [T, between, between, below]).told).toEqual([
      { minute: 1, kind: "fired" },
      { minute: 4, kind: "resolved" },
    ]);
  });

  it("does not resolve while when is true or unknown", () => {
    expect(live(rule, [T, { truth: TRUE, recovered: TRUE }]).alert.state).toBe("firing");
    expect(live(rule, [T, { truth: UNKNOWN_VALUE, recovered: TRUE }]).alert.state).toBe("firing");
  });

  it("a closed position recovers whatever it says", () => {
    const closed: Step = { truth: FALSE, recovered: FALSE, closed: true };
    expect(live(rule, [T, closed]).told.at(-1)).toEqual({ minute: 2, kind: "resolved" });
  });
});

describe("no data", () => {
  const rule = makeRule({ missingAfterMs: 5 * MINUTE });

  it("is told after three rounds and missing_after, once, and its end is told", () => {
    expect(live(rule, [F, V, V, V, V, V, V, V, F]).told).toEqual([
      { minute: 6, kind: "no_data" },
      { minute: 9, kind: "data_back" },
    ]);
  });

  it("needs three rounds, however long they take", () => {
    const slow = { ...V, gap: 10 };
    expect(live(rule, [F, slow, slow]).told).toEqual([]);
    expect(live(rule, [F, slow, slow, slow]).told).toEqual([{ minute: 31, kind: "no_data" }]);
  });

  it("keeps a firing alert firing, and never resolves it", () => {
    const { told, alert } = live(rule, [T, V, V, V, V, V, V]);
    expect(told.map(({ kind }) => kind)).toEqual(["fired", "no_data"]);
    expect(alert.state).toBe("firing");
  });

  it("is told as well of what never had a value", () => {
    const fresh = makeAlert({ started: false });
    expect(live(rule, [V, V, V, V, V, V, V], fresh).told).toEqual([{ minute: 5, kind: "no_data" }]);
  });

  it("is silent about a short gap", () => {
    const { told, alert } = live(rule, [F, V, V, V, F]);
    expect(told).toEqual([]);
    expect(alert.missing).toBeNull();
  });
});

describe("buckets", () => {
  const HOUR = 60 * MINUTE;
  const rule = makeRule({ forMs: 2 * HOUR, resolveAfterMs: 2 * HOUR });
  const step = (alert: Alert, minute: number, truth: Truth, trueH: number, recoveredH: number) =>
    transition(rule, alert, {
      date: minute * MINUTE,
      previousRound: null,
      unanswered: false,
      truth,
      recovered: null,
      closed: false,
      closedBy: null,
      buckets: {
        newest: Math.floor(minute / 60) * HOUR,
        trueMs: trueH * HOUR,
        recoveredMs: recoveredH * HOUR,
      },
    });

  it("counts consecutive buckets, not rounds", () => {
    const first = step(makeAlert(), 10, TRUE, 1, 0);
    expect(first.alert.state).toBe("pending");
    expect(step(first.alert, 50, TRUE, 1, 0).happened).toBeNull();
    const second = step(first.alert, 70, TRUE, 2, 0);
    expect(second.happened).toBe("fired");
    expect(second.alert).toMatchObject({ firedAt: 70 * MINUTE, firedBucket: HOUR });
    const recovering = step(second.alert, 130, FALSE, 0, 1);
    expect(recovering.alert.state).toBe("recovering");
    expect(step(recovering.alert, 190, FALSE, 0, 2).happened).toBe("resolved");
  });
});

describe("whatever the rounds say", () => {
  const truths = fc.constantFrom<Truth>(TRUE, FALSE, UNKNOWN_VALUE, UNKNOWN_WINDOW);
  const steps = fc.array(
    fc.record({ truth: truths, gap: fc.integer({ min: 1, max: 5 }), closed: fc.boolean() }),
    { maxLength: 60 },
  );
  const durations = fc.integer({ min: 0, max: 6 }).map((minutes) => minutes * MINUTE);

  it("fired and resolved alternate, and no_data and data_back", () => {
    fc.assert(
      fc.property(steps, durations, durations, (given, forMs, resolveAfterMs) => {
        const { told, alert } = live(makeRule({ forMs, resolveAfterMs }), given);
        const kinds = told.map(({ kind }) => kind);
        const levels = kinds.filter((kind) => kind === "fired" || kind === "resolved");
        for (const [i, kind] of levels.entries()) {
          expect(kind).toBe(i % 2 === 0 ? "fired" : "resolved");
        }
        const data = kinds.filter((kind) => kind === "no_data" || kind === "data_back");
        for (const [i, kind] of data.entries()) {
          expect(kind).toBe(i % 2 === 0 ? "no_data" : "data_back");
        }
        const firing = alert.state === "firing" || alert.state === "recovering";
        expect(firing).toBe(levels.length % 2 === 1);
        expect(alert.firedAt !== null).toBe(firing);
      }),
    );
  });

  it("fires only when when was true throughout for, in every known round", () => {
    fc.assert(
      fc.property(steps, durations, (given, forMs) => {
        const { told } = live(makeRule({ forMs }), given);
        let minute = 0;
        const rounds = given.map(({ truth, gap }) => {
          minute += gap;
          return { minute, truth };
        });
        for (const { minute: at, kind } of told) {
          if (kind !== "fired") continue;
          const known = rounds.filter(
            (round) =>
              round.minute <= at &&
              round.minute * MINUTE > at * MINUTE - forMs &&
              round.truth !== UNKNOWN_VALUE,
          );
          expect(known.every(({ truth }) => truth === TRUE)).toBe(true);
          expect(rounds.some((round) => round.minute === at && round.truth === TRUE)).toBe(true);
        }
      }),
    );
  });

  it("shifting all times changes nothing", () => {
    fc.assert(
      fc.property(steps, durations, durations, (given, forMs, resolveAfterMs) => {
        const rule = makeRule({ forMs, resolveAfterMs });
        const [first, ...rest] = given;
        if (first === undefined) return;
        const shifted = [{ ...first, gap: first.gap + 1_000 }, ...rest];
        const kinds = (list: readonly Told[], by: number): Told[] =>
          list.map(({ minute, kind }) => ({ minute: minute - by, kind }));
        const fresh = makeAlert({ missing: null });
        expect(kinds(live(rule, shifted, fresh).told, 1_000).filter(noData)).toEqual(
          live(rule, given, fresh).told.filter(noData),
        );
      }),
    );
    // `no data` counts from the round before the first, which the shift has moved away.
    function noData({ kind }: Told): boolean {
      return kind === "fired" || kind === "resolved";
    }
  });
});

import { describe, expect, it } from "vitest";
import { FALSE, TRUE } from "../../src/decide/evaluation-context.ts";
import { notify } from "../../src/decide/notify.ts";
import { transition } from "../../src/decide/transition.ts";
import { makeAlert, makeRule } from "../support/nouns.ts";

const MINUTE = 60_000;

/** What is told of an alert that fires in some of the minutes, each by its minute. */
function toldOf(fires: readonly number[], minutes: number, moreThan: number): readonly string[] {
  const rule = makeRule({ flapping: { moreThan, withinMs: 60 * MINUTE } });
  const told: string[] = [];
  let alert = makeAlert();
  for (let minute = 1; minute <= minutes; minute += 1) {
    const date = minute * MINUTE;
    const holds = fires.includes(minute);
    const step = transition(rule, alert, {
      date,
      previousRound: date - MINUTE,
      unanswered: false,
      truth: holds ? TRUE : FALSE,
      recovered: null,
      closed: false,
      closedBy: null,
      buckets: null,
    });
    const { happened } = step;
    const moment = { date, happened, known: true, holds, unanswered: false, quiet: false };
    const next = notify(rule, alert, step.alert, { ...moment, verdict: null });
    told.push(...next.intents.map(({ kind }) => `${minute} ${kind}`));
    alert = next.alert;
  }
  return told;
}

describe("flapping where two firings in an hour are too many", () => {
  it("has not settled while a firing of the hour before is the third in two hours", () => {
    // The first one is two hours old in minute 121.
    const told = toldOf([1, 71, 81], 200, 1);
    expect(told).toEqual([
      "1 fired",
      "2 resolved",
      "71 fired",
      "72 resolved",
      "81 flapping",
      "121 resolved",
    ]);
  });

  it("has settled at once where no third one lies in two hours", () => {
    const told = toldOf([71, 81], 200, 1);
    expect(told).toEqual(["71 fired", "72 resolved", "81 flapping", "82 resolved"]);
  });
});

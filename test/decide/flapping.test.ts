import { describe, expect, it } from "vitest";
import { decideRound } from "../support/decide-round.ts";
import { makeAlert, makeRule } from "../support/nouns.ts";

const MINUTE = 60_000;

/** What is told of an alert that fires in some of the minutes, each by its minute. */
function toldOf(fires: readonly number[], minutes: number, moreThan: number): readonly string[] {
  const rule = makeRule({ flapping: { moreThan, withinMs: 60 * MINUTE } });
  const told: string[] = [];
  let alert = makeAlert();
  for (let minute = 1; minute <= minutes; minute += 1) {
    const date = minute * MINUTE;
    const { alert: next, kinds } = decideRound(rule, alert, {
      date,
      truth: fires.includes(minute),
    });
    told.push(...kinds.map((kind) => `${minute} ${kind}`));
    alert = next;
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

import { describe, expect, it } from "vitest";
import { carryOut, edited, isAcked } from "../../src/decide/notification-state.ts";
import type { Alert, Command, Rule } from "../../src/model/index.ts";
import { decideRound as round } from "../support/decide-round.ts";
import { makeAlert, makeRule } from "../support/nouns.ts";

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

/** Fires for the sixth time in the eleventh minute, and people were told that it flaps. */
function flapping(rule: Rule): Alert {
  let alert = makeAlert();
  for (let minute = 1; minute <= 11; minute += 1) {
    ({ alert } = round(rule, alert, { date: minute * MINUTE, truth: minute % 2 === 1 }));
  }
  expect(alert.life?.firings?.on).not.toBeNull();
  return alert;
}

const command = (kind: Command["kind"]): Command => {
  return { id: 1, kind, rule: "tips", subject: null, author: "anna", comment: null, at: 7 };
};

describe("an alert that somebody looks after", () => {
  it("is told when it fires if nobody has heard of it yet", () => {
    const rule = makeRule({ remind: [MINUTE] });
    const held = round(rule, makeAlert(), { date: MINUTE, truth: true, quiet: true });
    expect(held.kinds).toEqual([]);
    const acked = carryOut(held.alert, command("ack"));
    const fired = round(rule, acked, { date: 2 * MINUTE, truth: true });
    expect(fired.kinds).toEqual(["fired"]);
    expect(round(rule, fired.alert, { date: 9 * MINUTE, truth: true }).kinds).toEqual([]);
  });

  it("is looked after no more once it came and went and nobody was told", () => {
    const rule = makeRule();
    const held = round(rule, makeAlert(), { date: MINUTE, truth: true, quiet: true });
    const acked = carryOut(held.alert, command("ack"));
    expect(isAcked(acked)).toBe(true);
    const over = round(rule, acked, { date: 2 * MINUTE, truth: false, quiet: true });
    expect(over.kinds).toEqual([]);
    expect(isAcked(over.alert)).toBe(false);
  });

  it("is looked after on while a gate is closed, though nobody was told", () => {
    const rule = makeRule();
    const held = round(rule, makeAlert(), { date: MINUTE, truth: true, quiet: true });
    const acked = carryOut(held.alert, command("ack"));
    const closed = round(rule, acked, { date: 2 * MINUTE, truth: true, closed: true });
    expect(closed.kinds).toEqual([]);
    expect(isAcked(closed.alert)).toBe(true);
    const over = round(rule, closed.alert, { date: 3 * MINUTE, truth: false, closed: true });
    expect(over.kinds).toEqual([]);
    expect(isAcked(over.alert)).toBe(false);
  });

  it("is looked after no more once its condition is false, however long ago it fired", () => {
    const rule = makeRule();
    const held = round(rule, makeAlert(), { date: MINUTE, truth: true, quiet: true });
    let alert = carryOut(held.alert, command("ack"));
    for (let minute = 2; minute <= 300; minute += 1) {
      const at = { date: minute * MINUTE, truth: minute < 300, closed: true };
      expect(isAcked(alert)).toBe(true);
      const lived = round(rule, alert, at);
      expect(lived.kinds).toEqual([]);
      ({ alert } = lived);
    }
    expect(isAcked(alert)).toBe(false);
  });

  it("that flapped has resolved once its condition is false, and not when its gate has been closed for long", () => {
    const rule = makeRule();
    let alert = carryOut(flapping(rule), command("ack"));
    const kinds: string[] = [];
    for (let minute = 12; minute <= 100; minute += 1) {
      const at = { date: minute * MINUTE, truth: minute < 90, closed: minute > 20 };
      const lived = round(rule, alert, at);
      kinds.push(...lived.kinds.map((kind) => `${minute} ${kind}`));
      ({ alert } = lived);
    }
    expect(kinds).toEqual(["90 resolved"]);
    expect(isAcked(alert)).toBe(false);
  });

  it("that flapped and fires for an hour is told as steady only where nobody looks after it", () => {
    const rule = makeRule({ remind: [10 * MINUTE, 60 * MINUTE] });
    const later = (one: Alert): readonly string[] => {
      const kinds: string[] = [];
      let alert = one;
      for (let minute = 12; minute <= 100; minute += 1) {
        const lived = round(rule, alert, { date: minute * MINUTE, truth: minute < 90 });
        kinds.push(...lived.kinds.map((kind) => `${minute} ${kind}`));
        ({ alert } = lived);
      }
      return kinds;
    };
    const alert = flapping(rule);
    expect(later(alert)).toEqual(["71 steady", "81 reminder", "90 resolved"]);
    expect(later(carryOut(alert, command("ack")))).toEqual(["90 resolved"]);
  });

  it("is not told to flap again after a day, and the same one that nobody looks after is", () => {
    const rule = makeRule();
    const alert = flapping(rule);
    // It goes on so for a day: it never stays on one side for an hour.
    const later = (one: Alert): readonly string[] => {
      const kinds: string[] = [];
      let next = one;
      for (let at = 20; at <= 1_460; at += 10) {
        const lived = round(rule, next, { date: at * MINUTE, truth: at % 20 === 0 });
        kinds.push(...lived.kinds);
        next = lived.alert;
      }
      return kinds;
    };
    expect(DAY).toBeLessThan(1_460 * MINUTE);
    expect(later(alert)).toEqual(["flapping"]);
    expect(later(carryOut(alert, command("ack")))).toEqual([]);
  });

  it("is so by the name and at the time of the command, and an edit of its rule changes nothing", () => {
    const firing = makeAlert({ state: "firing", firedAt: MINUTE });
    const acked = carryOut(firing, command("ack"));
    expect(acked.life?.acked).toEqual({ by: "anna", at: 7 });
    expect(edited(acked)).toBe(acked);
    expect(carryOut(acked, command("unack")).life).toBeNull();
  });

  it("is none that does not fire, and a command that changes nothing leaves the alert as it is", () => {
    const quiet = makeAlert();
    for (const kind of ["ack", "unack", "rearm"] as const) {
      expect(carryOut(quiet, command(kind))).toBe(quiet);
    }
  });
});

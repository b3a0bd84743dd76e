import { describe, expect, it } from "vitest";
import { parseSchedule } from "../../src/base/schedule.ts";
import { Scheduler } from "../../src/poll/schedule.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { MINUTE, START } from "../support/world.ts";

const HOUR = 60 * MINUTE;

/** What is due over a time, as `minutes since the start: members`. */
function schedule(texts: readonly string[], start = START) {
  const clock = createFakeClock(start);
  const seen: string[] = [];
  const scheduler = new Scheduler(
    texts,
    (text) => parseSchedule(text, "UTC"),
    clock,
    (due, date) => seen.push(`${(date - START) / MINUTE}: ${due.join(", ")}`),
  );
  scheduler.start();
  return { clock, seen, scheduler };
}

describe("the scheduler", () => {
  it("is due at whole multiples of a duration, whenever it was started", async () => {
    const { clock, seen } = schedule(["5m"], START + 2 * MINUTE + 17);
    await clock.advance(11 * MINUTE);
    expect(seen).toEqual(["5: 5m", "10: 5m"]);
  });

  it("puts what is due in one second into one round", async () => {
    const { clock, seen } = schedule(["1m", "2m", "*/2 * * * *", "0 */2 * * * *"]);
    await clock.advance(2 * MINUTE);
    expect(seen).toEqual(["1: 1m", "2: 1m, 2m, */2 * * * *, 0 */2 * * * *"]);
  });

  it("catches up with one round, dated by the last time that passed", async () => {
    const { clock, seen } = schedule(["1m", "1h"]);
    await clock.advance(MINUTE);
    await clock.set(START + 6 * HOUR + 30_000);
    expect(seen).toEqual(["1: 1m", "360: 1m, 1h"]);
    await clock.advance(MINUTE);
    expect(seen.at(-1)).toBe("361: 1m");
  });

  it("goes on at once when the clock was set back", async () => {
    const { clock, seen } = schedule(["1m"]);
    await clock.advance(MINUTE);
    await clock.set(START - 3 * HOUR);
    await clock.advance(3 * MINUTE);
    expect(seen).toEqual(["1: 1m", "-179: 1m", "-178: 1m", "-177: 1m"]);
  });

  it("is quiet once it was stopped", async () => {
    const { clock, seen, scheduler } = schedule(["1m"]);
    await clock.advance(MINUTE);
    scheduler.stop();
    await clock.advance(5 * MINUTE);
    expect(seen).toEqual(["1: 1m"]);
  });
});

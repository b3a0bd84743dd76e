import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { acceleratedClock, systemClock, toWholeSecond } from "../../src/base/clock.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/base/duration.ts";

describe("an accelerated clock", () => {
  it("starts where it is told, goes on in whole milliseconds and never back", async () => {
    const start = Date.UTC(2026, 0, 1);
    const clock = acceleratedClock(start, 10_000);
    let last = clock.now();
    expect(last - start).toBeLessThan(HOUR);
    for (let i = 0; i < 1_000; i += 1) {
      const now = clock.now();
      expect(Number.isInteger(now)).toBe(true);
      expect(now).toBeGreaterThanOrEqual(last);
      last = now;
    }
  });

  it("wakes when its own time has come, never before", async () => {
    const clock = acceleratedClock(0, 3_600);
    const woken = await new Promise<number>((resolve) => {
      clock.at(2 * MINUTE, () => resolve(clock.now()));
    });
    expect(woken).toBeGreaterThanOrEqual(2 * MINUTE);
  });

  it("wakes for several in the order of their times", async () => {
    const clock = acceleratedClock(0, 3_600);
    const order: string[] = [];
    await new Promise<void>((resolve) => {
      clock.at(5 * MINUTE, resolve);
      clock.at(3 * MINUTE, () => order.push("later"));
      clock.at(1 * MINUTE, () => order.push("sooner"));
      clock.at(-1, () => order.push("past"));
    });
    expect(order).toEqual(["past", "sooner", "later"]);
  });
});

describe("the system's clock", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("waits for longer than a timer can", () => {
    const clock = systemClock();
    const due = clock.elapsed() + 60 * DAY;
    let woken: number | null = null;
    clock.after(60 * DAY, () => {
      woken = clock.elapsed();
    });
    vi.advanceTimersByTime(60 * DAY - 1);
    expect(woken).toBeNull();
    vi.advanceTimersByTime(SECOND);
    expect(woken).toBe(due);
  });

  it("measures a wait on what nobody sets", () => {
    const clock = systemClock();
    const wake = vi.fn<() => void>();
    clock.after(10 * SECOND, wake);
    const begun = clock.elapsed();
    vi.setSystemTime(Date.UTC(2025, 11, 31));
    vi.advanceTimersByTime(5 * SECOND);
    vi.setSystemTime(Date.UTC(2026, 6, 1));
    vi.advanceTimersByTime(5 * SECOND - 1);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(wake).toHaveBeenCalledTimes(1);
    expect(clock.elapsed() - begun).toBe(10 * SECOND);
  });

  it("wakes nobody who has taken it back, also after a long while", () => {
    const clock = systemClock();
    const wake = vi.fn<() => void>();
    const cancel = clock.at(clock.now() + 10 * HOUR, wake);
    const cancelOther = clock.after(10 * DAY, wake);
    vi.advanceTimersByTime(9 * HOUR);
    cancel();
    cancel();
    cancelOther();
    vi.advanceTimersByTime(9 * HOUR);
    expect(wake).not.toHaveBeenCalled();
  });

  it("calls once, and later rather than at once inside the call", () => {
    const clock = systemClock();
    const wake = vi.fn<() => void>();
    clock.at(clock.now() - DAY, wake);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(DAY);
    expect(wake).toHaveBeenCalledTimes(1);
  });

  it("notices within a second that the time was set forward, as after a machine's sleep", () => {
    const clock = systemClock();
    const wake = vi.fn<() => void>();
    clock.at(clock.now() + 6 * HOUR, wake);
    vi.setSystemTime(Date.UTC(2026, 0, 1, 7));
    vi.advanceTimersByTime(SECOND);
    expect(wake).toHaveBeenCalledTimes(1);
  });

  it("notices within a second that the time was set back, be it by little, and lets the caller look again", () => {
    const clock = systemClock();
    const wake = vi.fn<() => void>();
    clock.at(clock.now() + HOUR, wake);
    vi.advanceTimersByTime(50 * SECOND);
    vi.setSystemTime(clock.now() - 20 * SECOND);
    vi.advanceTimersByTime(SECOND);
    expect(wake).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(2 * HOUR);
    expect(wake).toHaveBeenCalledTimes(1);
  });
});

describe("a wait to a whole second", () => {
  it.each([
    ["on one", 0, 2_000],
    ["a moment before one", 999, 2_001],
    ["a moment after one", 1, 1_999],
    ["in the middle", 500, 2_500],
  ])("that begins %s ends on one, about as late as was asked", (_where, at, ms) => {
    expect(toWholeSecond({ now: () => 7_000 + at }, 2 * SECOND)).toBe(ms);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { acceleratedClock, systemClock } from "../../src/base/clock.ts";
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
    const due = clock.now() + 60 * DAY;
    let woken: number | null = null;
    clock.at(due, () => {
      woken = clock.now();
    });
    vi.advanceTimersByTime(60 * DAY - 1);
    expect(woken).toBeNull();
    vi.advanceTimersByTime(SECOND);
    expect(woken).toBe(due);
  });

  it("wakes nobody who has taken it back, also after a long while", () => {
    const clock = systemClock();
    const wake = vi.fn<() => void>();
    const cancel = clock.at(clock.now() + 10 * DAY, wake);
    vi.advanceTimersByTime(9 * DAY);
    cancel();
    cancel();
    vi.advanceTimersByTime(9 * DAY);
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

  it("notices within a minute that the time was set forward, as after a machine's sleep", () => {
    const clock = systemClock();
    const wake = vi.fn<() => void>();
    clock.at(clock.now() + 6 * HOUR, wake);
    vi.setSystemTime(Date.UTC(2026, 0, 1, 7));
    vi.advanceTimersByTime(MINUTE);
    expect(wake).toHaveBeenCalledTimes(1);
  });

  it("notices within a minute that the time was set back, and lets the caller look again", () => {
    const clock = systemClock();
    const wake = vi.fn<() => void>();
    clock.at(clock.now() + HOUR, wake);
    vi.setSystemTime(Date.UTC(2025, 11, 31, 1));
    vi.advanceTimersByTime(MINUTE);
    expect(wake).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(DAY);
    expect(wake).toHaveBeenCalledTimes(1);
  });
});

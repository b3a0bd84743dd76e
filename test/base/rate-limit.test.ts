import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RateLimit } from "../../src/base/waiting.ts";

const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the rate limit", () => {
  it("lets a second's worth go at once and makes the next wait for the rest of the second", async () => {
    const rate = new RateLimit(20);
    for (let i = 0; i < 20; i++) expect(rate.take(never)).toBeUndefined();
    const next = rate.take(AbortSignal.abort());
    expect(next).toBeInstanceOf(Promise);
    // An aborted wait is over at once, and not in a second when its turn would have come.
    let over = false;
    void next?.then(() => {
      over = true;
    });
    await turn();
    expect(over).toBe(true);
  });

  it("gives nobody's turn to those whose time is over", async () => {
    const rate = new RateLimit(20);
    for (let i = 0; i < 20; i++) expect(rate.take(never)).toBeUndefined();
    for (let i = 0; i < 500; i++) void rate.take(AbortSignal.abort());
    const round = new AbortController();
    const waiting = Array.from({ length: 500 }, async () => {
      await rate.take(round.signal);
    });
    const next = rate.take(never);
    round.abort();
    await Promise.all(waiting);
    let isOver = false;
    const after = Promise.resolve(next).then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(isOver).toBe(false);
    // Had each of them kept its turn, it would be 50 seconds.
    await vi.advanceTimersByTimeAsync(1);
    await after;
  });

  it("never lets more than its rate go in any window", async () => {
    const perSecond = 200;
    const rate = new RateLimit(perSecond);
    const times: number[] = [];
    const take = async (): Promise<void> => {
      await rate.take(never);
      times.push(performance.now());
    };
    const all = Array.from({ length: 150 }, take);
    await vi.advanceTimersByTimeAsync(400.5);
    all.push(...Array.from({ length: 350 }, take));
    await vi.advanceTimersByTimeAsync(5_000);
    await Promise.all(all);
    expect(times).toHaveLength(500);
    for (let i = perSecond; i < times.length; i++) {
      expect((times[i] ?? 0) - (times[i - perSecond] ?? 0)).toBeGreaterThanOrEqual(1_000);
    }
    // Nor does it let fewer go than it may.
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeLessThan(2_500);
  });

  it("lets no more than the next whole number go in a second, and no more than its rate in the long run", async () => {
    // A third of ten: three daemons begin their rounds at the same time.
    const rate = new RateLimit(10 / 3);
    const times: number[] = [];
    const all = Array.from({ length: 40 }, async () => {
      await rate.take(never);
      times.push(performance.now());
    });
    await vi.advanceTimersByTimeAsync(20_000);
    await Promise.all(all);
    const inSecondFrom = (from: number): number =>
      times.filter((at) => at >= from && at < from + 1_000).length;
    expect(Math.max(...times.map(inSecondFrom))).toBe(4);
    // Nine windows of 1.2 seconds.
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(10_800);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeLessThan(11_000);
  });

  it("spaces rates below one a second", () => {
    const rate = new RateLimit(0.5);
    expect(rate.take(never)).toBeUndefined();
    expect(rate.take(AbortSignal.abort())).toBeInstanceOf(Promise);
  });

  it("keeps to each rate that it is set to, in any window, by what went before", async () => {
    const rate = new RateLimit(8);
    const times: number[] = [];
    const take = async (): Promise<void> => {
      await rate.take(never);
      times.push(performance.now());
    };
    const all = Array.from({ length: 40 }, take);
    const rates: { readonly from: number; readonly perSecond: number }[] = [
      { from: performance.now(), perSecond: 8 },
    ];
    for (const perSecond of [2, 20, 1, 4]) {
      await vi.advanceTimersByTimeAsync(1_300);
      rates.push({ from: performance.now(), perSecond });
      rate.set(perSecond);
    }
    await vi.advanceTimersByTimeAsync(20_000);
    await Promise.all(all);
    for (const time of times) {
      const began = time - 1_000;
      // Those that were in force within the second that ends now.
      const first = rates.findLastIndex(({ from }) => from <= began);
      const inForce = rates.slice(Math.max(0, first)).filter(({ from }) => from <= time);
      const gone = times.filter((other) => other > began && other <= time).length;
      expect(gone).toBeLessThanOrEqual(Math.max(...inForce.map(({ perSecond }) => perSecond)));
    }
    expect(times).toHaveLength(40);
  });

  it("lets who waits go at once where a higher rate has room", async () => {
    const rate = new RateLimit(0.01);
    expect(rate.take(never)).toBeUndefined();
    let gone = 0;
    const waiting = Array.from({ length: 5 }, async () => {
      await rate.take(never);
      gone += 1;
    });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(gone).toBe(0);
    rate.set(4);
    await turn();
    expect(gone).toBe(4);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(gone).toBe(5);
    await Promise.all(waiting);
  });

  it("lets nobody go on a lower rate until what went before is as old as that asks", async () => {
    const rate = new RateLimit(4);
    for (let i = 0; i < 4; i++) expect(rate.take(never)).toBeUndefined();
    rate.set(0.5);
    let isGone = false;
    const next = Promise.resolve(rate.take(never)).then(() => {
      isGone = true;
    });
    await vi.advanceTimersByTimeAsync(1_999);
    expect(isGone).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await next;
  });
});

import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { RateLimit } from "../../src/base/rate-limit.ts";

const never = new AbortController().signal;

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
    const start = performance.now();
    for (let i = 0; i < 500; i++) void rate.take(AbortSignal.abort());
    const round = new AbortController();
    const waiting = Array.from({ length: 500 }, async () => {
      await rate.take(round.signal);
    });
    const next = rate.take(never);
    round.abort();
    await Promise.all(waiting);
    await next;
    // Had each of them kept its turn, it would be more.
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it("never lets more than its rate go in any window", async () => {
    const perSecond = 200;
    const rate = new RateLimit(perSecond);
    const times: number[] = [];
    await Promise.all(
      Array.from({ length: 250 }, async () => {
        await rate.take(never);
        times.push(performance.now());
      }),
    );
    times.sort((a, b) => a - b);
    for (let i = perSecond; i < times.length; i++) {
      expect((times[i] ?? 0) - (times[i - perSecond] ?? 0)).toBeGreaterThan(990);
    }
  });

  it("spaces rates below one a second", () => {
    const rate = new RateLimit(0.5);
    expect(rate.take(never)).toBeUndefined();
    expect(rate.take(AbortSignal.abort())).toBeInstanceOf(Promise);
  });
});

import { describe, expect, it } from "vitest";
import { createWakeableTimer } from "../../src/delivery/waits.ts";
import { createFakeClock } from "../support/fake-clock.ts";

describe("a nap", () => {
  it("ends at its time", async () => {
    const clock = createFakeClock(0);
    const nap = createWakeableTimer(clock);
    const slept = nap.until(1_000).then(() => clock.now());
    await clock.advance(5_000);
    expect(await slept).toBe(1_000);
  });

  it("ends when it is woken, and does not begin if that came since the last look", async () => {
    const clock = createFakeClock(0);
    const nap = createWakeableTimer(clock);
    const slept = nap.until(1_000);
    nap.wake();
    await slept;
    await nap.until(1_000);
    nap.lookedAt();
    const again = nap.until(1_000);
    expect(clock.waiting()).toBe(1);
    nap.wake();
    await again;
    expect([clock.now(), clock.waiting()]).toEqual([0, 0]);
  });

  it("is idle while it sleeps, and no longer once it was woken", async () => {
    const clock = createFakeClock(0);
    const nap = createWakeableTimer(clock);
    let idle = 0;
    const first = nap.idle().then(() => (idle += 1));
    await clock.advance(0);
    expect(idle).toBe(0);
    const slept = nap.until(1_000);
    await first;
    await nap.idle();
    nap.wake();
    void nap.idle().then(() => (idle += 1));
    await slept;
    await clock.advance(0);
    expect(idle).toBe(1);
    nap.lookedAt();
    void nap.until(2_000);
    await clock.advance(0);
    expect(idle).toBe(2);
  });

  it("pauses whatever wakes it, until its end", async () => {
    const clock = createFakeClock(0);
    const nap = createWakeableTimer(clock);
    let over = false;
    const paused = nap.pause(1_000).then(() => (over = true));
    nap.wake();
    await clock.advance(999);
    expect(over).toBe(false);
    nap.end();
    await paused;
    await nap.until(1_000_000);
    await nap.pause(1_000_000);
    await nap.idle();
    expect(clock.waiting()).toBe(0);
  });
});

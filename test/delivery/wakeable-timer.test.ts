import { describe, expect, it } from "vitest";
import { createWakeableTimer } from "../../src/delivery/waits.ts";
import { createFakeClock } from "../support/fake-clock.ts";

describe("a wakeable timer", () => {
  it("ends at its time", async () => {
    const clock = createFakeClock(0);
    const timer = createWakeableTimer(clock);
    const slept = timer.until(1_000).then(() => clock.now());
    await clock.advance(5_000);
    expect(await slept).toBe(1_000);
  });

  it("ends when it is woken, and does not begin if that came since the last look", async () => {
    const clock = createFakeClock(0);
    const timer = createWakeableTimer(clock);
    const slept = timer.until(1_000);
    timer.wake();
    await slept;
    await timer.until(1_000);
    timer.lookedAt();
    const again = timer.until(1_000);
    expect(clock.waiting()).toBe(1);
    timer.wake();
    await again;
    expect([clock.now(), clock.waiting()]).toEqual([0, 0]);
  });

  it("is idle while it sleeps, and no longer once it was woken", async () => {
    const clock = createFakeClock(0);
    const timer = createWakeableTimer(clock);
    let idle = 0;
    const first = timer.idle().then(() => (idle += 1));
    await clock.advance(0);
    expect(idle).toBe(0);
    const slept = timer.until(1_000);
    await first;
    await timer.idle();
    timer.wake();
    void timer.idle().then(() => (idle += 1));
    await slept;
    await clock.advance(0);
    expect(idle).toBe(1);
    timer.lookedAt();
    void timer.until(2_000);
    await clock.advance(0);
    expect(idle).toBe(2);
  });

  it("pauses whatever wakes it, until its end", async () => {
    const clock = createFakeClock(0);
    const timer = createWakeableTimer(clock);
    let over = false;
    const paused = timer.pause(1_000).then(() => (over = true));
    timer.wake();
    await clock.advance(999);
    expect(over).toBe(false);
    timer.end();
    await paused;
    await timer.until(1_000_000);
    await timer.pause(1_000_000);
    await timer.idle();
    expect(clock.waiting()).toBe(0);
  });
});

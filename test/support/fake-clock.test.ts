import { describe, expect, it } from "vitest";
import { createFakeClock } from "./fake-clock.ts";

describe("the fake clock", () => {
  it("wakes in order of time, then of booking, with the time that was asked for", async () => {
    const clock = createFakeClock(100);
    const woken: string[] = [];
    const note = (name: string) => (): void => {
      woken.push(`${name}@${clock.now()}`);
    };
    clock.at(300, note("c"));
    clock.at(200, note("a"));
    clock.at(200, note("b"));
    clock.at(900, note("late"));
    await clock.advance(400);
    expect(woken).toEqual(["a@200", "b@200", "c@300"]);
    expect([clock.now(), clock.waiting()]).toEqual([500, 1]);
  });

  it("lets what a wake-up sets going run before the next one", async () => {
    const clock = createFakeClock(0);
    const woken: number[] = [];
    const again = async (): Promise<void> => {
      await Promise.resolve();
      woken.push(clock.now());
      if (clock.now() < 50) clock.at(clock.now() + 10, () => void again());
    };
    clock.at(10, () => void again());
    await clock.advance(100);
    expect(woken).toEqual([10, 20, 30, 40, 50]);
  });

  it("wakes at once for a time that is past, yet not within the call", async () => {
    const clock = createFakeClock(100);
    let woken = false;
    clock.at(50, () => {
      woken = true;
    });
    expect(woken).toBe(false);
    await clock.advance(0);
    expect([woken, clock.now()]).toEqual([true, 100]);
  });

  it("sets wall time apart from what elapses", async () => {
    const clock = createFakeClock(1_000);
    const woken: string[] = [];
    clock.after(100, () => woken.push(`after@${clock.elapsed()}`));
    clock.at(1_500, () => woken.push(`at@${clock.now()}`));
    await clock.set(900);
    expect([clock.now(), clock.elapsed(), clock.next()]).toEqual([900, 0, 1_000]);
    expect(woken).toEqual(["at@900"]);
    clock.at(950, () => woken.push(`at@${clock.now()}`));
    await clock.advance(99);
    expect(woken).toEqual(["at@900", "at@950"]);
    await clock.advance(1);
    expect(woken).toEqual(["at@900", "at@950", "after@100"]);
    await clock.set(5_000);
    expect([clock.now(), clock.elapsed(), clock.waiting()]).toEqual([5_000, 100, 0]);
  });

  it("takes a booking back, and jumps both ways; backwards it wakes everybody to look again", async () => {
    const clock = createFakeClock(100);
    let woken = 0;
    const cancel = clock.at(200, () => (woken += 1));
    clock.at(300, () => (woken += 1));
    cancel();
    await clock.set(1_000);
    expect([clock.now(), woken]).toEqual([1_000, 1]);
    clock.at(5_000, () => (woken += 1));
    await clock.set(50);
    expect([clock.now(), woken]).toEqual([50, 2]);
  });
});

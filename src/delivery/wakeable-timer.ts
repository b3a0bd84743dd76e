import type { Clock } from "../base/clock.ts";

/** How a loop sleeps between looks: until a time, a wake-up or its end. */
export interface WakeableTimer {
  /**
   * Sleeps until `at` (elapsed time of its clock) or a wake-up; not at all if one came since the last
   * look. `alarm`: a wall time, perhaps of another clock, that wakes it as well.
   */
  until(at: number, alarm?: Alarm): Promise<void>;
  /** Sleeps until `at` (elapsed time) whatever wake-ups come. */
  pause(at: number): Promise<void>;
  wake(): void;
  /** A look begins: earlier wake-ups are answered by it. */
  lookedAt(): void;
  /** Ends the sleep, and every later one at once. */
  end(): void;
  /** Resolves while it sleeps with nothing to do, or has ended. */
  idle(): Promise<void>;
}

export interface Alarm {
  readonly clock: Clock;
  readonly at: number;
}

export function createWakeableTimer(clock: Clock): WakeableTimer {
  let woken = false;
  let ended = false;
  let idle = false;
  let rise: (() => void) | null = null;
  const waiters = new Set<() => void>();

  const sleep = async (at: number, alarm?: Alarm): Promise<void> => {
    await new Promise<void>((resolve) => {
      const cancels: (() => void)[] = [];
      const end = (): void => {
        for (const cancel of cancels) cancel();
        resolve();
      };
      cancels.push(clock.after(Math.max(0, at - clock.elapsed()), end));
      if (alarm !== undefined) cancels.push(alarm.clock.at(alarm.at, end));
      rise = end;
    });
    rise = null;
  };
  const tellIdle = (): void => {
    for (const waiter of waiters) waiter();
    waiters.clear();
  };

  return {
    async until(at, alarm) {
      if (woken || ended) return;
      idle = true;
      tellIdle();
      await sleep(at, alarm);
      idle = false;
    },
    async pause(at) {
      if (!ended) await sleep(at);
    },
    wake() {
      woken = true;
      if (!idle) return;
      // From now on it has something to do, even before it has got up.
      idle = false;
      rise?.();
    },
    lookedAt() {
      woken = false;
    },
    end() {
      ended = true;
      rise?.();
      tellIdle();
    },
    idle() {
      if (idle || ended) return Promise.resolve();
      return new Promise((resolve) => {
        waiters.add(resolve);
      });
    },
  };
}

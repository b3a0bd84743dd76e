import type { Clock } from "../base/clock.ts";

/** How a loop sleeps between looks: until a time, a wake-up or its end. */
export interface Nap {
  /** Sleeps until `at` (epoch milliseconds) or a wake-up; not at all if one came since the last look. */
  until(at: number): Promise<void>;
  /** Sleeps until `at` whatever wake-ups come. */
  pause(at: number): Promise<void>;
  wake(): void;
  /** A look begins: earlier wake-ups are answered by it. */
  lookedAt(): void;
  /** Ends the sleep, and every later one at once. */
  end(): void;
  /** Resolves while it sleeps with nothing to do, or has ended. */
  idle(): Promise<void>;
}

export function createNap(clock: Clock): Nap {
  let woken = false;
  let ended = false;
  let idle = false;
  let rise: (() => void) | null = null;
  const waiters = new Set<() => void>();

  const sleep = async (at: number): Promise<void> => {
    await new Promise<void>((resolve) => {
      const cancel = clock.at(at, resolve);
      rise = () => {
        cancel();
        resolve();
      };
    });
    rise = null;
  };
  const tellIdle = (): void => {
    for (const waiter of waiters) waiter();
    waiters.clear();
  };

  return {
    async until(at) {
      if (woken || ended) return;
      idle = true;
      tellIdle();
      await sleep(at);
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

import { setTimeout as delay } from "node:timers/promises";
import { isBusy } from "./failure.ts";

/** Another's lock is waited for as long as this. */
const LOCKED_MS = 5_000;
const LOCKED_PAUSE_MS = 10;
/** And in all as long as this once the process is to end. */
const ENDING_MS = 1_500;

/** Tells until when, on the clock of `performance`, something that begins now waits for another's lock. */
export type Patience = () => number;

/** What begins waits long, and no longer once `ending` is aborted. */
export function patience(ending: AbortSignal | undefined): Patience {
  let end = Number.POSITIVE_INFINITY;
  const hurry = (): void => {
    end = performance.now() + ENDING_MS;
  };
  if (ending?.aborted === true) hurry();
  else ending?.addEventListener("abort", hurry, { once: true });
  return () => end;
}

/** Tries again, without holding the event loop, while another process has the database locked. */
export async function patiently<T>(act: () => T, end: Patience): Promise<T> {
  const deadline = performance.now() + LOCKED_MS;
  for (;;) {
    try {
      return act();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= Math.min(deadline, end())) throw error;
    }
    await delay(LOCKED_PAUSE_MS);
  }
}

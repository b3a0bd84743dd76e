import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";

/** Only what hangs takes so long, however busy the machine is. */
const PATIENCE_MS = 120_000;
/** What needs no more than the event loop comes within so many turns; for what comes from elsewhere the loop rests. */
const TURNS = 100;
const REST_MS = 2;

/** Waits, in real time, until something is so; throws Error, with what is so instead, if it never comes to that. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  instead: () => unknown = () => "",
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let turns = 0; !(await holds()); turns += 1) {
    if (performance.now() > deadline) throw new Error(`it did not come to that: ${instead()}`);
    await (turns < TURNS ? turn() : pause(REST_MS));
  }
}

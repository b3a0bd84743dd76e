import { setImmediate as breathe } from "node:timers/promises";
import type { Change } from "../model/index.ts";
import type { BufferedChange } from "./buffered-change.ts";
import { isOutage } from "./failover-parts.ts";
import type { Step } from "./outage.ts";
import { type Store, StoreError } from "./store.ts";

const RUNS_AT_ONCE = 5_000;

/**
 * Writes what was kept of changes; may be done again where it throws StoreError without `settled`. `unsent`: what of its
 * notices is still to be sent.
 */
export async function writeChanges(
  store: Store,
  pending: BufferedChange,
  unsent: (changes: readonly Change[]) => Promise<readonly Change[]>,
): Promise<void> {
  const changes = await unsent([...pending.parts(RUNS_AT_ONCE)]);
  try {
    await pending.rewindStore((series, now) => store.rewind(series, now));
    for (const change of changes.slice(0, -1)) {
      await store.commit(change);
      await breathe();
    }
  } catch (error) {
    // That one of these was done says nothing of the rest, and each may be done again.
    throw error instanceof StoreError ? new StoreError(error.reason, error.message) : error;
  }
  for (const change of changes.slice(-1)) await store.commit(change);
}

/** Does what was done to the outbox, and takes away what is done; `onTrouble` hears of what can never be. */
export async function writeSteps(
  store: Store,
  steps: Step[],
  onTrouble: (error: unknown) => void,
): Promise<void> {
  for (let step = steps[0]; step !== undefined; step = steps[0]) {
    try {
      await step(store);
    } catch (error) {
      if (isOutage(error)) throw error;
      // It must not keep the others from being done.
      onTrouble(error);
    }
    steps.shift();
  }
}

/** A database whose file was deleted is written anew when it is closed, unless it is damaged. */
export async function reopened(store: Store, reopen: () => Promise<Store>): Promise<Store> {
  try {
    await store.close();
  } catch (error) {
    if (!isOutage(error) || error.reason !== "corrupt") throw error;
    const how = "restart to create a new one";
    throw new StoreError("fenced", `${error.message}; it was moved away: ${how}`, { cause: error });
  }
  return await reopen();
}

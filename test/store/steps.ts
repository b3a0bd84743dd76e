import { expect } from "vitest";
import { type Change, NO_CHANGE } from "../../src/model/index.ts";
import type { Store } from "../../src/store/store.ts";
import { alert, notice, SERIES } from "./store-suite.ts";

/** What one of several steps writes: a sample, an alert and a notice, each of which tells the step. */
export function changeOf(step: number): Change {
  return {
    ...NO_CHANGE,
    series: SERIES,
    runs: [{ series: 1, first: step, last: step, value: String(step) }],
    alerts: [alert("tvl-drop", "s", { since: step })],
    notices: [{ notice: notice(`n${step}`, step), channels: ["lp"] }],
  };
}

/**
 * All of these steps are in the store, each once and in their order, and nothing else; `owed` are those whose notices
 * are not delivered.
 */
export async function hasSteps(
  store: Store,
  steps: readonly number[],
  owed: readonly number[] = steps,
): Promise<void> {
  const { alerts, newest } = await store.load();
  expect(alerts).toMatchObject([{ since: steps.at(-1) }]);
  expect(newest.get(1)).toMatchObject({ first: steps.at(-1) });
  const runs = (await store.window([1], 0)).get(1) ?? [];
  expect(runs.map(({ first, value }) => [first, value])).toEqual(
    steps.map((step) => [step, String(step)]),
  );
  const { notices } = await store.backlog();
  expect(notices.map(({ notice: { id } }) => id)).toEqual(owed.map((step) => `n${step}`));
}

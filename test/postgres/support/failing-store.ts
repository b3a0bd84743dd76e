import { expect, onTestFinished } from "vitest";
import type { PostgresPlace } from "../../../src/base/postgres-url.ts";
import { type Change, NO_CHANGE } from "../../../src/model/index.ts";
import { createFailoverStore } from "../../../src/store/failover.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import type { Store } from "../../../src/store/store.ts";
import { alert, notice, SERIES } from "../../store/store-suite.ts";
import { createFakeClock } from "../../support/fake-clock.ts";

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

/** A daemon's store on a schema, and what is heard of it. */
export async function openFailing(place: PostgresPlace) {
  const inner = await openPostgresStore(place);
  const clock = createFakeClock(0);
  const heard: string[] = [];
  const store = createFailoverStore({
    store: inner,
    clock,
    onOutage: ({ message }) => heard.push(message),
    onOver: () => heard.push("over"),
    onTrouble: (error) => heard.push(String(error)),
  });
  onTestFinished(() => store.close().catch(() => {}));
  /** Lets the store try until all is written. */
  const mended = async (): Promise<void> => {
    await expect
      .poll(
        async () => {
          await clock.advance(5_000);
          return heard.at(-1) ?? "over";
        },
        { timeout: 60_000 },
      )
      .toBe("over");
  };
  return { place, inner, clock, heard, store, mended };
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

import { expect, onTestFinished } from "vitest";
import type { PostgresPlace } from "../../../src/base/postgres-url.ts";
import { createFailoverStore } from "../../../src/store/failover.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { createFakeClock } from "../../support/fake-clock.ts";

export { changeOf, hasSteps } from "../../store/steps.ts";

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

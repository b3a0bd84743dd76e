import { expect } from "vitest";
import type { Owner } from "../../support/program.ts";
import { type Relay, startRelay } from "./relay.ts";
import { type Server, startServer } from "./server.ts";

/** Two servers, of which one follows the other, and a name that leads to the first. */
export interface Pair {
  readonly primary: Server;
  readonly standby: Server;
  readonly name: Relay;
  /** The first one dies, the other one becomes the primary, and the name leads to it. */
  readonly failOver: () => Promise<void>;
}

/** Starts them; the end of the test closes them. `synchronous`: each commit waits until the other one has it. */
export async function startPair(owner: Owner, synchronous: boolean): Promise<Pair> {
  const primary = await startServer({ settings: ["synchronous_commit=on"] });
  owner.onTestFinished(() => primary.close());
  const standby = await startServer({ standbyOf: primary });
  owner.onTestFinished(() => standby.close());
  if (synchronous) {
    await primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await primary.sql("SELECT pg_reload_conf()");
  }
  await expect
    .poll(
      async () => {
        const { rows } = await primary.sql("SELECT sync_state FROM pg_stat_replication");
        return rows;
      },
      { timeout: 60_000 },
    )
    .toEqual([{ sync_state: synchronous ? "sync" : "async" }]);
  const name = await startRelay(primary.port);
  owner.onTestFinished(() => name.close());
  return {
    primary,
    standby,
    name,
    async failOver() {
      await primary.stop();
      // A statement that waited for the end of the recovery could be what the recovery has to cancel.
      await standby.sql("SELECT pg_promote(false)");
      await expect.poll(() => isPrimary(standby), { timeout: 60_000 }).toBe(true);
      name.lead(standby.port);
    },
  };
}

async function isPrimary(server: Server): Promise<boolean> {
  const found = await server.sql("SELECT NOT pg_is_in_recovery() AS yes").catch(() => null);
  return found?.rows[0]?.yes === true;
}

import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { changeOf, hasSteps, openFailing } from "./support/failing-store.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { describeWhole } from "./support/server.ts";
import { startPair } from "./support/standby.ts";

describeWhole("a PostgreSQL with a standby", () => {
  async function setUp(synchronous: boolean) {
    const pair = await startPair({ onTestFinished }, synchronous);
    const place = placeOf(pair.primary.url(freshSchema(), { port: pair.name.port }));
    return { ...pair, ...(await openFailing(place)) };
  }

  it("loses nothing and doubles nothing where the standby is synchronous", async () => {
    const { store, heard, failOver, mended } = await setUp(true);
    let step = 0;
    const commit = async (): Promise<void> => {
      step += 1;
      await store.commit(changeOf(step));
    };
    for (let count = 0; count < 20; count += 1) await commit();
    // It dies while one commit follows the other.
    const over = new AbortController();
    const dying = failOver().finally(() => over.abort());
    while (!over.signal.aborted) {
      await commit();
      await delay(5);
    }
    await dying;
    await mended();
    for (let count = 0; count < 5; count += 1) await commit();
    expect(heard.filter((line) => !/^(cannot use|over)/.test(line))).toEqual([]);
    await hasSteps(
      store,
      Array.from({ length: step }, (_, at) => at + 1),
    );
  });

  it("says that it lost commits where the standby had not got them", async () => {
    const { store, heard, primary, standby, failOver } = await setUp(false);
    await store.commit(changeOf(1));
    await expect
      .poll(async () => {
        const { rows } = await primary.sql(
          "SELECT replay_lsn = pg_current_wal_lsn() AS same FROM pg_stat_replication",
        );
        return rows;
      })
      .toEqual([{ same: true }]);
    await standby.stop();
    await store.commit(changeOf(2));
    await primary.stop();
    await standby.start();
    await failOver();
    await expect(store.commit(changeOf(3))).rejects.toMatchObject({
      reason: "fenced",
      message: expect.stringMatching(/has lost commits.*: restart tickwatch$/),
    });
    expect(heard).toEqual([]);
  });

  it("is gone on without while a commit waits for a standby that is gone", async () => {
    const { store, heard, standby, mended } = await setUp(true);
    await store.commit(changeOf(1));
    await standby.stop();
    const begun = performance.now();
    await store.commit(changeOf(2));
    await store.commit(changeOf(3));
    // Each look after the first one would wait for it again.
    expect(performance.now() - begun).toBeLessThan(40_000);
    expect(heard).toEqual([expect.stringMatching(/^cannot use the PostgreSQL schema /)]);
    await standby.start();
    await mended();
    await store.commit(changeOf(4));
    await hasSteps(store, [1, 2, 3, 4]);
  });

  it("is refused with its reason where the address leads to the standby", async () => {
    const { standby, place } = await setUp(false);
    const url = standby.url(place.schema);
    await expect(openFailing(placeOf(url))).rejects.toMatchObject({
      reason: "unwritable",
      message: expect.stringMatching(/it is a standby: give the address of the primary$/),
    });
  });
});

import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { openConnection } from "../../src/store/postgres/connection.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { describeWhole, startServer } from "./support/server.ts";

/** Longer than the server waits for one that may hold a lock. */
const LOOK_THROUGH_MS = 7_000;

describeWhole("a daemon on a busy machine", () => {
  it("may take long to go through everything that it reads", async () => {
    const server = await startServer();
    onTestFinished(() => server.close());
    const connection = await openConnection(placeOf(server.url(freshSchema())));
    onTestFinished(() => connection.close());
    const found = await connection.read(async (session) => {
      await session.query("SELECT 1");
      await delay(LOOK_THROUGH_MS);
      return await session.query("SELECT 2 AS two");
    }, true);
    expect(found).toEqual([{ two: 2 }]);
  });
});

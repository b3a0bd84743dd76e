import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { changeOf, hasSteps, openFailing } from "./support/failing-store.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { startRelay } from "./support/relay.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

/** What a daemon waits for until it knows that the server is gone takes some ten seconds. */
const KNOWN_MS = 40_000;

describeWhole("a PostgreSQL from which nothing comes back", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  it("is waited for once, and not in every commit and look", async () => {
    const relay = await startRelay(server.port);
    onTestFinished(() => relay.close());
    const place = placeOf(server.url(freshSchema(), { port: relay.port }));
    const { store, heard, mended } = await openFailing(place);
    await store.commit(changeOf(1));
    relay.swallow();
    const begun = performance.now();
    const steps = Array.from({ length: 50 }, (_, at) => at + 2);
    for (const step of steps) {
      await store.commit(changeOf(step));
      await lookAround(store, step);
    }
    // Each of these waited ten seconds when it asked by itself.
    expect(performance.now() - begun).toBeLessThan(KNOWN_MS);
    expect(heard).toEqual([expect.stringMatching(/^cannot use the PostgreSQL schema /)]);
    relay.mend();
    await mended();
    await store.commit(changeOf(52));
    await hasSteps(store, [1, ...steps, 52]);
  });

  /** What rounds and channels look at between two commits. */
  async function lookAround(store: Store, step: number): Promise<void> {
    await store.silences(step);
    expect((await store.window([1], step)).get(1)?.at(-1)).toMatchObject({ last: step });
    expect(await store.claim("lp", step)).toMatchObject({ kind: "notices" });
    await store.commands().catch(() => {});
  }
});

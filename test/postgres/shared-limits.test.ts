import { afterAll, beforeAll, expect, it } from "vitest";
import { createLogger } from "../../src/base/log.ts";
import { beyondLimits, beyondLine } from "../../src/cli/shared-limits.ts";
import { Member } from "../../src/cluster/member.ts";
import type { Setup } from "../../src/model/index.ts";
import { setupOf } from "../support/world-setup.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

const log = createLogger({
  level: "silent",
  stream: { write: () => true },
  pretty: false,
  secrets: [],
});
const RULES = `rules:
  - {name: tips, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}}
`;

describeWhole("check --online", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  it("counts the daemons of a cluster and what each sends at least", async ({ onTestFinished }) => {
    const place = placeOf(server.url(freshSchema()));
    const setup = setupOf(RULES);
    const of = (concurrency: number): Setup => ({
      ...setup,
      store: place,
      cluster: { name: "one", onOutage: "continue", weight: 1 },
      service: { ...setup.service, concurrency },
    });
    expect(await beyondLimits(of(2))).toBeNull();
    for (const name of ["one", "two", "three"]) {
      const member = await Member.join({
        place,
        cluster: { name, onOutage: "continue", weight: 1 },
        version: "1",
        config: () => "same",
        log,
      });
      onTestFinished(() => member.leave());
    }
    expect(await beyondLimits(of(3))).toBeNull();
    const found = await beyondLimits(of(2));
    expect(found).toEqual({ daemons: 3, sends: 3, concurrency: 2 });
    expect(found === null ? "" : beyondLine(found)).toBe(
      "3 daemons of the cluster send up to 3 requests at a time, each one at least: more than concurrency: 2",
    );
    expect(await beyondLimits({ ...of(2), cluster: null })).toBeNull();
    await server.stop();
    expect(await beyondLimits(of(2))).toBeNull();
    await server.start();
  });
});

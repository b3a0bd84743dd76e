import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, it } from "vitest";
import { tells } from "../support/alert-world.ts";
import { makeClusterWorld, POOLS, RULES, shares } from "./support/cluster-world.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

describeWhole("a configuration of a cluster", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  it("goes into force where nobody is left who knows the one before", async (test) => {
    const { expect } = test;
    const { start, slack, place, tvl, told } = await makeClusterWorld(test, server);
    const one = await start("one");
    await shares(one, (slots) => slots === 256);
    await slack.first(tells("started"));
    one.kill("SIGKILL");
    await one.ended;
    await place.writeRules(RULES.replace("below: 900 usd", "below: 600 usd"));
    const again = await start("one");
    await shares(again, (slots) => slots === 256);
    tvl(500);
    while (told("below $600").some((count) => count === 0)) await delay(50);
    expect(told("below $600")).toEqual(POOLS.map(() => 1));
  });
});

import { afterAll, beforeAll, it } from "vitest";
import { tells } from "../support/alert-world.ts";
import type { Owner, Program } from "../support/program.ts";
import { makeClusterWorld, RULES, shares } from "./support/cluster-world.ts";
import { startRelay } from "./support/relay.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

/** What a daemon asks when it reads what the store has kept. */
const READS_ALERTS = "FROM alerts";

/** Whether it has ever given up what it watched. */
function hasGivenUp(program: Program): boolean {
  return program.log().some(({ msg }) => msg.startsWith("this daemon watches nothing until"));
}

describeWhole("a daemon that loses the server while it reads its part anew", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  /** One daemon that has everything, and reaches the server by a way that can be cut. */
  async function alone(test: Owner) {
    const world = await makeClusterWorld(test, server);
    const relay = await startRelay(server.port);
    test.onTestFinished(() => relay.close());
    const one = await world.start("one", { port: relay.port });
    await shares(one, (slots) => slots === 256);
    await world.slack.first(tells("started"));
    const { service } = world;
    /** Until this daemon has asked that often from now on. */
    const asks = async (count: number): Promise<void> => {
      const from = service.asked.length;
      const its = (): number =>
        service.asked.slice(from).filter(({ key }) => key === "key of one").length;
      while (its() < count) await service.requests(1);
    };
    return { ...world, relay, one, asks };
  }

  it("goes on with the part that it had when others join", async (test) => {
    const { expect } = test;
    const { start, relay, one, asks } = await alone(test);
    const cut = relay.cutAt(READS_ALERTS);
    await start("other");
    await cut;
    await asks(4);
    // Whether others have taken over meanwhile it hears once it reaches the server.
    expect(hasGivenUp(one)).toBe(false);
    relay.mend();
    await asks(4);
  });

  it("goes on by the configuration from before while one goes into force, and then by that", async (test) => {
    const { expect } = test;
    const { place, service, relay, one, asks, tvl, told } = await alone(test);
    await place.writeRules(RULES.replace("below: 900 usd", "below: 950 usd"));
    const cut = relay.cutAt(READS_ALERTS);
    one.kill("SIGHUP");
    await cut;
    await asks(4);
    tvl(800);
    while (told("below $900").some((count) => count === 0)) await service.requests(1);
    relay.mend();
    await one.logLine(({ msg }) => msg === "this configuration decides from now on");
    await asks(4);
    expect(told("below $900").every((count) => count === 1)).toBe(true);
    expect(hasGivenUp(one)).toBe(false);
  });
});

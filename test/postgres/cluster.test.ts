import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, it } from "vitest";
import { makeAlertWorld, tells, toldBy } from "../support/alert-world.ts";
import { type Owner, type Program, startProgram } from "../support/program.ts";
import type { Receiver } from "../support/receiver.ts";
import { freshSchema } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

/** The longest that people are told a takeover takes, and as much again for a busy machine. */
const TAKEOVER_MS = 2 * 20_000;

/** What the headlines say, which may stand in one message with another notice. */
const FIRED = "TVL $800, below $900";
const RESOLVED = "TVL back to $1,000";

/** How many messages say so, in their first block. */
const told = ({ received }: Receiver, text: string): number =>
  received.filter(({ body }) => body.includes(text)).length;

describeWhole("two daemons with the same rules and store", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  async function makeWorld(owner: Owner) {
    const world = await makeAlertWorld(owner);
    const { place } = world;
    const env = { ...place.env, DATABASE_URL: server.url(freshSchema()) };
    const text = await readFile(place.config, "utf8");
    const start = async (name: string): Promise<Program> => {
      const config = join(place.folder, `${name}.yaml`);
      const store = `store: "\${env:DATABASE_URL}"\ncluster: {name: ${name}}`;
      await writeFile(config, text.replace(/^store: .*$/m, store));
      const program = startProgram(owner, ["run", "--config", config], { env });
      await program.logLine(({ msg }) => msg.startsWith("waiting for its turn"));
      return program;
    };
    return { ...world, start };
  }

  const works = (program: Program, from: string | null) =>
    program.logLine((line) => line.msg === "this daemon watches from now on" && line.from === from);

  it("go on when the one that watches is killed, and tell nothing twice", async (test) => {
    const { expect } = test;
    const { start, slack, service, tvl } = await makeWorld(test);
    const one = await start("one");
    await works(one, null);
    await slack.first(tells("started"));
    const other = await start("other");
    tvl(800);
    await slack.first(tells("fired"));
    // The message is settled once the daemon says so.
    const settled = () =>
      one.log().filter(({ channel, msg }) => channel === "slack" && msg.includes("delivered"));
    while (settled().length < 2) await delay(20);
    one.kill("SIGKILL");
    const killedAt = performance.now();
    await works(other, "one");
    expect(performance.now() - killedAt).toBeLessThan(TAKEOVER_MS);
    await service.requests(3);
    tvl(1_000);
    await slack.first(tells("resolved"));
    await service.requests(3);
    expect(slack.received.map(toldBy)).toEqual(["started", "fired", "self", "resolved"]);
    other.kill("SIGTERM");
    expect((await other.ended).code).toBe(0);
  });

  it("leave the watching to the other one after a pause, also when that is over", async (test) => {
    const { expect } = test;
    const { start, slack, service, tvl } = await makeWorld(test);
    const one = await start("one");
    await works(one, null);
    await slack.first(tells("started"));
    const other = await start("other");
    one.kill("SIGSTOP");
    await works(other, "one");
    tvl(800);
    await slack.first(({ body }) => body.includes(FIRED));
    one.kill("SIGCONT");
    await one.logLine(({ msg }) => msg.startsWith("this daemon watches no more"));
    await service.requests(5);
    expect(told(slack, FIRED)).toBe(1);
    // It is one of them again, and its turn comes as soon as the other one is stopped.
    other.kill("SIGTERM");
    expect((await other.ended).code).toBe(0);
    await works(one, null);
    tvl(1_000);
    await slack.first(({ body }) => body.includes(RESOLVED));
    await service.requests(3);
    expect([told(slack, FIRED), told(slack, RESOLVED)]).toEqual([1, 1]);
  });
});

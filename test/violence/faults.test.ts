import { appendFileSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, it, type TestContext } from "vitest";
import {
  makeClusterWorld,
  nameOf,
  POOLS,
  type Start,
  shares,
  TAKEOVER_MS,
} from "../postgres/support/cluster-world.ts";
import { makeNetwork } from "../postgres/support/network.ts";
import { describeWhole, type Server, startServer } from "../postgres/support/server.ts";
import { startPair } from "../postgres/support/standby.ts";
import { tells } from "../support/alert-world.ts";
import { until } from "../support/until.ts";
import { SHIFTED_CLOCK } from "./shifted-clock.ts";

/** Leases of fifteen seconds and servers that fail take minutes: `npm run violence` does them. */
const describeByHand = process.env.VIOLENCE_MUTANTS === "1" ? describeWhole : describeWhole.skip;

/** With the survivors' connections broken as well; people are told 35 seconds. */
const TAKEOVER_AFTER_RESTART_MS = 2 * 35_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What people are told of a pool: it fires at one value, resolves, and fires at another one. */
const LOW = ["below $900", "$800"];
const BACK = ["back to $1,000"];
const LOWER = ["below $900", "$700"];

type World = Awaited<ReturnType<typeof makeClusterWorld>>;

/** Says what was measured, and returns it. */
function measured(what: string, since: number): number {
  const ms = performance.now() - since;
  process.stderr.write(`${what}: ${(ms / 1_000).toFixed(1)} s\n`);
  return ms;
}

describeByHand("a cluster of which something fails", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  /** Two daemons that share the work; the first one as `how` says. */
  async function two(world: World, how: Start = {}, others: Start = {}) {
    const one = await world.start("one", { ...others, ...how });
    await shares(one, (slots) => slots === 256);
    await world.slack.first(tells("started"));
    const other = await world.start("other", others);
    await shares(other, (slots) => slots > 100);
    await shares(one, (slots) => slots < 256);
    return { one, other };
  }

  const saysAll = async (world: World, words: readonly string[]): Promise<void> =>
    until(() => countsIn(bodiesOf(world), words).every((count) => count > 0));

  it("is taken over from a daemon that stands still for a minute, and repeats at most one message", async (test) => {
    const { expect } = test;
    const world = await makeClusterWorld(test, server);
    const { tvl } = world;
    const { one, other } = await two(world);
    tvl(800);
    // It may be in the middle of a message.
    await until(() => countsIn(bodiesOf(world), LOW).some((count) => count > 0));
    const stoppedAt = performance.now();
    one.kill("SIGSTOP");
    await shares(other, (slots) => slots === 256);
    expect(measured("takeover from one that stands still", stoppedAt)).toBeLessThan(TAKEOVER_MS);
    await saysAll(world, LOW);
    tvl(1_000);
    await saysAll(world, BACK);
    await delay(Math.max(0, stoppedAt + MINUTE_MS - performance.now()));
    one.kill("SIGCONT");
    await one.logLine(({ msg }) => msg.startsWith("this daemon watches nothing until"));
    tvl(700);
    await saysAll(world, LOWER);
    tellOnce(test, world, [LOW, BACK, LOWER]);
  });

  it("is taken over from a daemon whose cable is pulled out, and is whole again once it is back", async (test) => {
    const { expect } = test;
    const network = makeNetwork(test);
    if (network === null) return test.skip("no network namespace can be made: run it as root");
    const own = await startServer({
      settings: [`listen_addresses=127.0.0.1,${network.host}`],
      prepare: (data) =>
        appendFileSync(join(data, "pg_hba.conf"), "host all all 10.222.0.0/16 trust\n"),
    });
    test.onTestFinished(() => own.close());
    const world = await makeClusterWorld(test, own, { network });
    const { tvl } = world;
    const { one, other } = await two(world, { network });
    const cutAt = performance.now();
    network.cut();
    await shares(other, (slots) => slots === 256);
    expect(measured("takeover from one whose cable is out", cutAt)).toBeLessThan(TAKEOVER_MS);
    tvl(800);
    await saysAll(world, LOW);
    network.mend();
    await one.logLine(({ msg }) => msg.startsWith("this daemon watches nothing until"));
    await shares(other, (slots) => slots > 100 && slots < 200);
    tvl(1_000);
    await saysAll(world, BACK);
    tellOnce(test, world, [LOW, BACK]);
  });

  it("goes by the server's clock where that of one machine is an hour ahead", async (test) => {
    const { expect } = test;
    const world = await makeClusterWorld(test, server);
    const { tvl, schema } = world;
    const env = await anHourAhead(world);
    const { one, other } = await two(world, { env });
    const ahead = Date.parse(String(one.log().at(-1)?.time)) - Date.now();
    expect(Math.abs(ahead - HOUR_MS)).toBeLessThan(MINUTE_MS);
    tvl(800);
    await saysAll(world, LOW);
    const { rows } = await server.sql(
      `SELECT (SELECT max(date) FROM ${schema}.rounds)::float8 AS rounds,
         (SELECT max(last) FROM ${schema}.newest)::float8 AS samples,
         (SELECT max(at) FROM ${schema}.notices)::float8 AS notices`,
    );
    for (const date of Object.values(rows[0] ?? {})) {
      expect(Math.abs(Number(date) - Date.now())).toBeLessThan(MINUTE_MS);
    }
    one.kill("SIGKILL");
    const killedAt = performance.now();
    await shares(other, (slots) => slots === 256);
    expect(measured("takeover from one an hour ahead", killedAt)).toBeLessThan(TAKEOVER_MS);
    tvl(1_000);
    await saysAll(world, BACK);
    tellOnce(test, world, [LOW, BACK]);
  });

  it("is taken over from a daemon that dies with the connections of all others", async (test) => {
    const { expect } = test;
    const own = await startServer();
    test.onTestFinished(() => own.close());
    const world = await makeClusterWorld(test, own);
    const { tvl } = world;
    const { one, other } = await two(world);
    one.kill("SIGKILL");
    await own.stop();
    await own.start();
    const backAt = performance.now();
    tvl(800);
    await shares(other, (slots) => slots === 256);
    const took = measured("takeover where the server restarted as well", backAt);
    expect(took).toBeLessThan(TAKEOVER_AFTER_RESTART_MS);
    await saysAll(world, LOW);
    tvl(1_000);
    await saysAll(world, BACK);
    tellOnce(test, world, [LOW, BACK]);
  });

  it.for(["continue", "suspend"] as const)(
    "loses nothing where a standby becomes the primary in the middle: %s",
    async (onOutage, test) => {
      const { expect } = test;
      const pair = await startPair(test, true);
      const world = await makeClusterWorld(test, pair.primary);
      const { tvl } = world;
      const how = { onOutage, port: pair.name.port };
      await two(world, {}, how);
      const third = await world.start("third", how);
      await shares(third, (slots) => slots > 50);
      const failedAt = performance.now();
      const failing = pair.failOver();
      tvl(800);
      await failing;
      await saysAll(world, LOW);
      const took = measured(`all told after a failover, ${onOutage}`, failedAt);
      expect(took).toBeLessThan(TAKEOVER_AFTER_RESTART_MS);
      tvl(1_000);
      await saysAll(world, BACK);
      tvl(700);
      await saysAll(world, LOWER);
      // In the middle of the outage alone more than one of them may have told the same.
      const words = [BACK, LOWER];
      tellOnce(test, world, onOutage === "suspend" ? [LOW, ...words] : words);
    },
  );
});

/** Each pool was told of once in each of these words; one message that was cut off may have come again, word for word. */
function tellOnce(
  { expect }: TestContext,
  world: World,
  told: readonly (readonly string[])[],
): void {
  const all = bodiesOf(world);
  const bodies = [...new Set(all)];
  expect(all.length - bodies.length).toBeLessThanOrEqual(1);
  for (const words of told) expect(countsIn(bodies, words)).toEqual(POOLS.map(() => 1));
}

function bodiesOf({ slack }: World): readonly string[] {
  return slack.received.map(({ body }) => body);
}

/** In how many of these messages each pool is told of in all of these words. */
function countsIn(bodies: readonly string[], words: readonly string[]): number[] {
  return POOLS.map(
    (id) =>
      bodies.filter((body) => [...words, nameOf(id)].every((one) => body.includes(one))).length,
  );
}

/** Variables that set the clock of a program: by libfaketime, where it is there. */
async function anHourAhead({ place }: World): Promise<Readonly<Record<string, string>>> {
  const found = readdirSync("/usr/lib", { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .flatMap(({ name }) => {
      try {
        return readdirSync(`/usr/lib/${name}/faketime`).map(
          (file) => `/usr/lib/${name}/faketime/${file}`,
        );
      } catch {
        return [];
      }
    })
    .find((path) => path.endsWith("/libfaketime.so.1"));
  if (found !== undefined) {
    return { LD_PRELOAD: found, FAKETIME: "+1h", FAKETIME_DONT_FAKE_MONOTONIC: "1" };
  }
  process.stderr.write(
    "libfaketime is missing (apt-get install faketime): Date alone is shifted\n",
  );
  const [clock, preload] = [join(place.folder, "clock"), join(place.folder, "clock.mjs")];
  await writeFile(clock, String(HOUR_MS));
  await writeFile(preload, SHIFTED_CLOCK);
  return { CLOCK_FILE: clock, NODE_OPTIONS: `--import ${preload}` };
}

import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, it } from "vitest";
import { firstLine, tells, toldBy } from "../support/alert-world.ts";
import type { Owner } from "../support/program.ts";
import { sendJson } from "../support/scripted-service.ts";
import {
  isPart,
  listed,
  makeClusterWorld,
  nameOf,
  POOLS,
  RULES,
  shares,
  TAKEOVER_MS,
} from "./support/cluster-world.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

describeWhole("daemons with the same rules and store", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  const makeWorld = (owner: Owner, rules = RULES) => makeClusterWorld(owner, server, { rules });

  it("share the work: each subject is asked for by one of them", async (test) => {
    const { expect } = test;
    const { start, slack, service, command } = await makeWorld(test);
    const one = await start("one");
    await shares(one, (slots) => slots === 256);
    await slack.first(tells("started"));
    const other = await start("other");
    await shares(other, (slots) => slots > 100);
    await shares(one, (slots) => slots < 256);
    // What was asked before is over.
    await service.requests(4);
    const from = service.asked.length;
    await service.requests(8);
    const askers = new Map<string, Set<string>>();
    for (const { endpoint, query, key = "" } of service.asked.slice(from)) {
      if (endpoint !== "pool") continue;
      for (const id of query.getAll("pool_ids")) {
        askers.set(id, (askers.get(id) ?? new Set()).add(key));
      }
    }
    expect([...askers.keys()].toSorted()).toEqual(POOLS);
    expect([...askers.values()].every(({ size }) => size === 1)).toBe(true);
    expect(new Set([...askers.values()].flatMap((keys) => [...keys]))).toEqual(
      new Set(["key of one", "key of other"]),
    );
    const status = await command("status", "--cluster");
    expect(status.out).toContain("2 daemons share the work");
    expect(status.code).toBe(0);
    expect(slack.received.map(toldBy)).toEqual(["started"]);
  });

  it("go on when one of them is killed, and tell nothing twice", async (test) => {
    const { expect } = test;
    const { start, slack, service, tvl, told } = await makeWorld(test);
    const one = await start("one");
    await shares(one, (slots) => slots === 256);
    await slack.first(tells("started"));
    const other = await start("other");
    await shares(other, (slots) => slots > 100);
    await shares(one, (slots) => slots < 256);
    tvl(800);
    while (told("below $900").some((count) => count === 0)) await delay(50);
    // A message that is not settled would be sent again.
    const settled = (): number =>
      [one, other]
        .flatMap((program) => program.log())
        .filter(({ channel, msg }) => channel === "slack" && msg === "delivered").length;
    while (settled() < slack.received.length) await delay(50);
    one.kill("SIGKILL");
    const killedAt = performance.now();
    await shares(other, (slots) => slots === 256);
    expect(performance.now() - killedAt).toBeLessThan(TAKEOVER_MS);
    tvl(1_000);
    while (told("back to $1,000").some((count) => count === 0)) await delay(50);
    await service.requests(3);
    expect(told("below $900").every((count) => count === 1)).toBe(true);
    expect(told("back to $1,000").every((count) => count === 1)).toBe(true);
    expect(slack.received.filter((message) => toldBy(message) === "self")).toHaveLength(1);
    other.kill("SIGTERM");
    expect((await other.ended).code).toBe(0);
  });

  it("take over from one that stands still, and share with it again once it wakes", async (test) => {
    const { expect } = test;
    const { start, slack, tvl, told } = await makeWorld(test);
    const one = await start("one");
    await shares(one, (slots) => slots === 256);
    await slack.first(tells("started"));
    const other = await start("other");
    await shares(other, (slots) => slots > 100);
    one.kill("SIGSTOP");
    await shares(other, (slots) => slots === 256);
    tvl(800);
    while (told("below $900").some((count) => count === 0)) await delay(50);
    one.kill("SIGCONT");
    await one.logLine(({ msg }) => msg.startsWith("this daemon watches nothing until"));
    await one.logLine(
      (line) =>
        isPart(line) &&
        String(line.time) >
          String(one.log().find(({ msg }) => msg.startsWith("this daemon watches nothing"))?.time),
    );
    tvl(1_000);
    while (told("back to $1,000").some((count) => count === 0)) await delay(50);
    expect(told("below $900").every((count) => count === 1)).toBe(true);
    expect(told("back to $1,000").every((count) => count === 1)).toBe(true);
  });

  it("leave their part to the others at once when they are stopped, and carry out commands", async (test) => {
    const { expect } = test;
    const { start, slack, tvl, told, command } = await makeWorld(test);
    const one = await start("one");
    await shares(one, (slots) => slots === 256);
    await slack.first(tells("started"));
    const other = await start("other");
    await shares(other, (slots) => slots > 100);
    tvl(800);
    while (told("below $900").some((count) => count === 0)) await delay(50);
    expect((await command("ack", "tvl-low")).code).toBe(0);
    const isAcked = async (): Promise<boolean> => {
      const { out } = await command("status");
      return POOLS.every((id) => out.includes(`${nameOf(id)} of tvl-low acknowledged`));
    };
    while (!(await isAcked())) await delay(200);
    one.kill("SIGTERM");
    const stoppedAt = performance.now();
    await shares(other, (slots) => slots === 256);
    expect(performance.now() - stoppedAt).toBeLessThan(TAKEOVER_MS / 2);
    expect((await one.ended).code).toBe(0);
    tvl(1_000);
    while (told("back to $1,000").some((count) => count === 0)) await delay(50);
    expect(told("back to $1,000").every((count) => count === 1)).toBe(true);
  });

  it("say once that the service is down, and once that it is back", async (test) => {
    const { expect } = test;
    const { start, slack, service, answers } = await makeWorld(
      test,
      RULES.replaceAll("missing_after: 5m", "missing_after: 3s"),
    );
    const one = await start("one");
    await shares(one, (slots) => slots === 256);
    await slack.first(tells("started"));
    const other = await start("other");
    await shares(other, (slots) => slots > 100);
    await service.requests(4);
    service.answer(() => (response) => sendJson(response, 500, { error: "down" }));
    const messages = async (count: number): Promise<void> => {
      while (slack.received.length < count) await delay(50);
      // Each of them has found the same by then.
      await service.requests(12);
      expect(slack.received).toHaveLength(count);
    };
    await messages(2);
    answers();
    await messages(3);
    expect(slack.received.slice(1).map(firstLine)).toEqual([
      expect.stringMatching(/down.*2 rules, 25 alerts blind/),
      expect.stringContaining("back"),
    ]);
  });

  it("say once that the store cannot be reached, and once that it can be again", async (test) => {
    const { expect } = test;
    const { start, slack, service } = await makeWorld(test);
    const one = await start("one");
    await shares(one, (slots) => slots === 256);
    await slack.first(tells("started"));
    const other = await start("other");
    await shares(other, (slots) => slots > 100);
    await service.requests(4);
    const both = async (word: string): Promise<void> => {
      await Promise.all([one, other].map((its) => its.logLine(({ msg }) => msg.startsWith(word))));
    };
    const said = (word: string): number =>
      slack.received.filter((message) => firstLine(message).includes(word)).length;
    await server.stop();
    await both("the database cannot be written");
    while (said("Cannot write the database") === 0) await delay(50);
    await service.requests(8);
    expect(said("Cannot write the database")).toBe(1);
    await server.start();
    await both("the database is written again");
    while (said("can be written again") === 0) await delay(50);
    await service.requests(8);
    expect(said("Cannot write the database")).toBe(1);
    expect(said("can be written again")).toBe(1);
  });

  it("leave it to the others to ask a service that answers only them", async (test) => {
    const { expect } = test;
    const { start, slack, service, answers, tvl, told, command } = await makeWorld(test);
    const one = await start("one");
    await shares(one, (slots) => slots === 256);
    await slack.first(tells("started"));
    const other = await start("other");
    await shares(other, (slots) => slots > 100);
    await service.requests(4);
    tvl(800);
    answers((key) => key === "key of one");
    await shares(other, (slots) => slots === 256);
    while (told("below $900").some((count) => count === 0)) await delay(50);
    expect(told("below $900").every((count) => count === 1)).toBe(true);
    const { out, code } = await command("status", "--cluster");
    expect(out).toContain("the service does not answer it");
    expect(code).toBe(0);
  });

  it("go over to what one of them has loaded, whose files the others need not have", async (test) => {
    const { expect } = test;
    const { start, slack, place, service, tvl, told, command } = await makeWorld(test);
    const one = await start("one");
    await shares(one, (slots) => slots === 256);
    await slack.first(tells("started"));
    const other = await start("other");
    await shares(other, (slots) => slots > 100);
    // All four are one rule's, and the fifth is another's.
    tvl(700, POOLS.slice(0, 5));
    const sums = (): number =>
      slack.received.filter((message) => firstLine(message).includes("below $3,000")).length;
    while (sums() === 0 || told("below $900").filter((count) => count > 0).length < 5)
      await delay(50);
    // What was apart is decided together from now on: it changes hands.
    await place.writeRules(`${RULES.replace("below: 900 usd", "below: 600 usd")}
  - name: tvl-most
    watch: {kind: v4_pool, chain: 1, pools: [${listed(POOLS.slice(2, 12))}]}
    across: max
    when: {metric: tvl_usd, below: 500 usd}
    schedule: 1s
`);
    const over = "this configuration decides from now on";
    one.kill("SIGHUP");
    await Promise.all([one, other].map((program) => program.logLine(({ msg }) => msg === over)));
    while (told("no longer firing").filter((count) => count > 0).length < 5) await delay(50);
    await service.requests(8);
    expect(sums()).toBe(1);
    expect(told("below $900")).toEqual(POOLS.map((_, at) => (at < 5 ? 1 : 0)));
    expect(told("no longer firing")).toEqual(POOLS.map((_, at) => (at < 5 ? 1 : 0)));
    const starts = (): number =>
      slack.received.filter((message) => toldBy(message) === "started").length;
    while (starts() < 2) await delay(50);
    expect(starts()).toBe(2);
    const { out } = await command("status", "--cluster");
    expect(out).toContain("2 daemons share the work");
    expect(out).toContain("its own files are older");
    // Everything is watched, wherever it is by now.
    tvl(400, POOLS.slice(2, 12));
    while (told("below $600").filter((count) => count > 0).length < 10) await delay(50);
    expect(told("below $600")).toEqual(POOLS.map((_, at) => (at >= 2 && at < 12 ? 1 : 0)));
  });
});

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, it } from "vitest";
import { poolRecord } from "../kinds/records.ts";
import { firstLine, makeAlertWorld, tells, toldBy } from "../support/alert-world.ts";
import { type LogLine, type Owner, type Program, startProgram } from "../support/program.ts";
import { sendJson } from "../support/scripted-service.ts";
import { freshSchema } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

/** The longest that people are told a takeover takes, and as much again for a busy machine. */
const TAKEOVER_MS = 2 * 20_000;

const POOLS = Array.from({ length: 24 }, (_, at) => `0x${(at + 1).toString(16).padStart(64, "0")}`);
const nameOf = (id: string): string => `Pool ${id.slice(-4)}`;
const listed = (ids: readonly string[]): string =>
  ids.map((id) => `{id: "${id}", name: ${nameOf(id)}}`).join(", ");

const RULES = `
rules:
  - name: tvl-low
    watch: {kind: v4_pool, chain: 1, pools: [${listed(POOLS)}]}
    when: {metric: tvl_usd, below: 900 usd}
    schedule: 1s
  - name: tvl-sum
    watch: {kind: v4_pool, chain: 1, pools: [${listed(POOLS.slice(0, 4))}]}
    across: sum
    when: {metric: tvl_usd, below: 3000 usd}
    schedule: 1s
`;

const PART = "this daemon's part of the work";

describeWhole("daemons with the same rules and store", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  async function makeWorld(owner: Owner, rules = RULES) {
    const world = await makeAlertWorld(owner, { rules });
    const { place, service, slack } = world;
    const schema = freshSchema();
    const env = { ...place.env, DATABASE_URL: server.url(schema) };
    const text = `${await readFile(place.config, "utf8")}self: {notify: [slack]}\nreload: signal\n`;
    const configOf = (name: string): string => join(place.folder, `${name}.yaml`);
    /** Each has a key of its own, by which the service knows who asks. */
    const start = async (name: string): Promise<Program> => {
      const store = `store: "\${env:DATABASE_URL}"\ncluster: {name: ${name}}`;
      await writeFile(configOf(name), text.replace(/^store: .*$/m, store));
      const program = startProgram(owner, ["run", "--config", configOf(name)], {
        env: { ...env, KEY: `key of ${name}` },
      });
      await program.logLine(({ msg }) => msg === "watching");
      return program;
    };
    const values = new Map<string, number>();
    /** As a good service does, but for those whom `refuses` names by their keys. */
    const answers = (refuses: (key: string) => boolean = () => false): void =>
      service.answer(({ endpoint, query, key = "" }) => {
        if (refuses(key)) return (response) => sendJson(response, 500, { error: "down" });
        return endpoint === "pool"
          ? query
              .getAll("pool_ids")
              .map((id) => poolRecord({ pool_id: id, tvl_usd: values.get(id) ?? 1_000 }))
          : null;
      });
    answers();
    /** The TVL of every pool from now on, or of some. */
    const tvl = (usd: number, ids = POOLS): void => {
      for (const id of ids) values.set(id, usd);
    };
    /** How often each pool was told of in such words, by all messages. */
    const told = (word: string): number[] =>
      POOLS.map(
        (id) =>
          slack.received.filter(({ body }) => body.includes(word) && body.includes(nameOf(id)))
            .length,
      );
    const command = async (...args: readonly string[]) =>
      await startProgram(owner, [...args, "--config", configOf("one")], { env }).ended;
    return { ...world, start, tvl, told, command, answers, schema };
  }

  const partOf = ({ slots }: LogLine): number => Number(slots ?? 0);
  const shares = (program: Program, fits: (slots: number) => boolean) =>
    program.logLine((line) => line.msg === PART && fits(partOf(line)));

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
      ({ msg, time }) =>
        msg === PART &&
        String(time) >
          String(
            one.log().find((line) => line.msg.startsWith("this daemon watches nothing"))?.time,
          ),
    );
    tvl(1_000);
    while (told("back to $1,000").some((count) => count === 0)) await delay(50);
    expect(told("below $900").every((count) => count === 1)).toBe(true);
    expect(told("back to $1,000").every((count) => count === 1)).toBe(true);
  });

  it("leave their part to the others at once when they are stopped, and carry out what people order", async (test) => {
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
      RULES.replaceAll("schedule: 1s", "schedule: 1s\n    missing_after: 3s"),
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
      expect.stringContaining("down"),
      expect.stringContaining("back"),
    ]);
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

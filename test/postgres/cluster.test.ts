import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, it } from "vitest";
import { poolRecord } from "../kinds/records.ts";
import { makeAlertWorld, tells, toldBy } from "../support/alert-world.ts";
import { type LogLine, type Owner, type Program, startProgram } from "../support/program.ts";
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
    const text = await readFile(place.config, "utf8");
    const configOf = (name: string): string => join(place.folder, `${name}.yaml`);
    /** Each has a key of its own, by which the service knows who asks. */
    const start = async (name: string): Promise<Program> => {
      const store = `store: "\${env:DATABASE_URL}"\ncluster: {name: ${name}}`;
      await writeFile(configOf(name), text.replace(/^store: .*$/m, store));
      const program = startProgram(owner, ["run", "--config", configOf(name)], {
        env: { ...env, KEY: name },
      });
      await program.logLine(({ msg }) => msg === "watching");
      return program;
    };
    const values = new Map<string, number>();
    service.answer(({ endpoint, query }) =>
      endpoint === "pool"
        ? query
            .getAll("pool_ids")
            .map((id) => poolRecord({ pool_id: id, tvl_usd: values.get(id) ?? 1_000 }))
        : null,
    );
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
    return { ...world, start, tvl, told, command, schema };
  }

  const partOf = ({ slots }: LogLine): number => Number(slots ?? 0);
  const shares = (program: Program, fits: (slots: number) => boolean) =>
    program.logLine((line) => line.msg === "this daemon's part of the work" && fits(partOf(line)));

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
      new Set(["one", "other"]),
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
    await delay(500);
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
        msg === "this daemon's part of the work" &&
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
});

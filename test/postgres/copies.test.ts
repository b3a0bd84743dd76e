import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, it } from "vitest";
import { startReceiver } from "../support/receiver.ts";
import { makeClusterWorld, shares } from "./support/cluster-world.ts";
import { freshSchema } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

const pool = (id: number): string => `0x${id.toString(16).padStart(64, "0")}`;
/** More than are decided together for the sake of a value that they compare with. */
const MANY = Array.from({ length: 1_010 }, (_, at) => pool(at + 1));
const OTHER = pool(5_000);
const WATCH = `{kind: v4_pool, chain: 1, pools: [${MANY.join(", ")}]}`;
const RULES = `
references:
  other: {watch: {kind: v4_pool, chain: 1, pools: ["${OTHER}"]}, metric: tvl_usd}
rules:
  - {name: below-other, watch: ${WATCH}, when: {metric: tvl_usd, below: other}, schedule: 5s, missing_after: 10m}
  - {name: least, watch: ${WATCH}, across: min, when: {metric: tvl_usd, below: 100 usd}, schedule: 5s, missing_after: 10m}
`;

describeWhole("daemons that each ask for the value that all compare with", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  it("tell what one undisturbed daemon tells, though one of them is killed", async (test) => {
    const { expect, onTestFinished } = test;
    const { start, service, tvl, schema } = await makeClusterWorld(test, server, { rules: RULES });
    const twins = freshSchema();
    const twinsSlack = await startReceiver();
    onTestFinished(() => twinsSlack.close());
    /** What is told of alerts, in the words that do not depend on when it was. */
    const told = async (of: string): Promise<readonly string[]> => {
      const { rows } = await server.sql(
        `SELECT concat_ws(' ', kind, rule, subject) AS line FROM ${of}.notices
         WHERE kind <> 'self' ORDER BY line`,
      );
      return rows.map(({ line }) => String(line));
    };
    const countOf = async (of: string): Promise<number> => {
      const { rows } = await server.sql(
        `SELECT count(*)::integer AS count FROM ${of}.notices WHERE kind <> 'self'`,
      );
      return Number(rows[0]?.count);
    };
    const both = async (count: number): Promise<void> => {
      for (const of of [schema, twins]) while ((await countOf(of)) < count) await delay(500);
    };
    tvl(500, [OTHER]);
    const [first, second, third] = await Promise.all([
      start("one"),
      start("two"),
      start("three"),
      start("twin", { env: { DATABASE_URL: server.url(twins), SLACK_URL: twinsSlack.origin } }),
    ]);
    const isPart = (slots: number): boolean => slots > 50 && slots < 120;
    await Promise.all([first, second, third].map((program) => shares(program, isPart)));
    // That each has begun.
    await both(1);
    tvl(2_000, [OTHER]);
    tvl(50, MANY.slice(0, 1));
    first.kill("SIGKILL");
    const fired = 1 + MANY.length + 1;
    await both(fired);
    tvl(3_000, MANY);
    await both(fired + MANY.length + 1);
    expect(await told(schema)).toEqual(await told(twins));
    // Each of those that are left asks for the value itself.
    const from = service.asked.length;
    const askers = (): ReadonlySet<string | undefined> =>
      new Set(
        service.asked
          .slice(from)
          .filter(({ query }) => query.getAll("pool_ids").includes(OTHER))
          .map(({ key }) => key),
      );
    while (!["two", "three", "twin"].every((name) => askers().has(`key of ${name}`))) {
      await service.requests(1);
    }
    expect((await told(schema)).length).toBe(fired + MANY.length + 1);
  });
});

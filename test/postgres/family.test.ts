import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Notice } from "../../src/model/index.ts";
import { SLOTS } from "../../src/poll/division.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { closeAll, isEarlier, open, searchOf, sourceAt } from "../fetch/families.ts";
import { json } from "../fetch/fault-server.ts";
import { World } from "../support/world.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

const TOKEN = `0x${"aa".repeat(20)}`;
const WALLETS = Array.from({ length: 8 }, (_, at) => `0x${String(at + 1).repeat(40)}`);
const RULES = `
rules:
  - name: low
    watch: {kind: token_balance, chain: 1, token: "${TOKEN}", wallet: [${WALLETS.map((one) => `"${one}"`).join(", ")}], decimals: 6}
    when: {metric: balance, below: 1 tokens}
    missing_after: 10m
    notify: [slack]
`;

describeWhole("two daemons of which each has a part of the subjects", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterEach(closeAll);
  afterAll(() => server.close());

  it("tell once that another family answers for them, and once that the first one does again", async () => {
    let silent: "current" | "earlier" = "earlier";
    const { url } = await open((request, response) => {
      const family = isEarlier(request) ? "earlier" : "current";
      if (family === silent) return json(response, { error: "not now" }, 503);
      const search = searchOf(request);
      const wallets = (search.get("wallet") ?? search.get("wallets") ?? "").split(",");
      const of = { token_address: TOKEN, chain_id: 1 };
      const balances = wallets.map((wallet_address) => ({ wallet_address, balance: "5000000" }));
      if (family === "earlier") return json(response, { ...of, balances });
      return json(
        response,
        balances.map((one) => ({ ...of, ...one })),
      );
    });
    const schema = freshSchema();
    const place = placeOf(server.url(schema));
    const [baseUrl, legacyBaseUrl] = [`${url}/a`, `${url}/b`];
    const daemon = async (half: number): Promise<World> =>
      await World.create(RULES, {
        store: await openPostgresStore(place, { id: randomUUID(), held: () => new Map() }),
        slots: new Set(Array.from({ length: SLOTS / 2 }, (_, at) => 2 * at + half)),
        source: sourceAt(baseUrl, legacyBaseUrl, { retryMs: 1 }),
        service: { baseUrl, legacyBaseUrl },
      });
    const daemons = [await daemon(0), await daemon(1)];
    const minutes = async (count: number): Promise<void> => {
      for (let minute = 0; minute < count; minute += 1) {
        await Promise.all(daemons.map((one) => one.minutes(1)));
      }
    };
    const told = async (): Promise<string[]> => {
      const { rows } = await server.sql(
        `SELECT body FROM ${schema}.notices WHERE kind = 'self' ORDER BY seq`,
      );
      return rows.map(({ body }) => {
        const { headline, fields } = body as Notice;
        return `${headline}: ${fields.find(({ name }) => name === "Subjects")?.value}`;
      });
    };
    await minutes(3);
    expect(await told()).toEqual([]);
    silent = "current";
    await minutes(8);
    const there = expect.stringMatching(
      /^.* The earlier family answers for token balances now: the other one stopped: at least [1-7] (?:is|are) asked there$/,
    );
    expect(await told()).toEqual([there]);
    silent = "earlier";
    await minutes(8);
    const back = expect.stringContaining("The current family answers for token balances now");
    expect(await told()).toEqual([there, back]);
    await Promise.all(daemons.map((one) => one.stop()));
    await Promise.all(daemons.map(({ store }) => store.close()));
  });
});

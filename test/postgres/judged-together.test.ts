import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { targetOf } from "../../src/base/postgres-url.ts";
import { release, take } from "../../src/cluster/leases.ts";
import type { Answer, Ask, Change } from "../../src/model/index.ts";
import { Division, SLOTS } from "../../src/poll/division.ts";
import { byGroup } from "../../src/poll/plan.ts";
import { slotName } from "../../src/store/postgres/member-access.ts";
import { connect } from "../../src/store/postgres/session.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import type { Store } from "../../src/store/store.ts";
import { until } from "../support/until.ts";
import { failed, MINUTE, ok, poolRecord, START, World } from "../support/world.ts";
import { setupOf } from "../support/world-setup.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

const pool = (id: number): string => `0x${id.toString(16).padStart(64, "0")}`;
const POOLS = Array.from({ length: 12 }, (_, at) => pool(at + 1));
const TOKENS = ["1f", "2f", "3f"].map((byte) => `0x${byte.repeat(20)}`);
/** Pools and supplies share nothing, and are polled apart. */
const RULES = `rules:
  - name: pools
    watch: {kind: v4_pool, chain: 1, pools: [${POOLS.join(", ")}]}
    when: {metric: tvl_usd, below: 900 usd}
${TOKENS.map(
  (token, at) => `  - name: supply-${at}
    watch: {kind: token_supply, token: "${token}", chain: 1, decimals: 0}
    when: {metric: total_supply, below: 5}
`,
).join("")}`;
const DIVISION = new Division(setupOf(RULES).rules);
const ALL = [...Array(SLOTS).keys()];
const isOdd = (slot: number): boolean => slot % 2 === 1;

/** From then on nothing is answered of this one. */
const OUT_FROM = 2;
const minuteOf = (date: number): number => Math.round((date - START) / MINUTE);

interface JoinOptions {
  readonly start?: number;
  /** So much later than others it is not answered. */
  readonly lateMinutes?: number;
  /** Is called before each of its commits. */
  readonly before?: (change: Change) => Promise<void>;
}

describeWhole("what rules that are polled apart are not answered", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  /** Daemons that share the work on one schema. */
  async function cluster(isOut: (ask: Ask, minute: number) => boolean) {
    const schema = freshSchema();
    const place = placeOf(server.url(schema));
    await (await openPostgresStore(place)).close();
    const session = await connect(targetOf(place));
    onTestFinished(() => session.end());
    /** One that has these slots. */
    const join = async (
      slots: readonly number[],
      { start = START, lateMinutes = 0, before = async () => {} }: JoinOptions = {},
    ) => {
      const answer = (ask: Ask, date: number): Answer => {
        if (isOut(ask, minuteOf(date) - lateMinutes)) return failed;
        const isPool = ask.record === "v4_pool";
        const supply = { token_address: ask.id, chain_id: 1, total_supply: "10" };
        return ok(isPool ? poolRecord({ pool_id: ask.id }) : supply);
      };
      const id = randomUUID();
      await session.run(
        `INSERT INTO members (id, name, version, config, until)
         VALUES ($1, 'one', '1', '', now() + interval '1 hour')`,
        [id],
      );
      await take(session, id, 1, slots.map(slotName));
      const rows = await session.query<{ name: string; epoch: number }>(
        "SELECT name, epoch FROM leases WHERE owner = $1",
        [id],
      );
      expect(rows).toHaveLength(slots.length);
      const held = new Map(rows.map(({ name, epoch }) => [name, epoch]));
      const inner = await openPostgresStore(place, { id, held: () => held });
      onTestFinished(() => inner.close());
      const store: Store = {
        ...inner,
        commit: async (change) => {
          await before(change);
          await inner.commit(change);
        },
      };
      const world = await World.create(RULES, { store, start, slots: new Set(slots), answer });
      expect(byGroup(world.rounds.memory.rules)).toHaveLength(2);
      onTestFinished(() => world.stop());
      return { id, world };
    };
    /** What all of them have told, but for the starts. */
    const told = async (): Promise<readonly string[]> => {
      const rows = await session.query<{ line: string }>(
        `SELECT concat_ws(' ', kind, subject) AS line FROM notices WHERE kind <> 'started' ORDER BY line`,
      );
      return rows.map(({ line }) => line);
    };
    const leave = async (id: string, slots: readonly number[]): Promise<void> =>
      await release(session, id, slots.map(slotName));
    return { join, told, leave };
  }

  const run = async (minutes: number, worlds: readonly World[]): Promise<void> => {
    for (let minute = 0; minute < minutes; minute += 1) {
      await Promise.all(worlds.map((world) => world.run(MINUTE)));
    }
  };
  const isOutThen = (_: Ask, minute: number): boolean => minute >= OUT_FROM && minute < 15;

  it("is told once by daemons that each ask for a part of it, and so is its return", async () => {
    const { join, told } = await cluster(isOutThen);
    const one = await join(ALL.filter(isOdd));
    const other = await join(
      ALL.filter((slot) => !isOdd(slot)),
      { lateMinutes: 1 },
    );
    await run(20, [one.world, other.world]);
    expect(await told()).toEqual(["source_down service", "source_up service"]);
  });

  it("is told once where two find it in the same moment", async () => {
    const { join, told } = await cluster(isOutThen);
    const found = { source_down: 0, source_up: 0 };
    /** Both have looked what is told by now, and neither has told it. */
    const meets = async ({ notices }: Change): Promise<void> => {
      for (const kind of ["source_down", "source_up"] as const) {
        if (!notices.some(({ notice }) => notice.kind === kind)) continue;
        found[kind] += 1;
        await until(() => found[kind] === 2);
      }
    };
    const one = await join(ALL.filter(isOdd), { before: meets });
    const other = await join(
      ALL.filter((slot) => !isOdd(slot)),
      { before: meets },
    );
    await run(20, [one.world, other.world]);
    expect(found).toEqual({ source_down: 2, source_up: 2 });
    expect(await told()).toEqual(["source_down service", "source_up service"]);
  });

  it("is judged by nobody who has lost a slot, and by who has it then", async () => {
    const out = [POOLS[0], TOKENS[0]].map(String);
    const { join, told, leave } = await cluster(
      ({ id }, minute) => minute >= OUT_FROM && out.includes(id),
    );
    const slot = DIVISION.slotOf("pools", `v4_pool:1:${out[0]}`);
    let isLost = false;
    const one = await join(ALL, {
      before: async ({ alerts, closed }) => {
        // What both groups were answered is committed, and what becomes of those without an answer is not.
        if (isLost || closed.length === 0 || !alerts.some(({ missing }) => missing?.told)) return;
        isLost = true;
        await leave(one.id, [slot]);
      },
    });
    await run(12, [one.world]);
    expect(isLost).toBe(true);
    expect(one.world.refused).not.toEqual([]);
    for (const error of one.world.refused) expect(error).toMatchObject({ reason: "fenced" });
    expect(await told()).toEqual([]);
    const date = one.world.clock.now();
    await leave(one.id, ALL);
    const next = await join(ALL, { start: date });
    await run(3, [next.world]);
    expect(await told()).toEqual([
      `no_data token_supply:1:${out[1]}`,
      `no_data v4_pool:1:${out[0]}`,
    ]);
  });
});

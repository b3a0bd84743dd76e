import { describe, expect, it } from "vitest";
import type { Answer, Ask, RawRecord } from "../../src/model/index.ts";
import {
  ETHER,
  ETHER_INFO,
  earlierPoolRecord,
  poolPoint,
  USDC_INFO,
  USDC_KEY,
  V3_POOL,
} from "../kinds/pool-records.ts";
import { infoRecord, supplyRecord, TOKEN } from "../kinds/token-records.ts";
import { absent, failed, MINUTE, ok, START, World } from "../support/world.ts";

/** Stories of the kinds beside pools, positions and gas: rule, answers by minute, notices. */

const headlines = (world: World) => world.told.map(({ notice }) => notice.headline);

describe("a supply whose decimals the rule does not give", () => {
  const yaml = (more = "") => `
rules:
  - name: minted
    watch: {kind: token_supply, chain: 1, token: ${TOKEN}${more}}
    when: {metric: total_supply, above: 300M tokens}
`;
  const answering =
    (supply: (minute: number) => string, info: Answer) =>
    (ask: Ask, date: number): Answer => {
      if (ask.record === "token_info") return info;
      return ok(supplyRecord({ total_supply: supply((date - START) / MINUTE) }));
    };
  const rising = (minute: number): string => (minute < 3 ? "290000000000000" : "306000000000000");

  it("is counted in the token's own, which is asked for once", async () => {
    const world = await World.create(yaml(), { answer: answering(rising, ok(infoRecord())) });
    await world.minutes(5);
    expect(world.story()).toEqual(["3 fired"]);
    expect(headlines(world).at(-1)).toContain("306M AUSD");
    expect(world.asked.filter((key) => key.startsWith("token_info"))).toHaveLength(1);
    await world.stop();
  });

  it("has no verdict while nobody tells the decimals, and says so", async () => {
    const world = await World.create(yaml(), {
      answer: answering(rising, ok(infoRecord({ decimals: "many" }))),
    });
    await world.minutes(8);
    expect(headlines(world)).toEqual([
      "🔵 Watching 1 subject with 1 rule; new: minted",
      "⚪ No data 5 min: AUSD. Was quiet, its state is kept. Ethereum",
    ]);
    await world.stop();
  });

  it("asks again for facts that could not be had", async () => {
    const world = await World.create(yaml(), {
      answer: (ask, date) =>
        ask.record === "token_info" && date < START + 2 * MINUTE
          ? failed
          : answering(rising, ok(infoRecord()))(ask, date),
    });
    await world.minutes(5);
    expect(world.story()).toEqual(["3 fired"]);
    await world.stop();
  });

  it("is counted as the rule says where it says it", async () => {
    const world = await World.create(yaml(", decimals: 9"), {
      answer: answering(rising, ok(infoRecord())),
    });
    await world.minutes(5);
    // 306,000 whole tokens then.
    expect(world.story()).toEqual([]);
    expect(world.asked.some((key) => key.startsWith("token_info"))).toBe(false);
    await world.stop();
  });

  it("is counted as the rule says, though another rule on it takes the token's own", async () => {
    const own = yaml().replace("rules:", "").replace("minted", "own");
    const world = await World.create(`${yaml(", decimals: 9")}${own}`, {
      answer: answering(rising, ok(infoRecord())),
    });
    await world.minutes(5);
    expect(world.told.slice(1).map(({ notice }) => notice.rule)).toEqual(["own"]);
    await world.stop();
  });
});

describe("a V3 pool", () => {
  const info = ({ id }: Ask): Answer =>
    ok(id === USDC_KEY ? USDC_INFO : id === ETHER.toLowerCase() ? ETHER_INFO : {});
  const answer =
    (pool: (minute: number) => RawRecord) =>
    (ask: Ask, date: number): Answer =>
      ask.record === "token_info"
        ? info(ask)
        : ok(earlierPoolRecord(pool((date - START) / MINUTE)));

  it("fires on its price in one direction, by name, and is asked for its tokens once", async () => {
    // The service names its prices the other way round; what counts is the pool's state.
    const dear = { token0_price: "0.000479377", token1_price: "2086.0412345" };
    const cheap = {
      sqrt_price_x96: "3543190000000000000000000",
      tick: -200_311,
      token0_price: "0.0005",
      token1_price: "2000.00",
    };
    const yaml = `
rules:
  - name: cheap-ether
    watch: {kind: v3_pool, chain: 1, pools: [${V3_POOL}]}
    when: {metric: price, below: 2050}
`;
    const world = await World.create(yaml, { answer: answer((m) => (m < 2 ? dear : cheap)) });
    await world.minutes(4);
    expect(world.story()).toEqual(["2 fired"]);
    expect(headlines(world).at(-1)).toContain("WETH/USDC 0.05%");
    expect(headlines(world).at(-1)).toMatch(/2,000(\.00)? USDC\/WETH/);
    expect(world.asked.filter((key) => key.startsWith("token_info"))).toHaveLength(2);
    expect(world.asked.filter((key) => key.startsWith("v3_pool"))).toHaveLength(4);
    await world.stop();
  });

  it("never falls to a TVL of nothing while it has liquidity", async () => {
    const yaml = `
rules:
  - name: drained
    watch: {kind: v3_pool, chain: 1, pools: [${V3_POOL}]}
    when: {metric: total_value_locked_usd, below: $1m}
`;
    const unpriced = (minute: number): RawRecord =>
      minute >= 2 ? { total_value_locked_usd: "0" } : {};
    const world = await World.create(yaml, { answer: answer(unpriced) });
    await world.minutes(12);
    expect(world.story().map((line) => line.split(" ")[1])).toEqual(["no_data"]);
    await world.stop();
  });
});

describe("a pool's days", () => {
  it("are judged by the newest, dated by its start, and each once", async () => {
    const yaml = `
rules:
  - name: busy-day
    watch: {kind: pool_history, chain: 1, pools: [${V3_POOL}], period: d}
    when: {metric: volume_usd, above: $1m}
`;
    const world = await World.create(yaml, {
      answer: (ask, date) => {
        if (ask.record !== "v3_pool_point") return absent;
        expect(ask).toMatchObject({ period: "d", limit: 10 });
        const busy = date >= START + 3 * MINUTE;
        return ok(
          poolPoint("2026-11-26", { volumeUSD: 5_000_000 }),
          poolPoint("2026-11-28", { volumeUSD: busy ? 1_200_000 : 900_000 }),
          poolPoint("2026-11-27", { volumeUSD: 5_000_000 }),
        );
      },
    });
    await world.minutes(6);
    expect(world.story()).toEqual(["3 fired"]);
    expect(headlines(world).at(-1)).toContain("$1.2M");
    await world.stop();
  });

  it("are no data once the newest of them ended more than two days ago", async () => {
    const yaml = (date: string) => ({
      rule: `
rules:
  - name: busy-day
    watch: {kind: pool_history, chain: 1, pools: [${V3_POOL}], period: d}
    when: {metric: volume_usd, above: $1m}
`,
      answer: (ask: Ask): Answer =>
        ask.record === "v3_pool_point" ? ok(poolPoint(date, { volumeUSD: 2_000_000 })) : absent,
    });
    for (const [date, story, found] of [
      [
        "2026-11-26",
        "🟠 0x88e6a0…5640 volume $2M, limit $1m. 2026-11-26 UTC. Ethereum",
        "1 firing",
      ],
      [
        "2026-11-25",
        "⚪ No data 5 min: 0x88e6a0…5640. Was quiet, its state is kept. Ethereum",
        "1 without data yet",
      ],
    ] as const) {
      const { rule, answer } = yaml(date);
      const world = await World.create(rule, { answer });
      await world.minutes(8);
      expect(headlines(world).filter((line) => !line.includes("Watching"))).toEqual([story]);
      expect(world.found()).toBe(found);
      await world.stop();
    }
  });
});

describe("the service's endpoints", () => {
  it("fire when one is down for long enough and resolve when it is back", async () => {
    const yaml = `
rules:
  - name: endpoint-down
    watch: {kind: source, endpoints: [v4_pool, gas_hourly]}
    when: {metric: up, equals: false}
    for: 2m
`;
    const world = await World.create(yaml, {
      answer: ({ id }, date) => {
        const minute = (date - START) / MINUTE;
        const up = id !== "v4_pool" || minute < 2 || minute >= 6;
        const failure_reason = up ? "none" : "timeout";
        return ok({ endpoint: id, up, failures: up ? 0 : 5, failure_reason, latency: 0.02 });
      },
    });
    await world.minutes(8);
    expect(world.story()).toEqual(["4 fired", "6 resolved"]);
    expect(headlines(world)[1]).toContain("endpoint v4_pool is not up");
    await world.stop();
  });
});

import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Answer, Ask, RawRecord } from "../../src/model.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { WATCHES } from "../../src/watches/index.ts";
import { absent, failed, MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const SWAP = `
rules:
  - name: swap
    watch: {kind: v4_swaps, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: amount_usd, above: 1k usd}
    severity: info
    notify: [slack]
`;

let serial = 0;

/** A swap of so many dollars into the pool, for ether at 2,086 each. */
function swap(usd: number, given: RawRecord = {}): RawRecord {
  serial += 1;
  return {
    transaction_hash: `0x${serial.toString(16).padStart(64, "0")}`,
    block_number: 1_000 + serial,
    timestamp: new Date(START + serial * 12_000).toISOString(),
    sender: `0x${"5e".repeat(20)}`,
    recipient: `0x${"6f".repeat(20)}`,
    amount0: `-${(BigInt(usd) * 10n ** 18n) / 2086n}`,
    amount1: `${BigInt(usd) * 10n ** 6n}`,
    sqrt_price_x96: "3618602270101715334278112",
    tick: -199_890,
    liquidity: "1000000",
    ...given,
  };
}

/** A service that lists the newest swaps first and knows the pool. */
class Service {
  swaps: RawRecord[] = [];
  pool: Answer = ok(poolRecord());
  down = false;

  answer = (ask: Ask): Answer => {
    if (ask.record === "v4_pool") return this.pool;
    if (ask.record !== "v4_swap") return absent;
    if (this.down) return failed;
    const { offset = 0, limit = 0 } = ask;
    return ok(...this.swaps.toReversed().slice(offset, offset + limit));
  };
}

async function make(yaml = SWAP): Promise<{ world: World; service: Service }> {
  const service = new Service();
  service.swaps.push(swap(9_000), swap(5));
  const world = await World.create(yaml, { answer: (ask) => service.answer(ask) });
  return { world, service };
}

const headlines = (world: World): string[] =>
  world.told.filter(({ kind }) => kind === "changed").map(({ notice }) => notice.headline);

describe("a rule on the swaps of a pool", () => {
  it("lets the plans of other rules be when its list has grown", async () => {
    const kind = WATCHES.get("v4_pool");
    if (kind === undefined) throw new Error("no such kind");
    const planned = vi.spyOn(kind, "asks");
    onTestFinished(() => planned.mockRestore());
    const tvl = `  - {name: tvl, watch: {kind: v4_pool, chain: 137, pools: ["${POOL_ID}"]}, when: {metric: tvl_usd, below: 1 usd}}`;
    const { world, service } = await make(SWAP + tvl);
    await world.minutes(3);
    const before = planned.mock.calls.length;
    for (let minute = 0; minute < 3; minute += 1) {
      service.swaps.push(swap(9_000));
      await world.minutes(1);
    }
    expect(world.told.filter(({ kind: told }) => told === "changed")).toHaveLength(3);
    expect(planned.mock.calls).toHaveLength(before);
  });

  it("starts quietly and tells of each new swap that it is about, oldest first", async () => {
    const { world, service } = await make();
    await world.minutes(2);
    expect(world.told.map(({ notice }) => notice.headline)).toEqual([
      "🔵 Watching 1: 1 quiet: ETH/USDC 0.05%",
    ]);
    service.swaps.push(swap(2_000_000), swap(10), swap(1_500));
    await world.minutes(3);
    expect(world.story()).toEqual(["3 changed", "3 changed"]);
    expect(headlines(world)).toEqual([
      "🔵 Swap of $2M: ETH/USDC 0.05%, 2M USDC for 958.7728 ETH. Limit $1,000. Ethereum",
      "🔵 Swap of $1,500: ETH/USDC 0.05%, 1,500 USDC for 0.71908 ETH. Limit $1,000",
    ]);
    const [first, second] = world.told.slice(1).map(({ notice }) => notice);
    expect(first?.id).not.toBe(second?.id);
    expect(first?.link).toBe(
      `https://etherscan.io/tx/${String(service.swaps[2]?.transaction_hash)}`,
    );
    expect(first?.fields).toEqual(
      expect.arrayContaining([
        { name: "Swap", value: "$2M" },
        { name: "Direction", value: "token1_in" },
        { name: "Sender", value: `0x${"5e".repeat(20)}` },
      ]),
    );
    await world.stop();
  });

  it("asks for one page in a quiet round, and for the pool when there is something to tell", async () => {
    const { world, service } = await make();
    await world.minutes(2);
    world.asked = [];
    await world.minutes(1);
    expect(world.asked).toEqual([`v4_swap:1:${POOL_ID}:0+100`]);
    service.swaps.push(swap(1));
    await world.minutes(1);
    expect(world.asked.slice(1)).toEqual([`v4_swap:1:${POOL_ID}:0+100`, `v4_pool:1:${POOL_ID}`]);
    await world.stop();
  });

  it("neither repeats nor forgets over a restart", async () => {
    const store = createMemoryStore();
    const service = new Service();
    service.swaps.push(swap(9_000));
    const world = await World.create(SWAP, { store, answer: (ask) => service.answer(ask) });
    await world.minutes(1);
    service.swaps.push(swap(2_000));
    await world.minutes(1);
    service.swaps.push(swap(3_000), swap(3_000));
    await world.restart();
    await world.minutes(2);
    expect(world.story()).toEqual(["2 changed", "3 changed", "3 changed"]);
    await world.stop();
  });

  it("tells of no swap again when fields are missing for a while, nor when they are back", async () => {
    const { world, service } = await make();
    await world.minutes(1);
    service.swaps.push(swap(2_000));
    await world.minutes(1);
    const whole = service.swaps;
    // One that came meanwhile as well.
    whole.push(swap(3_000));
    service.swaps = whole.map((one) => ({ ...one, sender: null }));
    await world.minutes(2);
    service.swaps = whole;
    await world.restart();
    await world.minutes(2);
    expect(world.story()).toEqual(["2 changed", "3 changed"]);
    await world.stop();
  });

  it("tells of a swap that could not be judged once it can be", async () => {
    const { world, service } = await make();
    await world.minutes(1);
    const whole = [...service.swaps, swap(2_000), swap(10), swap(3_000)];
    service.swaps = whole.map((one) => ({ ...one, amount0: null, amount1: null }));
    await world.minutes(2);
    expect(world.story()).toEqual([]);
    await world.restart();
    service.swaps = whole;
    await world.minutes(2);
    expect(headlines(world)).toEqual([
      expect.stringContaining("Swap of $2,000"),
      expect.stringContaining("Swap of $3,000"),
    ]);
    await world.stop();
  });

  it("tells of two equal swaps of one transaction twice", async () => {
    const { world, service } = await make();
    await world.minutes(1);
    const twin = swap(2_000);
    service.swaps.push(twin, { ...twin });
    await world.minutes(2);
    expect(headlines(world)).toHaveLength(2);
    await world.stop();
  });

  it("takes an empty first answer as what was there before", async () => {
    const { world, service } = await make();
    service.swaps = [];
    await world.minutes(1);
    service.swaps.push(swap(2_000));
    await world.minutes(1);
    expect(headlines(world)).toHaveLength(1);
    await world.stop();
  });

  it("has no data while the list or the pool cannot be had, and tells everything afterwards", async () => {
    const { world, service } = await make();
    await world.minutes(1);
    service.swaps.push(swap(2_000));
    service.pool = failed;
    await world.minutes(2);
    expect(headlines(world)).toEqual([]);
    service.pool = ok(poolRecord());
    service.down = true;
    service.swaps.push(swap(3_000));
    await world.minutes(1);
    service.down = false;
    await world.minutes(2);
    expect(world.story()).toEqual(["5 changed", "5 changed"]);
    await world.stop();
  });

  it("says that a swap without a price has no value, once it has been so for long enough", async () => {
    const { world, service } = await make();
    await world.minutes(1);
    const record = poolRecord();
    service.pool = ok({ ...record, token0: null, token1: null });
    for (let i = 0; i < 6; i += 1) {
      service.swaps.push(swap(2_000));
      await world.minutes(1);
    }
    expect(world.story()).toEqual(["6 no_data"]);
    await world.stop();
  });

  it("judges every rule on the pool at each reading, whenever its own round is", async () => {
    const { world, service } = await make(`${SWAP}
  - name: rarely
    watch: {kind: v4_swaps, chain: 1, pools: ["${POOL_ID}"]}
    when: {all: [{metric: amount1_abs, at_least: 2000 tokens}, {metric: direction, equals: token1_in}]}
    schedule: 10m
    notify: [console]
`);
    await world.minutes(1);
    service.swaps.push(swap(2_000), swap(1_999));
    await world.minutes(2);
    expect(
      world.told
        .filter(({ kind }) => kind === "changed")
        .map(({ notice, channels }) => [notice.rule, ...channels]),
    ).toEqual([
      ["swap", "slack"],
      ["swap", "slack"],
      ["rarely", "console"],
    ]);
    await world.stop();
  });

  it("counts what a cooldown holds back", async () => {
    const { world, service } = await make(`${SWAP}    cooldown: 3m\n`);
    await world.minutes(1);
    service.swaps.push(swap(2_000), swap(3_000), swap(4_000));
    await world.minutes(1);
    expect(headlines(world)).toHaveLength(1);
    await world.minutes(4);
    expect(headlines(world)[1]).toMatch(/2 times/);
    expect(headlines(world)).toHaveLength(2);
    await world.stop();
  });

  it("says what was missed, to those who watched before", async () => {
    const { world, service } = await make();
    for (let i = 0; i < 300; i += 1) service.swaps.push(swap(1));
    await world.minutes(2);
    for (let i = 0; i < 9_000; i += 1) service.swaps.push(swap(1));
    service.swaps.push(swap(2_000));
    await world.minutes(1);
    expect(world.story()).toEqual(["3 baseline", "3 changed"]);
    const gap = world.told.find(({ kind }) => kind === "baseline");
    expect(gap?.channels).toEqual(["slack"]);
    expect(gap?.notice.headline).toBe(
      "⚪ Some entries were missed: ETH/USDC 0.05%. New ones are told again. Ethereum",
    );
    await world.minutes(2);
    expect(world.story()).toHaveLength(2);
    await world.stop();
  });

  it("tells of a swap once where two rounds overlap", async () => {
    const service = new Service();
    service.swaps.push(swap(9_000));
    const held: (() => void)[] = [];
    let hold = false;
    const world = await World.create(
      `${SWAP}
  - name: other
    watch: {kind: v4_swaps, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: amount_usd, above: 1k usd}
    schedule: "30 * * * * *"
    notify: [console]
`,
      {
        answer: async (ask) => {
          const answer = service.answer(ask);
          if (hold && ask.record === "v4_swap") {
            hold = false;
            await new Promise<void>((resolve) => {
              held.push(resolve);
            });
          }
          return answer;
        },
      },
    );
    await world.minutes(3);
    service.swaps.push(swap(2_000));
    hold = true;
    // The first round hangs with its answer while the other one reads and commits the same.
    await world.pass(MINUTE / 2);
    await world.pass(MINUTE / 2);
    for (let i = 0; i < 50 && held.length === 0; i += 1) await world.pass(0);
    expect(held).toHaveLength(1);
    held[0]?.();
    await world.minutes(2);
    const rules = world.told.filter(({ kind }) => kind === "changed").map((one) => one.notice.rule);
    expect(new Set(rules)).toEqual(new Set(["other", "swap"]));
    expect(rules).toHaveLength(2);
    await world.stop();
  });

  it("moves on only with what was committed", async () => {
    const store = createMemoryStore();
    let refuse = false;
    const refusing = {
      ...store,
      commit: (change: Parameters<typeof store.commit>[0]) =>
        refuse ? Promise.reject(new Error("full")) : store.commit(change),
    };
    const service = new Service();
    service.swaps.push(swap(9_000));
    const world = await World.create(SWAP, {
      store: refusing,
      answer: (ask) => service.answer(ask),
    });
    await world.minutes(1);
    service.swaps.push(swap(2_000));
    refuse = true;
    await world.minutes(1);
    expect(headlines(world)).toEqual([]);
    refuse = false;
    await world.minutes(1);
    expect(headlines(world)).toHaveLength(1);
    await world.stop();
  });
});

describe("the largest holders", () => {
  const TOKEN = `0x${"aa".repeat(20)}`;
  const wallet = (n: number): string => `0x${String(n).padStart(40, "0")}`;
  const rules = `
rules:
  - name: whales
    watch: {kind: holders, chain: 1, token: {id: "${TOKEN}", name: AUSD}, top: 2, decimals: 6}
    when: {any: [{metric: entered, equals: true}, {metric: left, equals: true}]}
    severity: info
    notify: [slack]
  - name: share
    watch: {kind: holders, chain: 1, token: {id: "${TOKEN}", name: AUSD}, top: 2, decimals: 6}
    when: {metric: top_share, above: 50%}
    notify: [slack]
`;

  it("are told of as they come and go, and their share is a state", async () => {
    let list: [number, string][] = [
      [1, "3000000"],
      [2, "1000000"],
      [3, "900000"],
    ];
    const world = await World.create(rules, {
      answer: ({ record }) => {
        if (record === "supply") return ok({ token_address: TOKEN, total_supply: "10000000" });
        if (record !== "holder") return absent;
        return ok(...list.map(([n, balance]) => ({ wallet_address: wallet(n), balance })));
      },
    });
    await world.minutes(2);
    list = [
      [3, "4000000"],
      [2, "1000000"],
      [1, "3000000"],
    ];
    await world.minutes(1);
    expect(world.story()).toEqual(["3 changed", "3 changed", "3 fired"]);
    expect(headlines(world)).toEqual([
      "🔵 Left the top 2: AUSD. 0x000000…0002, was rank 2, 1 AUSD. Ethereum",
      "🔵 Entered the top 2: AUSD. 0x000000…0003, rank 1, 4 AUSD. Ethereum",
    ]);
    // Equal ones at the edge stay who they were.
    list = [
      [3, "4000000"],
      [7, "3000000"],
      [1, "3000000"],
    ];
    await world.minutes(2);
    expect(headlines(world)).toHaveLength(2);
    await world.stop();
  });
});

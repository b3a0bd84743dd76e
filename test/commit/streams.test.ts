import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { KINDS } from "../../src/kinds/index.ts";
import type { Answer, Ask, RawRecord } from "../../src/model/index.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { propertyRuns } from "../support/tier.ts";
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

async function make(
  yaml = SWAP,
  store = createMemoryStore(),
): Promise<{ world: World; service: Service }> {
  const service = new Service();
  service.swaps.push(swap(9_000), swap(5));
  const world = await World.create(yaml, { store, answer: (ask) => service.answer(ask) });
  return { world, service };
}

const headlines = (world: World): string[] =>
  world.told.filter(({ kind }) => kind === "changed").map(({ notice }) => notice.headline);

describe("a rule on the swaps of a pool", () => {
  it("lets the plans of other rules be when its list has grown", async () => {
    const kind = KINDS.get("v4_pool");
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
      "🔵 Watching 1 subject with 1 rule; new: swap",
    ]);
    service.swaps.push(swap(2_000_000), swap(10), swap(1_500));
    await world.minutes(3);
    expect(world.story()).toEqual(["3 changed", "3 changed"]);
    expect(headlines(world)).toEqual([
      "🔵 Swap of $2M: ETH/USDC 0.05%, 2M USDC for 958.7728 ETH. Limit $1k. Ethereum",
      "🔵 Swap of $1,500: ETH/USDC 0.05%, 1,500 USDC for 0.71908 ETH. Limit $1k",
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
    expect(headlines(world)[1]).toBe(
      "🔵 2 swaps in 3 min: ETH/USDC 0.05%, largest $4,000, together $7,000. Limit $1k",
    );
    expect(world.told.at(-1)?.notice.fields).toContainEqual({
      name: "Held back",
      value:
        "2 times in all, the first at 2026-11-28 12:02 UTC: $3,000; largest $4,000, together $7,000",
    });
    expect(headlines(world)).toHaveLength(2);
    await world.stop();
  });

  it("counts them with the swap that ends the wait, also one whose pool comes a round later", async () => {
    for (const pool of [ok(poolRecord()), absent]) {
      const { world, service } = await make(`${SWAP}    cooldown: 3m\n`);
      await world.minutes(1);
      service.swaps.push(swap(2_000));
      await world.minutes(1);
      service.swaps.push(swap(3_000));
      await world.minutes(2);
      service.pool = pool;
      service.swaps.push(swap(4_000));
      await world.minutes(1);
      service.pool = ok(poolRecord());
      await world.minutes(2);
      await world.stop();
      expect(world.story()).toEqual(["2 changed", pool === absent ? "6 changed" : "5 changed"]);
      expect(headlines(world)[1]).toContain("2 swaps in");
      expect(headlines(world)[1]).toContain("largest $4,000, together $7,000");
    }
  });

  it("with once: true tells of the first alone, also of several that come together", async () => {
    const { world, service } = await make(`${SWAP}    once: true\n`);
    await world.minutes(1);
    service.swaps.push(swap(2_000), swap(3_000));
    await world.minutes(1);
    service.swaps.push(swap(4_000));
    await world.minutes(2);
    await world.stop();
    expect(headlines(world)).toEqual([expect.stringContaining("Swap of $2,000")]);
  });

  it("says what was missed, to those who watched before", async () => {
    const { world, service } = await make();
    for (let i = 0; i < 300; i += 1) service.swaps.push(swap(1));
    await world.minutes(2);
    for (let i = 0; i < 9_000; i += 1) service.swaps.push(swap(1));
    service.swaps.push(swap(2_000));
    // Whoever watches from now on has missed nothing.
    await world.restart(
      SWAP + SWAP.replace("rules:\n", "").replace("swap", "later").replace("slack", "console"),
    );
    await world.minutes(1);
    expect(world.story()).toEqual(["2 baseline", "2 changed"]);
    const gap = world.told.find(({ kind }) => kind === "baseline");
    expect(gap?.channels).toEqual(["slack"]);
    expect(gap?.notice.headline).toBe(
      "⚪ Some entries were missed: ETH/USDC 0.05%. New ones are told again. Ethereum",
    );
    await world.minutes(2);
    expect(world.story()).toHaveLength(2);
    await world.stop();
  });

  it.each([
    ["the list", "v4_swap"],
    ["the pool that is asked for after it", "v4_pool"],
  ])(
    "tells of a swap once where two rounds overlap, the first of which waits for %s",
    async (_, record) => {
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
            if (hold && ask.record === record) {
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
      // The first round hangs with its answer while the other one reads and commits the same, and one more.
      await world.pass(MINUTE / 2);
      for (let i = 0; i < 50 && held.length === 0; i += 1) await world.pass(0);
      service.swaps.push(swap(3_000));
      await world.pass(MINUTE / 2);
      expect(held).toHaveLength(1);
      held[0]?.();
      await world.minutes(2);
      const rules = world.told
        .filter(({ kind }) => kind === "changed")
        .map(({ notice }) => notice.rule ?? "");
      expect(rules.toSorted()).toEqual(["other", "other", "swap", "swap"]);
      await world.stop();
    },
  );

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

const refused: Answer = { status: "failed", failure: { reason: "refused", detail: "HTTP 404" } };
const spoilt: readonly (readonly [string, Answer])[] = [
  ["is not in the answer", absent],
  ["has no price", ok(unpriced(null))],
  ["has a price of zero", ok(unpriced(0))],
  ["has no tokens", ok(poolRecord({ token0: null, token1: null }))],
  ["is refused", refused],
  ["cannot be asked", failed],
];

function unpriced(price: number | null): RawRecord {
  const token = { symbol: "X", decimals: 18, price };
  return poolRecord({ token0: token, token1: token });
}

describe("a swap that cannot be judged for lack of its pool", () => {
  const OTHER_POOL = `0x${"ef".repeat(32)}`;
  const TWO = `${SWAP}
  - name: raw
    watch: {kind: v4_swaps, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: amount1_abs, above: 1000000000 raw}
    severity: info
    notify: [console]
`;
  const changed = (world: World): string[] =>
    world.told
      .filter(({ kind }) => kind === "changed")
      .map(({ minute, notice }) => `${minute} ${notice.rule}`);
  const missed = (world: World) => world.told.filter(({ kind }) => kind === "baseline");

  it.each(spoilt)("waits while the pool %s, over a restart as well", async (_, answer) => {
    const { world, service } = await make(TWO);
    await world.minutes(1);
    service.swaps.push(swap(2_000), swap(5));
    service.pool = answer;
    await world.minutes(1);
    // What it tells by itself is enough for the other rule.
    expect(changed(world)).toEqual(["2 raw"]);
    service.swaps.push(swap(3_000));
    await world.restart();
    await world.minutes(1);
    service.pool = ok(poolRecord());
    // No page shows them any more.
    for (let i = 0; i < 99; i += 1) service.swaps.push(swap(1));
    service.swaps = service.swaps.slice(-99);
    await world.minutes(3);
    expect(changed(world)).toEqual(["2 raw", "3 raw", "4 swap", "4 swap"]);
    expect(missed(world)).toEqual([]);
    expect(headlines(world).slice(2)).toEqual([
      expect.stringContaining("Swap of $2,000"),
      expect.stringContaining("Swap of $3,000"),
    ]);
    await world.stop();
  });

  it("is given up after a day, which is said once until one can be judged again", async () => {
    const hourly = SWAP.replace("severity: info", "schedule: 1h");
    const { world, service } = await make(hourly);
    await world.run(60 * MINUTE);
    service.pool = ok(unpriced(null));
    service.swaps.push(swap(2_000));
    await world.run(5 * 60 * MINUTE);
    service.swaps.push(swap(3_000));
    await world.run(17 * 60 * MINUTE);
    expect(world.story().map((one) => one.split(" ")[1])).toEqual(["no_data"]);
    await world.restart();
    await world.run(40 * 60 * MINUTE);
    expect(world.story().map((one) => one.split(" ")[1])).toEqual(["no_data", "baseline"]);
    const [notice] = missed(world);
    expect(notice?.channels).toEqual(["slack"]);
    expect(notice?.notice.headline).toBe(
      "⚪ Some entries were not evaluated: X/X 0.05%. Values were missing. Ethereum",
    );
    expect(notice?.notice.fields).toContainEqual({
      name: "Not evaluated",
      value: expect.stringMatching(
        /^1 entry of .* UTC could not be judged: the price of token0 is not known$/,
      ),
    });
    service.pool = ok(poolRecord());
    service.swaps.push(swap(4_000));
    await world.run(3 * 60 * MINUTE);
    expect(headlines(world)).toEqual([expect.stringContaining("Swap of $4,000")]);
    const [back, told] = world
      .story()
      .slice(-2)
      .map((one) => one.split(" "));
    expect([back, told]).toEqual([
      [told?.[0], "data_back"],
      [expect.any(String), "changed"],
    ]);
    service.pool = absent;
    service.swaps.push(swap(5_000));
    await world.run(26 * 60 * MINUTE);
    expect(missed(world)).toHaveLength(2);
    await world.stop();
  });

  it("is given up by the rule that could not judge it, and nobody hears of another one's", async () => {
    const { world, service } = await make(TWO.replaceAll("severity: info", "schedule: 1h"));
    await world.run(60 * MINUTE);
    service.pool = ok(unpriced(null));
    service.swaps.push(swap(2_000));
    await world.run(26 * 60 * MINUTE);
    expect(changed(world)).toEqual(["120 raw"]);
    expect(missed(world).map(({ channels }) => channels)).toEqual([["slack"]]);
    await world.stop();
  });

  it("waits with a thousand others at most, and the oldest are given up", async () => {
    const store = createMemoryStore();
    const { world, service } = await make(SWAP, store);
    for (let i = 0; i < 3; i += 1) service.swaps.push(swap(1));
    await world.minutes(1);
    service.pool = absent;
    for (let i = 0; i < 3; i += 1) {
      for (let j = 0; j < 400; j += 1) service.swaps.push(swap(2_000));
      await world.minutes(1);
    }
    expect(missed(world)[0]?.notice.fields).toContainEqual({
      name: "Not evaluated",
      value: expect.stringMatching(/^200 entries of /),
    });
    service.pool = ok(poolRecord());
    await world.minutes(1);
    expect(headlines(world)).toHaveLength(1_000);
    await world.stop();
  });

  it("is asked about with the page while any waits, and not in quiet rounds", async () => {
    const { world, service } = await make();
    await world.minutes(1);
    service.pool = absent;
    service.swaps.push(swap(2_000));
    await world.minutes(1);
    world.asked = [];
    await world.minutes(1);
    expect(world.asked).toEqual([`v4_pool:1:${POOL_ID}`, `v4_swap:1:${POOL_ID}:0+100`]);
    service.pool = ok(poolRecord());
    await world.minutes(1);
    world.asked = [];
    await world.minutes(1);
    expect(world.asked).toEqual([`v4_swap:1:${POOL_ID}:0+100`]);
    await world.stop();
  });

  it("is judged by no rule that began to watch after it", async () => {
    const { world, service } = await make();
    await world.minutes(1);
    service.pool = absent;
    service.swaps.push(swap(2_000));
    await world.minutes(1);
    await world.restart(SWAP.replace("name: swap", "name: other"));
    await world.minutes(2);
    service.pool = ok(poolRecord());
    await world.minutes(2);
    expect(changed(world)).toEqual([]);
    await world.stop();
  });

  it("is told once when fields of its own come and go meanwhile", async () => {
    const { world, service } = await make(TWO);
    await world.minutes(1);
    const whole = [...service.swaps, swap(2_000)];
    const without = whole.map((one) => ({ ...one, sender: null }));
    service.swaps = without;
    await world.minutes(1);
    // Judged without its sender; now the pool is gone, and the sender is there.
    service.swaps = whole;
    service.pool = absent;
    await world.minutes(1);
    service.pool = ok(poolRecord());
    await world.minutes(2);
    expect(changed(world)).toEqual(["2 swap", "2 raw"]);
    // The other way round.
    service.pool = absent;
    const next = swap(3_000);
    service.swaps = [...whole, { ...next, sender: null }];
    await world.minutes(1);
    service.swaps = [...whole, next];
    await world.minutes(1);
    service.pool = ok(poolRecord());
    await world.minutes(2);
    expect(changed(world).slice(2)).toEqual(["6 raw", "8 swap"]);
    await world.stop();
  });

  it("is told apart from the others of its transaction when what they lacked is there", async () => {
    const { world, service } = await make(`${SWAP}
  - name: small
    watch: {kind: v4_swaps, chain: 1, pools: ["${POOL_ID}"]}
    when: {any: [{metric: amount1_abs, below: 3000000000 raw}, {metric: amount_usd, above: 1m usd}]}
    severity: info
    notify: [console]
`);
    await world.minutes(1);
    const [one, other] = [swap(4_000), swap(2_000)];
    const { transaction_hash, block_number, timestamp } = one;
    const pair = [one, { ...other, transaction_hash, block_number, timestamp }];
    const whole = service.swaps;
    service.pool = absent;
    service.swaps = [...whole, ...pair.map((each) => ({ ...each, sender: null }))];
    await world.minutes(1);
    expect(changed(world)).toEqual(["2 small"]);
    service.swaps = [...whole, ...pair.toReversed()];
    await world.minutes(1);
    service.pool = ok(poolRecord());
    await world.minutes(2);
    expect(changed(world)).toEqual(["2 small", "4 swap", "4 swap"]);
    await world.stop();
  });

  /** Swaps are compared with the TVL of another pool, $1,000 until it is said otherwise. */
  async function besideDeep() {
    const { world, service } = await make(`
references:
  deep: {watch: {kind: v4_pool, chain: 137, pools: ["${POOL_ID}"]}, metric: tvl_usd}
${SWAP.replace("1k usd", "100% of deep")}`);
    let deep: Answer = ok(poolRecord());
    world.answer = (ask) =>
      ask.record === "v4_pool" && ask.chainId === 137 ? deep : service.answer(ask);
    const say = (answer: Answer): void => {
      deep = answer;
    };
    return { world, service, say };
  }

  it("waits for what a rule compares with, too", async () => {
    const { world, service, say } = await besideDeep();
    await world.minutes(2);
    say(absent);
    service.swaps.push(swap(900), swap(2_000));
    await world.minutes(2);
    expect(headlines(world)).toEqual([]);
    say(ok(poolRecord()));
    await world.minutes(2);
    expect(headlines(world)).toEqual([expect.stringContaining("Swap of $2,000")]);
    await world.stop();
  });

  it("leaves its rule without data for as long as what that compares with stays away", async () => {
    const { world, service, say } = await besideDeep();
    await world.minutes(2);
    say(absent);
    service.swaps.push(swap(2_000));
    await world.minutes(8);
    say(ok(poolRecord()));
    await world.minutes(1);
    await world.stop();
    expect(world.story()).toEqual(["7 no_data", "11 data_back", "11 changed"]);
  });

  it("is not told afterwards where a gate was closed when it came", async () => {
    const { world, service } = await make(`${SWAP}    only_while: [tvl]
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: ["${OTHER_POOL}"]}
    when: {metric: tvl_usd, above: 1 usd}
    notify: []
`);
    let tvl = 0.5;
    world.answer = (ask) =>
      ask.record === "v4_pool" && ask.id !== POOL_ID
        ? ok(poolRecord({ pool_id: ask.id, tvl_usd: tvl }))
        : service.answer(ask);
    await world.minutes(1);
    service.pool = absent;
    service.swaps.push(swap(2_000));
    await world.minutes(2);
    tvl = 5;
    service.pool = ok(poolRecord());
    await world.minutes(2);
    service.pool = absent;
    service.swaps.push(swap(3_000));
    await world.minutes(2);
    service.pool = ok(poolRecord());
    await world.minutes(2);
    expect(headlines(world)).toEqual([expect.stringContaining("Swap of $3,000")]);
    await world.stop();
  });

  it("is told once by each rule whatever comes when, and none is lost", async () => {
    const answers = [ok(poolRecord()), ...spoilt.map(([, answer]) => answer)];
    const fields = ["sender", "recipient", "amount1", "transaction_hash"];
    const stepOf = fc.record({
      added: fc.array(fc.constantFrom(5, 2_000, 3_000), { maxLength: 4 }),
      twin: fc.boolean(),
      pool: fc.constantFrom(...answers),
      missing: fc.constantFrom(null, null, ...fields),
      down: fc.integer({ min: 0, max: 5 }),
      restart: fc.integer({ min: 0, max: 4 }),
    });
    const plays = fc.array(stepOf, { minLength: 1, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(plays, async (steps) => {
        const { world, service } = await make(TWO);
        await world.minutes(1);
        const all = [...service.swaps];
        let big = 0;
        const play = async (one: (typeof steps)[number]): Promise<void> => {
          for (const usd of one.added) all.push(swap(usd));
          const last = all.at(-1);
          if (one.twin && one.added.length > 0 && last !== undefined) all.push({ ...last });
          const twin = one.twin ? one.added.slice(-1) : [];
          big += [...one.added, ...twin].filter((usd) => usd > 5).length;
          const { missing } = one;
          service.swaps =
            missing === null ? [...all] : all.map((given) => ({ ...given, [missing]: null }));
          service.pool = one.pool;
          service.down = one.down === 0;
          if (one.restart === 0) await world.restart();
          await world.minutes(1);
        };
        for (const one of steps) await play(one);
        const quiet = { added: [], twin: false, missing: null, down: 1, restart: 1 };
        for (let i = 0; i < 3; i += 1) await play({ ...quiet, pool: ok(poolRecord()) });
        const by = (rule: string) =>
          world.told.filter(({ kind, notice }) => kind === "changed" && notice.rule === rule);
        expect([by("swap").length, by("raw").length]).toEqual([big, big]);
        const ids = world.told
          .filter(({ kind }) => kind === "changed")
          .map(({ notice }) => notice.id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(missed(world)).toEqual([]);
        await world.stop();
      }),
      { numRuns: propertyRuns(40) },
    );
  });
});

describe("a swap of a V3 pool whose tokens were not told when they were asked for", () => {
  const POOL = `0x${"cd".repeat(20)}`;
  const tokens = [`0x${"a0".repeat(20)}`, `0x${"a1".repeat(20)}`];
  const good = (ask: Ask): Answer => {
    if (ask.record === "v3_pool")
      return ok({ token0: tokens[0], token1: tokens[1], fee_tier: 500 });
    if (ask.record === "token_info") return ok({ symbol: "TKN", decimals: 6 });
    return ask.record === "token_price" ? ok({ current_price: { usd: 1 } }) : absent;
  };

  it.each([
    ["the pool is not there", "v3_pool", absent],
    ["the pool is refused", "v3_pool", refused],
    ["a token is not there", "token_info", absent],
    ["a token has no decimals", "token_info", ok({ symbol: "TKN", decimals: null })],
    ["a price is refused", "token_price", refused],
  ] as const)("is told once they are: %s", async (_, record, bad) => {
    const swaps: RawRecord[] = [swap(1)];
    let answer: (ask: Ask) => Answer = (ask) => (ask.record === record ? bad : good(ask));
    const world = await World.create(SWAP.replace("v4_swaps", "v3_swaps").replace(POOL_ID, POOL), {
      answer: (ask) => {
        const { offset = 0, limit = 0 } = ask;
        if (ask.record !== "v3_swap") return answer(ask);
        return ok(...swaps.toReversed().slice(offset, offset + limit));
      },
    });
    await world.minutes(2);
    swaps.push(swap(2_000));
    await world.minutes(2);
    expect(headlines(world)).toEqual([]);
    answer = good;
    await world.minutes(2);
    expect(headlines(world)).toEqual([expect.stringContaining("Swap of $2,000")]);
    // Nothing is asked for in a quiet round.
    world.asked = [];
    await world.minutes(1);
    expect(world.asked).toEqual([`v3_swap:1:${POOL}:0+100`]);
    await world.stop();
  });
});

describe("a list whose longer pages lack a field", () => {
  it("is told of entry by entry, each once", async () => {
    const { world, service } = await make();
    for (let i = 0; i < 300; i += 1) service.swaps.push(swap(1));
    const { answer } = service;
    service.answer = (ask) => {
      const given = answer(ask);
      if (given.status !== "ok" || (ask.limit ?? 0) <= 100) return given;
      return ok(...given.records.map((record) => ({ ...record, sender: null })));
    };
    await world.minutes(2);
    for (let i = 0; i < 120; i += 1) service.swaps.push(swap(2_000 + i));
    await world.minutes(3);
    expect(headlines(world)).toHaveLength(120);
    expect(new Set(headlines(world)).size).toBe(120);
    await world.stop();
  });
});

describe("liquidity that is removed while its pool is not known", () => {
  const RULE = `
rules:
  - name: pulled
    watch: {kind: v4_liquidity, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: removed_share, at_least: 20%}
    notify: [slack]
`;
  let block = 10;
  const change = (delta: number): RawRecord => {
    block += 1;
    return {
      id: `${POOL_ID}-${block}`,
      liquidity_delta: String(delta),
      tick_lower: -887_270,
      tick_upper: 887_270,
      hash: `0x${block.toString(16).padStart(64, "0")}`,
      tx_at_block_number: String(block),
      tx_at_timestamp: String(START / 1_000 + block * 12),
      sender: `0x${"5e".repeat(20)}`,
    };
  };
  const poolWith = (liquidity: number): Answer =>
    ok(poolRecord({ liquidity: String(liquidity), block_number: String(block) }));

  async function world(): Promise<{
    world: World;
    list: RawRecord[];
    is: (pool: Answer) => void;
  }> {
    const list: RawRecord[] = [change(1_000)];
    let pool = poolWith(1_000);
    const made = await World.create(RULE, {
      answer: ({ record, offset = 0, limit = 0 }) => {
        if (record === "v4_pool") return pool;
        if (record !== "v4_liquidity") return absent;
        return ok(...list.toReversed().slice(offset, offset + limit));
      },
    });
    await made.minutes(1);
    return {
      world: made,
      list,
      is: (next) => {
        pool = next;
      },
    };
  }

  it("is reckoned back over all that came meanwhile, also what could be judged at once", async () => {
    const { world: made, list, is } = await world();
    is(absent);
    list.push(change(-250));
    await made.minutes(1);
    // Of no interest to the rule by itself, but it is part of the pool's liquidity now.
    list.push(change(450));
    await made.minutes(1);
    await made.restart();
    list.push(change(-300));
    is(poolWith(900));
    await made.minutes(2);
    expect(headlines(made)).toEqual([
      expect.stringContaining(" 25% of the active"),
      expect.stringContaining(" 25% of the active"),
    ]);
    await made.stop();
  });

  it("is given up where what came after it could not be read, and said so", async () => {
    const { world: made, list, is } = await world();
    for (let i = 0; i < 300; i += 1) list.push(change(1));
    is(poolWith(1_300));
    await made.minutes(2);
    is(absent);
    list.push(change(-650));
    await made.minutes(1);
    for (let i = 0; i < 9_000; i += 1) list.push(change(1));
    is(poolWith(9_650));
    await made.minutes(1);
    expect(headlines(made)).toEqual([]);
    const notice = made.told.find(({ kind }) => kind === "baseline");
    expect(notice?.notice.fields.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["Missed", "Not evaluated"]),
    );
    await made.minutes(2);
    expect(made.told.filter(({ kind }) => kind === "baseline")).toHaveLength(1);
    await made.stop();
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

  it("have not left because an answer was cut off, nor is their share another one", async () => {
    const five = [300, 250, 200, 150, 100].map((held, i) => [i + 1, held] as const);
    let list: (readonly [number, number])[] = five;
    const ten = rules.replaceAll("top: 2", "top: 10").replace("above: 50%", "below: 50%");
    const world = await World.create(ten, {
      answer: ({ record }) => {
        if (record === "supply") return ok({ token_address: TOKEN, total_supply: "1000" });
        if (record !== "holder") return absent;
        const of = ([n, held]: readonly [number, number]): RawRecord => {
          return { wallet_address: wallet(n), balance: String(held) };
        };
        return ok(...list.map(of));
      },
    });
    await world.minutes(3);
    list = five.slice(0, 1);
    await world.minutes(1);
    list = five;
    await world.minutes(2);
    list = five.slice(2);
    await world.minutes(2);
    await world.restart();
    // The second has sold to a sixth meanwhile.
    list = five.map(([n, held]) => [n === 2 ? 6 : n, held] as const);
    await world.minutes(2);
    expect(world.story()).toEqual(["9 changed", "9 changed"]);
    expect(headlines(world)).toEqual([
      expect.stringContaining("Left the top 10: AUSD. 0x000000…0002, was rank 2"),
      expect.stringContaining("Entered the top 10: AUSD. 0x000000…0006, rank 2"),
    ]);
    list = five.slice(0, 1);
    await world.minutes(6);
    expect(world.story().slice(2)).toEqual(["15 no_data", "15 no_data"]);
    await world.stop();
  });
});

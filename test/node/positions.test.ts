import fc from "fast-check";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import { sqrtPriceX96AtTick } from "../../src/base/ticks.ts";
import { askerOf, fault } from "../simulator/asking.ts";
import { Anvil } from "./support/anvil.ts";
import { type Key, Uniswap } from "./support/uniswap.ts";
import { ACCOUNT, BlockClock, type NodeService, serveNode } from "./support/world.ts";

let anvil: Anvil;
let uniswap: Uniswap;
let served: NodeService;
let clock: BlockClock;
const { ask, records } = askerOf(() => served.service.baseUrl);
const CHAIN = 31_337;
const L = 10n ** 20n;
const FRIEND: Hex = "0x00000000000000000000000000000000000000aa";

beforeAll(async () => {
  anvil = await Anvil.start();
  uniswap = await Uniswap.deploy(anvil);
  clock = new BlockClock(uniswap);
  await clock.follow();
  served = await serveNode(uniswap, clock, { requestsPerSecond: 10_000 });
  await served.world.follow();
});
afterAll(async () => {
  await served?.close();
  await anvil?.stop();
});

type Found = Readonly<Record<string, unknown>> | undefined;
type Pair = readonly [bigint, bigint];
type OfPositions = "v3_position" | "v3_hold" | "v4_position" | "v4_fees" | "v4_hold";

/** Follows the node's newest block, which is looked for four times a second. */
async function settle(): Promise<void> {
  await clock.follow();
  await new Promise((resolve) => setTimeout(resolve, 300));
}

function pathOf(name: OfPositions, nft: bigint): string {
  const protocol = name.startsWith("v4") ? "&protocol=dexa" : "";
  return `${ENDPOINTS[name].path}?chain_id=${CHAIN}${protocol}&nft_ids=${nft}`;
}

async function read(name: OfPositions, nft: bigint): Promise<Found> {
  return (await records(pathOf(name, nft)))[0];
}

/** Entries may not be read up to the newest block yet; the test's time limit ends what never is. */
async function held(name: "v3_hold" | "v4_hold", nft: bigint): Promise<Found> {
  for (;;) {
    const { status, body } = await ask(pathOf(name, nft));
    if (status === 200) return (body as readonly Found[])[0];
    await settle();
  }
}

function pair(record: Found, name: string): Pair {
  return [BigInt(String(record?.[`${name}0`])), BigInt(String(record?.[`${name}1`]))];
}

const minus = (one: Pair, other: Pair): Pair => [one[0] - other[0], one[1] - other[1]];

/** What some work brought the first account, or cost it. */
async function gain(work: () => Promise<unknown>): Promise<Pair> {
  const before = await uniswap.purse();
  await work();
  return minus(await uniswap.purse(), before);
}

async function owned(version: "v3" | "v4", owner: string): Promise<readonly string[]> {
  await settle();
  const protocol = version === "v4" ? "&protocol=dexa" : "";
  const { path } = ENDPOINTS[`${version}_owned`];
  for (;;) {
    const { status, body } = await ask(`${path}?chain_id=${CHAIN}${protocol}&wallet=${owner}`);
    if (status === 200) return (body as { nft_id: string }[]).map(({ nft_id: id }) => id);
    await settle();
  }
}

describe("a V3 position's fees", () => {
  const FEE = 3_000;
  const RANGES = [
    [-6_000, 6_000],
    [-600, 600],
    [660, 1_800],
    [-1_800, -660],
  ] as const;
  const ids: bigint[] = [];

  beforeAll(async () => {
    await uniswap.createV3Pool(FEE, sqrtPriceX96AtTick(17));
    // With it no swap runs out of liquidity.
    await uniswap.mintV3(FEE, -887_220, 887_220, L);
    for (const [lower, upper] of RANGES) {
      ids.push(await uniswap.mintV3(FEE, lower, upper, L));
    }
  });

  it("are what `collect` would give, in, below and above the range, over any path of swaps", async () => {
    const swap = fc.tuple(fc.boolean(), fc.bigInt({ min: 10n ** 15n, max: 4n * L }));
    for (const [zeroForOne, amount] of fc.sample(swap, { numRuns: 12, seed: 7 })) {
      await uniswap.swapV3(FEE, zeroForOne, amount);
      await settle();
      for (const id of ids) {
        expect(pair(await read("v3_position", id), "fees")).toEqual(
          await uniswap.collectableV3(id),
        );
      }
    }
  });

  it("have what was taken out and not collected among them, and end with the collection", async () => {
    const [id = 0n] = ids;
    const before = await read("v3_position", id);
    await uniswap.decreaseV3(id, BigInt(String(before?.liquidity)) / 3n);
    await settle();
    const owed = await read("v3_position", id);
    expect(pair(owed, "fees")).toEqual(await uniswap.collectableV3(id));
    expect(pair(owed, "fees")[0]).toBeGreaterThan(pair(before, "fees")[0]);
    expect(await gain(() => uniswap.collectV3(id))).toEqual(pair(owed, "fees"));
    await settle();
    expect(pair(await read("v3_position", id), "fees")).toEqual([0n, 0n]);
  });

  it("go with its range, price, tokens and owner, also when it is burned", async () => {
    const [, id = 0n] = ids;
    const record = await read("v3_position", id);
    expect(record).toMatchObject({
      nft_id: String(id),
      manager_address: uniswap.v3Positions,
      pool_address: await uniswap.v3Pool(FEE),
      owner_address: ACCOUNT,
      lower_tick: -600,
      upper_tick: 600,
      fee: FEE,
      token0: { address: uniswap.token0, decimals: 18 },
    });
    await uniswap.decreaseV3(id, BigInt(String(record?.liquidity)));
    await uniswap.collectV3(id);
    await uniswap.burnV3(id);
    await settle();
    expect(await read("v3_position", id)).toMatchObject({
      liquidity: "0",
      owner_address: null,
      amount0: "0",
      fees0: "0",
      fees1: "0",
    });
    expect(await read("v3_position", 999_999n)).toBeUndefined();
    expect(await read("v3_position", (1n << 256n) + 5n)).toBeUndefined();
  });
});

describe("a V4 position's fees", () => {
  let key: Key;
  const ids: bigint[] = [];

  beforeAll(async () => {
    key = uniswap.key();
    await uniswap.createPool(key, sqrtPriceX96AtTick(-23));
    for (const [lower, upper] of [
      [-60_000, 60_000],
      [-600, 600],
      [660, 1_800],
      [-1_800, -660],
    ] as const) {
      ids.push(await uniswap.mint(key, lower, upper, 100n * L));
    }
  });

  it("are what collecting them gives, over any path of swaps", async () => {
    const swap = fc.tuple(fc.boolean(), fc.bigInt({ min: 10n ** 16n, max: 20n * L }));
    for (const [i, [zeroForOne, amount]] of fc.sample(swap, { numRuns: 8, seed: 11 }).entries()) {
      await uniswap.swap(key, zeroForOne, amount);
      await settle();
      const id = ids[i % ids.length] ?? 0n;
      const fees = pair(await read("v4_fees", id), "fees");
      expect(await gain(() => uniswap.collect(key, id))).toEqual(fees);
      await settle();
      expect(pair(await read("v4_fees", id), "fees")).toEqual([0n, 0n]);
    }
  });

  it("are left out where there is no such position, and refused of another protocol", async () => {
    expect(await read("v4_fees", 999_999n)).toBeUndefined();
    const other = pathOf("v4_fees", 1n).replace("dexa", "dexb");
    expect(fault(await ask(other))).toBe("400 bad_value");
  });
});

describe("what a position was given", () => {
  it("is what its owner paid, less what came back, of V3", async () => {
    const FEE = 500;
    await uniswap.createV3Pool(FEE, sqrtPriceX96AtTick(100));
    await uniswap.mintV3(FEE, -887_220, 887_220, 50n * L);
    let id = 0n;
    const paid = await gain(async () => {
      id = await uniswap.mintV3(FEE, -1_000, 2_000, L);
    });
    const more = await gain(() => uniswap.increaseV3(id, L / 3n));
    await uniswap.swapV3(FEE, true, L);
    await uniswap.swapV3(FEE, false, 2n * L);
    await settle();
    const put: Pair = [-paid[0] - more[0], -paid[1] - more[1]];
    const before = await held("v3_hold", id);
    expect(pair(before, "deposited")).toEqual(put);
    expect(pair(before, "collected")).toEqual([0n, 0n]);
    const earned = pair(before, "fees");
    expect(earned).toEqual(await uniswap.collectableV3(id));
    // Collected or not, what was earned is the same, but for what burning rounds off.
    const liquidity = BigInt(String((await read("v3_position", id))?.liquidity));
    await uniswap.decreaseV3(id, liquidity / 4n);
    await settle();
    const between = await held("v3_hold", id);
    const back = await gain(() => uniswap.collectV3(id));
    await settle();
    const after = await held("v3_hold", id);
    const principal = minus(back, earned);
    expect(pair(after, "deposited")).toEqual(minus(put, principal));
    expect(pair(after, "collected")).toEqual(earned);
    expect(pair(after, "fees")).toEqual([0n, 0n]);
    expect(pair(between, "deposited")).toEqual(pair(after, "deposited"));
    const total = (one: Found): Pair => {
      const [fees, collected] = [pair(one, "fees"), pair(one, "collected")];
      return [fees[0] + collected[0], fees[1] + collected[1]];
    };
    expect(total(between)).toEqual(total(after));
  });

  it("is what its owner paid, less what came back, of V4", async () => {
    const key = uniswap.key(500, 10);
    await uniswap.createPool(key, sqrtPriceX96AtTick(-77));
    await uniswap.mint(key, -60_000, 60_000, 500n * L);
    await uniswap.swap(key, true, L);
    let id = 0n;
    const paid = await gain(async () => {
      id = await uniswap.mint(key, -1_000, 2_000, 100n * L);
    });
    await uniswap.swap(key, false, 3n * L);
    await settle();
    const grown = pair(await read("v4_fees", id), "fees");
    const more = await gain(() => uniswap.change(key, id, 10n * L));
    await uniswap.swap(key, true, L);
    await settle();
    // Adding to it pays with what it had earned.
    const put: Pair = [-paid[0] - more[0] + grown[0], -paid[1] - more[1] + grown[1]];
    const before = await held("v4_hold", id);
    expect(pair(before, "deposited")).toEqual(put);
    expect(pair(before, "collected")).toEqual(grown);
    const earned = pair(before, "fees");
    const back = await gain(() => uniswap.change(key, id, -30n * L));
    await settle();
    const after = await held("v4_hold", id);
    expect(pair(after, "deposited")).toEqual(minus(put, minus(back, earned)));
    expect(pair(after, "collected")).toEqual([grown[0] + earned[0], grown[1] + earned[1]]);
    expect(pair(after, "fees")).toEqual([0n, 0n]);
    // What was found out once is kept.
    expect(await held("v4_hold", id)).toEqual(after);
  });
});

describe("the positions of an owner", () => {
  it("are those that came and did not go, of both versions", async () => {
    const key = uniswap.key(10_000, 200);
    await uniswap.createPool(key);
    await uniswap.createV3Pool(10_000);
    const one = await uniswap.mint(key, -200, 200, L);
    const two = await uniswap.mint(key, -400, 400, L);
    const three = await uniswap.mintV3(10_000, -200, 200, L);
    expect(await owned("v4", ACCOUNT)).toEqual(expect.arrayContaining([`${one}`, `${two}`]));
    expect(await owned("v3", ACCOUNT)).toContain(`${three}`);
    expect(await owned("v4", FRIEND)).toEqual([]);

    await uniswap.transfer(one, FRIEND);
    await uniswap.burn(key, two);
    await uniswap.transferV3(three, FRIEND);
    expect(await owned("v4", FRIEND)).toEqual([`${one}`]);
    expect(await owned("v3", FRIEND)).toEqual([`${three}`]);
    const left = await owned("v4", ACCOUNT);
    expect([left.includes(`${one}`), left.includes(`${two}`)]).toEqual([false, false]);
    expect(await owned("v3", ACCOUNT)).not.toContain(`${three}`);

    // A reorg that takes the transfer back gives the position back.
    await anvil.rpc("anvil_reorg", [3, []]);
    await anvil.mine(2);
    expect(await owned("v4", ACCOUNT)).toEqual(expect.arrayContaining([`${one}`, `${two}`]));
    expect(await owned("v4", FRIEND)).toEqual([]);
  });
});

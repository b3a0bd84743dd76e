import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { balanceOfData, SELECTORS } from "../../src/chain/codec/calls.ts";
import { DEMO_KEY } from "../../src/serve/server.ts";
import { ACCOUNT, Anvil } from "./support/anvil.ts";
import * as artifacts from "./support/artifacts.ts";
import { Uniswap } from "./support/uniswap.ts";
import { BlockClock, type NodeService, serveNode } from "./support/world.ts";

const FRIEND = `0x${"9".repeat(40)}` as const;
const SPACING_MS = 100;

let anvil: Anvil;
let uniswap: Uniswap;
let clock: BlockClock;
let served: NodeService;
let v3: string;
let v4: string;

beforeAll(async () => {
  anvil = await Anvil.start();
  uniswap = await Uniswap.deploy(anvil);
  const key = uniswap.key();
  v4 = await uniswap.createPool(key);
  await uniswap.mint(key, -6_000, 6_000, 10n ** 20n);
  v3 = await uniswap.createV3Pool();
  await uniswap.mintV3(3_000, -6_000, 6_000, 10n ** 20n);
  clock = new BlockClock(uniswap);
  await clock.follow();
  served = await serveNode(uniswap, clock, {
    holders: [uniswap.token0],
    usd: { stable: [uniswap.token1], feeds: new Map() },
    entries: 2,
    gas: "exact",
  });
  await served.world.follow();
});

afterAll(async () => {
  await served.close();
  await anvil.stop();
});

interface Answer {
  readonly status: number;
  // What the service says is whatever it says.
  readonly body: Readonly<Record<string, unknown>>;
}

async function ask(path: string, query: string): Promise<Answer> {
  const earlier = path.startsWith("/v1/") ? "" : `&apikey=${DEMO_KEY}`;
  const url = `${served.service.baseUrl}${path}?${query}${earlier}`;
  const response = await fetch(url, { headers: { "x-api-key": DEMO_KEY } });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

/** Asks until the answer is as it should be; the test's time limit ends what never is. */
async function until<T>(look: () => Promise<T>, isSo: (found: T) => boolean): Promise<T> {
  for (;;) {
    const found = await look();
    if (isSo(found)) return found;
    await new Promise((resolve) => {
      setTimeout(resolve, SPACING_MS);
    });
  }
}

function rows(answer: Answer, name: string): readonly Readonly<Record<string, unknown>>[] {
  const list = answer.body[name];
  return Array.isArray(list) ? (list as Readonly<Record<string, unknown>>[]) : [];
}

async function word(to: string, data: string): Promise<bigint> {
  return BigInt(await anvil.rpc<string>("eth_call", [{ to, data }, "latest"]));
}

const ON = "chainid=31337&limit=50";
const swapsOfV4 = () => ask("/api/dexv4/pool/swaps", `${ON}&poolid=${v4}`);
const swapsOfV3 = () => ask("/dexv3/pool/swaps", `${ON}&address=${v3}`);

describe("swaps on a real node", () => {
  test("are told of both versions from the pool's side, once they are confirmed", async () => {
    await until(swapsOfV4, ({ status }) => status === 200);
    await until(swapsOfV3, ({ status }) => status === 200);
    const { poolManager, token0, token1 } = uniswap;
    const before = await Promise.all(
      [token0, token1].map((token) => word(token, balanceOfData(poolManager))),
    );
    await uniswap.swap(uniswap.key(), true, 10n ** 15n);
    await uniswap.swapV3(3_000, true, 10n ** 15n);
    await anvil.rpc("anvil_mine", ["0x4"]);
    const after = await Promise.all(
      [token0, token1].map((token) => word(token, balanceOfData(poolManager))),
    );
    const [swap] = rows(
      await until(swapsOfV4, (found) => rows(found, "swaps").length === 1),
      "swaps",
    );
    // What the contract that holds all pools gained is what the pool gained.
    expect(BigInt(String(swap?.amount0))).toBe((after[0] ?? 0n) - (before[0] ?? 0n));
    expect(BigInt(String(swap?.amount1))).toBe((after[1] ?? 0n) - (before[1] ?? 0n));
    expect(BigInt(String(swap?.amount0))).toBe(10n ** 15n);
    expect(swap).toMatchObject({ recipient: null });
    const [other] = rows(
      await until(swapsOfV3, (found) => rows(found, "swaps").length === 1),
      "swaps",
    );
    expect(BigInt(String(other?.amount0))).toBe(10n ** 15n);
    expect(BigInt(String(other?.amount1))).toBeLessThan(0n);
  });

  test("that a reorg took back before they were confirmed are never told", async () => {
    const known = rows(await swapsOfV3(), "swaps").length;
    await uniswap.swapV3(3_000, false, 10n ** 14n);
    await anvil.rpc("anvil_reorg", [1, []]);
    await anvil.rpc("anvil_mine", ["0x5"]);
    await uniswap.swapV3(3_000, true, 10n ** 13n);
    await anvil.rpc("anvil_mine", ["0x4"]);
    const swaps = rows(
      await until(swapsOfV3, (found) => rows(found, "swaps").length > known),
      "swaps",
    );
    expect(swaps).toHaveLength(known + 1);
    expect(swaps[0]?.amount0).toBe("+10000000000000");
  });

  test("make the running hour of the pool's history, in dollars of the stable token", async () => {
    const found = await until(
      () => ask("/dexv3/pool/data", `${ON}&period=h&address=${v3}`),
      ({ status }) => status === 200,
    );
    const swaps = rows(await swapsOfV3(), "swaps");
    const volume1 = swaps.reduce((sum, { amount1 }) => {
      const amount = BigInt(String(amount1));
      return sum + (amount < 0n ? -amount : amount);
    }, 0n);
    expect(rows(found, "data")[0]).toMatchObject({
      swapCount: String(swaps.length),
      volumeToken1: String(volume1),
      sqrtPrice: swaps[0]?.sqrt_price_x96,
    });
    const { body } = await ask("/dexv3/pool", `chainid=31337&address=${v3}`);
    expect(body.volume_24h).toMatch(/^\d+\.\d\d$/);
  });
});

test("liquidity that is added and removed is told with the position's id as its salt", async () => {
  const key = uniswap.key();
  const id = await uniswap.mint(key, -600, 600, 5_000n);
  await uniswap.change(key, id, -2_000n);
  await anvil.rpc("anvil_mine", ["0x4"]);
  const changes = rows(
    await until(
      () => ask("/api/dexv4/pool/modify-liquidity", `${ON}&poolid=${v4}`),
      (found) => rows(found, "modify_liquidity_history").length >= 3,
    ),
    "modify_liquidity_history",
  );
  expect(changes[0]).toMatchObject({
    liquidity_delta: "-2000",
    tick_lower: -600,
    tick_upper: 600,
    sender: uniswap.positionManager,
    salt: `0x${id.toString(16).padStart(64, "0")}`,
  });
  expect(changes[1]?.liquidity_delta).toBe("+5000");
});

test("holders are what the contract says, also after a reorg of twenty blocks", async () => {
  const { token0 } = uniswap;
  const { abi } = artifacts.TOKEN;
  const list = () => ask("/v1/erc20/holders", `chain_id=31337&token=${token0}`);
  await until(list, ({ status }) => status === 200);
  await anvil.write(token0, abi, "transfer", [FRIEND, 500n]);
  await anvil.rpc("anvil_mine", ["0x13"]);
  const has = (amount: string) => (found: Answer) =>
    JSON.stringify(found.body).includes(`"wallet_address":"${FRIEND}"`) === (amount !== "0") &&
    JSON.stringify(found.body).includes(`"balance":"${amount}"`) === (amount !== "0");
  await until(list, has("500"));
  await anvil.rpc("anvil_reorg", [20, []]);
  await anvil.rpc("anvil_mine", ["0x2"]);
  await until(list, has("0"));
  const holders = (await list()).body as unknown as readonly Readonly<Record<string, string>>[];
  const sum = holders.reduce((all, { balance }) => all + BigInt(balance ?? 0), 0n);
  expect(sum).toBe(await word(token0, SELECTORS.totalSupply));
  for (const { wallet_address: wallet, balance } of holders) {
    expect(BigInt(balance ?? 0)).toBe(await word(token0, balanceOfData(wallet ?? "")));
  }
});

test("gas of the running hour is that of each block's transactions", async () => {
  await anvil.rpc("eth_sendTransaction", [
    {
      from: ACCOUNT,
      to: FRIEND,
      value: "0x1",
      maxFeePerGas: "0x174876e800",
      maxPriorityFeePerGas: "0x12a05f200",
    },
  ]);
  await anvil.rpc("anvil_mine", ["0x2"]);
  await clock.follow();
  const hours = await until(
    () => ask("/v1/gas/blocks/hourly", "chain_id=31337"),
    ({ body }) =>
      Number(
        (body as unknown as { avg_block_priority_fee_max: string }[]).at(-1)
          ?.avg_block_priority_fee_max,
      ) > 1,
  );
  const [hour] = (hours.body as unknown as Readonly<Record<string, unknown>>[]).slice(-1);
  expect(hour).toMatchObject({ avg_gas_limit: "30000000" });
});

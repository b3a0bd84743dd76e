import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sqrtPriceX96AtTick } from "../src/base/ticks.ts";
import { keccakOfText, wordOf, wordOfAddress } from "../src/chain/codec/words.ts";
import { type PoolKey, poolIdOf } from "../src/chain/state/v4-slots.ts";
import { ACCOUNT, type LocalNode } from "./anvil.ts";

/** V4 of Uniswap on a local node with many pools and positions: raw calls, for a library takes minutes. */
export interface BenchUniswap {
  readonly poolManager: string;
  readonly positionManager: string;
  readonly token0: string;
  readonly token1: string;
  readonly pools: readonly string[];
  /** NFT ids. */
  readonly positions: readonly string[];
  /** Trades in so many of the pools, all in one block. */
  trade(pools: number): Promise<void>;
  /** Trades in the first pool until its price is out of all positions' ranges, or back in their middle. */
  leaveOrReturn(leaves: boolean): Promise<void>;
}

const MODULES = fileURLToPath(new URL("../../../test/node/node_modules/", import.meta.url));
const ZERO = `0x${"0".repeat(40)}`;
const MULTICALL = "0xca11bde05977b3631167028862be2a173976ca11";
const MUCH = 1n << 120n;
const NO_LIMIT = (1n << 128n) - 1n;
const PRICE_ONE = 1n << 96n;
const LOWEST_PRICE = 4_295_128_740n;
const LIQUIDITY = 10n ** 18n;
/** Positions reach from tick -6,000 to 6,000. */
const EDGE = 6_000;
const OUTSIDE = -7_000;
const GAS = 30_000_000;
/** Positions that are minted by one transaction. */
const A_TRANSACTION = 40;

/** Deploys it and makes as many pools as positions, one in each. */
export async function deployUniswap(node: LocalNode, count: number): Promise<BenchUniswap> {
  const put = (file: string, ...words: readonly string[]): Promise<string> =>
    deploy(node, codeIn(file) + words.join(""));
  const multicall = await deploy(node, multicallCode());
  await node.rpc("anvil_setCode", MULTICALL, await node.rpc("eth_getCode", multicall, "latest"));
  const core = (name: string): string => `@uniswap/v4-core/out/${name}.sol/${name}.json`;
  const periphery = (name: string): string =>
    `@uniswap/v4-periphery/foundry-out/${name}.sol/${name}.json`;
  const poolManager = await put(core("PoolManager"), wordOfAddress(ACCOUNT));
  const positionManager = await put(
    periphery("PositionManager"),
    wordOfAddress(poolManager),
    wordOf(0),
    wordOf(300_000),
    wordOf(0),
    wordOf(0),
  );
  const router = await put(core("PoolSwapTest"), wordOfAddress(poolManager));
  const token = (name: string): Promise<string> =>
    // name, symbol, decimals: two offsets, and the texts behind them.
    put(
      periphery("MockERC20"),
      wordOf(96),
      wordOf(160),
      wordOf(18),
      ...[text(name), text(name)].flat(),
    );
  const [one, two] = [await token("ONE"), await token("TWO")];
  const [token0, token1] = one < two ? [one, two] : [two, one];
  for (const address of [token0, token1]) {
    await node.send(address, call("mint(address,uint256)", [ACCOUNT, MUCH * 4n]), GAS);
    await node.send(address, call("mint(address,uint256)", [positionManager, MUCH]), GAS);
    await node.send(address, call("approve(address,uint256)", [router, MUCH]), GAS);
  }
  const keys = Array.from({ length: count }, (_, i): PoolKey => {
    return { currency0: token0, currency1: token1, fee: 100 + i, tickSpacing: 60, hooks: ZERO };
  });
  const initialize = "initialize((address,address,uint24,int24,address),uint160)";
  await node.sendAll(
    keys.map((key) => ({ to: poolManager, data: call(initialize, [...keyWords(key), PRICE_ONE]) })),
    1_000_000,
  );
  const batches = Array.from({ length: Math.ceil(count / A_TRANSACTION) }, (_, i) =>
    keys.slice(i * A_TRANSACTION, (i + 1) * A_TRANSACTION),
  );
  await node.sendAll(
    batches.map((some) => ({ to: positionManager, data: mintData(some, token0, token1) })),
    GAS,
  );
  return {
    poolManager,
    positionManager,
    token0,
    token1,
    pools: keys.map(poolIdOf),
    positions: keys.map((_, i) => String(i + 1)),
    trade: (pools) =>
      node.sendAll(
        keys.slice(0, pools).map((key) => ({ to: router, data: swapData(key, 10n ** 13n) })),
        1_000_000,
      ),
    async leaveOrReturn(leaves) {
      const [key] = keys;
      if (key === undefined) throw new Error("there is no pool");
      const limit = leaves ? sqrtPriceX96AtTick(OUTSIDE) : PRICE_ONE;
      await node.send(router, swapData(key, MUCH / 4n, leaves, limit), 1_000_000);
    },
  };
}

function codeIn(file: string): string {
  const path = MODULES + file;
  if (!existsSync(path)) throw new Error(`${file} is not installed: npm ci --prefix test/node`);
  const { bytecode } = JSON.parse(readFileSync(path, "utf8")) as {
    bytecode: string | { object: string };
  };
  return typeof bytecode === "string" ? bytecode : bytecode.object;
}

function multicallCode(): string {
  const source = readFileSync(`${MODULES}viem/_esm/constants/contracts.js`, "utf8");
  return /multicall3Bytecode = '(0x[0-9a-f]+)'/.exec(source)?.[1] ?? "";
}

async function deploy(node: LocalNode, data: string): Promise<string> {
  const address = await node.send(null, data, GAS);
  if (address === null) throw new Error("nothing was deployed");
  return address.toLowerCase();
}

/** A call whose arguments are addresses and numbers alone. */
function call(signature: string, values: readonly (string | bigint | number)[]): string {
  const words = values.map((one) => (typeof one === "string" ? wordOfAddress(one) : wordOf(one)));
  return `0x${keccakOfText(signature).slice(0, 8)}${words.join("")}`;
}

function text(value: string): readonly string[] {
  const digits = Buffer.from(value, "utf8").toString("hex");
  return [wordOf(value.length), digits.padEnd(64, "0")];
}

function keyWords(key: PoolKey): readonly (string | number)[] {
  return [key.currency0, key.currency1, key.fee, key.tickSpacing, key.hooks];
}

/** Bytes with their length before them, in whole words. */
function bytes(digits: string): string {
  return wordOf(digits.length / 2) + digits.padEnd(Math.ceil(digits.length / 64) * 64, "0");
}

/** `modifyLiquidities`: a mint for each key, paid with what the manager holds. */
function mintData(keys: readonly PoolKey[], ...tokens: readonly string[]): string {
  const mints = keys.map((key) =>
    call("", [
      ...keyWords(key),
      -EDGE,
      EDGE,
      LIQUIDITY,
      NO_LIMIT,
      NO_LIMIT,
      ACCOUNT,
      12 * 32,
      0,
    ]).slice(10),
  );
  const settles = tokens.map((token) => call("", [token, 0, 0]).slice(10));
  const params = [...mints, ...settles].map(bytes);
  let offset = params.length * 32;
  const offsets = params.map((one) => {
    const own = wordOf(offset);
    offset += one.length / 2;
    return own;
  });
  const actions = bytes("02".repeat(mints.length) + "0b".repeat(settles.length));
  const list = wordOf(params.length) + offsets.join("") + params.join("");
  const unlock = wordOf(64) + wordOf(64 + actions.length / 2) + actions + list;
  const selector = keccakOfText("modifyLiquidities(bytes,uint256)").slice(0, 8);
  return `0x${selector}${wordOf(64)}${wordOf(1n << 40n)}${bytes(unlock)}`;
}

/** `PoolSwapTest.swap`: so much of token0 in, or of token1, as far as the price. */
function swapData(key: PoolKey, amount: bigint, isToken0 = true, limit = LOWEST_PRICE): string {
  const signature =
    "swap((address,address,uint24,int24,address),(bool,int256,uint160),(bool,bool),bytes)";
  const way = isToken0 ? 1 : 0;
  return call(signature, [...keyWords(key), way, -amount, limit, 0, 0, 11 * 32, 0]);
}

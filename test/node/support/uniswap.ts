import {
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbiParameters,
} from "viem";
import { ACCOUNT, type Anvil } from "./anvil.ts";
import * as artifacts from "./artifacts.ts";

const ZERO: Hex = "0x0000000000000000000000000000000000000000";
const MULTICALL: Hex = "0xca11bde05977b3631167028862be2a173976ca11";
const MUCH = 1n << 100n;
const DEADLINE = 1n << 40n;
/** sqrt(1) × 2^96. */
export const PRICE_ONE = 1n << 96n;

export interface Key {
  readonly currency0: Hex;
  readonly currency1: Hex;
  readonly fee: number;
  readonly tickSpacing: number;
  readonly hooks: Hex;
}

/** Uniswap of both versions on a node of its own, with tokens of which the first account has plenty. */
export class Uniswap {
  private constructor(
    readonly anvil: Anvil,
    readonly poolManager: Hex,
    readonly positionManager: Hex,
    readonly stateView: Hex,
    readonly swapRouter: Hex,
    readonly weth: Hex,
    readonly v3Factory: Hex,
    readonly v3Positions: Hex,
    readonly v3Router: Hex,
    /** Sorted by address; decimals 18 and 6. */
    readonly token0: Hex,
    readonly token1: Hex,
  ) {}

  static async deploy(anvil: Anvil): Promise<Uniswap> {
    const put = (artifact: artifacts.Artifact, ...args: readonly unknown[]): Promise<Hex> =>
      anvil.deploy(artifact.abi, artifact.bytecode, args);
    const multicall = await anvil.deploy([], artifacts.multicallBytecode());
    const code = await anvil.rpc<Hex>("eth_getCode", [multicall, "latest"]);
    await anvil.rpc("anvil_setCode", [MULTICALL, code]);
    const weth = await put(artifacts.WETH);
    const poolManager = await put(artifacts.POOL_MANAGER, ACCOUNT);
    const positionManager = await put(
      artifacts.POSITION_MANAGER,
      poolManager,
      ZERO,
      300_000n,
      ZERO,
      weth,
    );
    const stateView = await put(artifacts.STATE_VIEW, poolManager);
    const swapRouter = await put(artifacts.POOL_SWAP_TEST, poolManager);
    const v3Factory = await put(artifacts.V3_FACTORY);
    const v3Positions = await put(artifacts.V3_POSITIONS, v3Factory, weth, ZERO);
    const v3Router = await put(artifacts.V3_ROUTER, v3Factory, weth);
    const one = await put(artifacts.TOKEN, "Token One", "ONE", 18);
    const two = await put(artifacts.TOKEN, "Token Two", "TWO", 18);
    const [token0, token1] = one < two ? [one, two] : [two, one];
    const all = [poolManager, positionManager, stateView, swapRouter, weth] as const;
    const world = new Uniswap(anvil, ...all, v3Factory, v3Positions, v3Router, token0, token1);
    for (const token of [token0, token1]) {
      await anvil.write(token, artifacts.TOKEN.abi, "mint", [ACCOUNT, MUCH * 1_000n]);
      for (const spender of [swapRouter, v3Positions, v3Router]) {
        await anvil.write(token, artifacts.TOKEN.abi, "approve", [spender, MUCH * 1_000n]);
      }
    }
    return world;
  }

  /** What a configuration has to say where contracts are not at their known addresses. */
  get contracts() {
    const { poolManager, positionManager, v3Factory, v3Positions, weth } = this;
    const v3PositionManager = v3Positions;
    return { poolManager, positionManager, v3Factory, v3PositionManager, wrappedNative: weth };
  }

  key(fee = 3_000, tickSpacing = 60): Key {
    return { currency0: this.token0, currency1: this.token1, fee, tickSpacing, hooks: ZERO };
  }

  poolId(key: Key): Hex {
    return keccak256(
      encodeAbiParameters(parseAbiParameters("address, address, uint24, int24, address"), [
        key.currency0,
        key.currency1,
        key.fee,
        key.tickSpacing,
        key.hooks,
      ]),
    );
  }

  async createPool(key: Key, sqrtPriceX96 = PRICE_ONE): Promise<Hex> {
    const { abi } = artifacts.POOL_MANAGER;
    await this.anvil.write(this.poolManager, abi, "initialize", [key, sqrtPriceX96]);
    return this.poolId(key);
  }

  /** A position NFT's id. */
  async mint(key: Key, lower: number, upper: number, liquidity: bigint): Promise<bigint> {
    const id = await this.#nextId();
    await this.#fund(liquidity);
    const mint = encodeAbiParameters(
      parseAbiParameters(
        "(address, address, uint24, int24, address), int24, int24, uint256, uint128, uint128, address, bytes",
      ),
      [
        [key.currency0, key.currency1, key.fee, key.tickSpacing, key.hooks],
        lower,
        upper,
        liquidity,
        (1n << 128n) - 1n,
        (1n << 128n) - 1n,
        ACCOUNT,
        "0x",
      ],
    );
    await this.#actions("0x020b0b1414", [mint, ...this.#settleAndSweep(key)]);
    return id;
  }

  /** Adds to a position, or takes from it (negative). */
  async change(key: Key, id: bigint, delta: bigint): Promise<void> {
    if (delta >= 0n) {
      await this.#fund(delta);
      const increase = encodeAbiParameters(
        parseAbiParameters("uint256, uint256, uint128, uint128, bytes"),
        [id, delta, (1n << 128n) - 1n, (1n << 128n) - 1n, "0x"],
      );
      await this.#actions("0x000b0b1414", [increase, ...this.#settleAndSweep(key)]);
      return;
    }
    await this.#decrease(key, id, -delta);
  }

  /** Takes the fees of a position, and nothing else. */
  async collect(key: Key, id: bigint): Promise<void> {
    await this.#decrease(key, id, 0n);
  }

  async #decrease(key: Key, id: bigint, liquidity: bigint): Promise<void> {
    const decrease = encodeAbiParameters(
      parseAbiParameters("uint256, uint256, uint128, uint128, bytes"),
      [id, liquidity, 0n, 0n, "0x"],
    );
    const take = encodeAbiParameters(parseAbiParameters("address, address, address"), [
      key.currency0,
      key.currency1,
      ACCOUNT,
    ]);
    await this.#actions("0x0111", [decrease, take]);
  }

  async burn(key: Key, id: bigint): Promise<void> {
    const burn = encodeAbiParameters(parseAbiParameters("uint256, uint128, uint128, bytes"), [
      id,
      0n,
      0n,
      "0x",
    ]);
    const take = encodeAbiParameters(parseAbiParameters("address, address, address"), [
      key.currency0,
      key.currency1,
      ACCOUNT,
    ]);
    await this.#actions("0x0311", [burn, take]);
  }

  async transfer(id: bigint, to: Hex): Promise<void> {
    const { abi } = artifacts.POSITION_MANAGER;
    await this.anvil.write(this.positionManager, abi, "transferFrom", [ACCOUNT, to, id]);
  }

  /** Gives so much of token0 (or of token1) for the other one. */
  async swap(key: Key, zeroForOne: boolean, amountIn: bigint): Promise<void> {
    const limit = zeroForOne
      ? 4_295_128_740n
      : 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n;
    await this.anvil.write(this.swapRouter, artifacts.POOL_SWAP_TEST.abi, "swap", [
      key,
      { zeroForOne, amountSpecified: -amountIn, sqrtPriceLimitX96: limit },
      { takeClaims: false, settleUsingBurn: false },
      "0x",
    ]);
  }

  /** A V3 pool's address. */
  async createV3Pool(fee = 3_000, sqrtPriceX96 = PRICE_ONE): Promise<Hex> {
    const { abi } = artifacts.V3_FACTORY;
    await this.anvil.write(this.v3Factory, abi, "createPool", [this.token0, this.token1, fee]);
    const pool = await this.v3Pool(fee);
    await this.anvil.write(pool, artifacts.V3_POOL.abi, "initialize", [sqrtPriceX96]);
    return pool;
  }

  async v3Pool(fee: number): Promise<Hex> {
    const word = (value: bigint): string => value.toString(16).padStart(64, "0");
    const data = `0x1698ee82${word(BigInt(this.token0))}${word(BigInt(this.token1))}${word(BigInt(fee))}`;
    const answer = await this.anvil.rpc<Hex>("eth_call", [{ to: this.v3Factory, data }, "latest"]);
    return `0x${answer.slice(26)}`;
  }

  /** A position NFT's id. */
  async mintV3(fee: number, lower: number, upper: number, amount: bigint): Promise<bigint> {
    const { abi } = artifacts.V3_POSITIONS;
    const { logs } = await this.anvil.write(this.v3Positions, abi, "mint", [
      {
        token0: this.token0,
        token1: this.token1,
        fee,
        tickLower: lower,
        tickUpper: upper,
        amount0Desired: amount,
        amount1Desired: amount,
        amount0Min: 0n,
        amount1Min: 0n,
        recipient: ACCOUNT,
        deadline: DEADLINE,
      },
    ]);
    // Of its logs only the NFT's transfer from nobody has three topics beside its name.
    const minted = logs.find(({ topics }) => topics.length === 4 && BigInt(topics[1] ?? 1) === 0n);
    return BigInt(minted?.topics[3] ?? 0);
  }

  /** Takes liquidity from a V3 position, which its manager owes from then on. */
  async decreaseV3(id: bigint, liquidity: bigint): Promise<void> {
    await this.#v3("decreaseLiquidity", {
      tokenId: id,
      liquidity,
      amount0Min: 0n,
      amount1Min: 0n,
      deadline: DEADLINE,
    });
  }

  async increaseV3(id: bigint, amount: bigint): Promise<void> {
    await this.#v3("increaseLiquidity", {
      tokenId: id,
      amount0Desired: amount,
      amount1Desired: amount,
      amount0Min: 0n,
      amount1Min: 0n,
      deadline: DEADLINE,
    });
  }

  async collectV3(id: bigint): Promise<void> {
    await this.#v3("collect", collectAll(id));
  }

  /** What collecting would give, as the manager itself says. */
  async collectableV3(id: bigint): Promise<readonly [bigint, bigint]> {
    const { abi } = artifacts.V3_POSITIONS;
    const args = [collectAll(id)];
    const data = encodeFunctionData({ abi, functionName: "collect", args });
    const call = { from: ACCOUNT, to: this.v3Positions, data };
    const answer = await this.anvil.rpc<Hex>("eth_call", [call, "latest"]);
    return [BigInt(answer.slice(0, 66)), BigInt(`0x${answer.slice(66)}`)];
  }

  /** Only what is empty and collected can be burned. */
  async burnV3(id: bigint): Promise<void> {
    await this.#v3("burn", id);
  }

  async transferV3(id: bigint, to: Hex): Promise<void> {
    const { abi } = artifacts.V3_POSITIONS;
    await this.anvil.write(this.v3Positions, abi, "transferFrom", [ACCOUNT, to, id]);
  }

  /** What the first account has of both tokens. */
  async purse(): Promise<readonly [bigint, bigint]> {
    const data: Hex = `0x70a08231${ACCOUNT.slice(2).padStart(64, "0")}`;
    const held = (to: Hex): Promise<Hex> => this.anvil.rpc("eth_call", [{ to, data }, "latest"]);
    return [BigInt(await held(this.token0)), BigInt(await held(this.token1))];
  }

  async #v3(functionName: string, argument: unknown): Promise<void> {
    const { abi } = artifacts.V3_POSITIONS;
    await this.anvil.write(this.v3Positions, abi, functionName, [argument]);
  }

  async swapV3(fee: number, zeroForOne: boolean, amountIn: bigint): Promise<void> {
    const [tokenIn, tokenOut] = zeroForOne
      ? [this.token0, this.token1]
      : [this.token1, this.token0];
    await this.anvil.write(this.v3Router, artifacts.V3_ROUTER.abi, "exactInputSingle", [
      {
        tokenIn,
        tokenOut,
        fee,
        recipient: ACCOUNT,
        deadline: DEADLINE,
        amountIn,
        amountOutMinimum: 0n,
        sqrtPriceLimitX96: 0n,
      },
    ]);
  }

  #settleAndSweep({ currency0, currency1 }: Key): Hex[] {
    const settle = (currency: Hex): Hex =>
      encodeAbiParameters(parseAbiParameters("address, uint256, bool"), [currency, 0n, false]);
    const sweep = (currency: Hex): Hex =>
      encodeAbiParameters(parseAbiParameters("address, address"), [currency, ACCOUNT]);
    return [settle(currency0), settle(currency1), sweep(currency0), sweep(currency1)];
  }

  /** Without Permit2 the position manager pays from what it holds. */
  async #fund(amount: bigint): Promise<void> {
    for (const token of [this.token0, this.token1]) {
      await this.anvil.write(token, artifacts.TOKEN.abi, "transfer", [
        this.positionManager,
        amount * 4n,
      ]);
    }
  }

  async #actions(actions: Hex, params: readonly Hex[]): Promise<void> {
    const unlock = encodeAbiParameters(parseAbiParameters("bytes, bytes[]"), [actions, params]);
    const { abi } = artifacts.POSITION_MANAGER;
    await this.anvil.write(this.positionManager, abi, "modifyLiquidities", [unlock, DEADLINE]);
  }

  async #nextId(): Promise<bigint> {
    const call = { to: this.positionManager, data: "0x75794a3c" };
    return BigInt(await this.anvil.rpc<Hex>("eth_call", [call, "latest"]));
  }
}

function collectAll(tokenId: bigint) {
  const most = (1n << 128n) - 1n;
  return { tokenId, recipient: ACCOUNT, amount0Max: most, amount1Max: most };
}

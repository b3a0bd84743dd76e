import { readFileSync } from "node:fs";
import type { Abi, Hex } from "viem";
import { packageFile } from "./packages.ts";

/** A contract as the packages of Uniswap carry it. */
export interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

function read(path: string): Artifact {
  const [name = "", ...steps] = path.split("/");
  const file = packageFile(`@uniswap/${name}`, `${steps.join("/")}.json`);
  const { abi, bytecode } = JSON.parse(readFileSync(file, "utf8")) as {
    abi: Abi;
    bytecode: Hex | { object: Hex };
  };
  return { abi, bytecode: typeof bytecode === "string" ? bytecode : bytecode.object };
}

const periphery = (name: string): Artifact => read(`v4-periphery/foundry-out/${name}.sol/${name}`);

export const POOL_MANAGER = read("v4-core/out/PoolManager.sol/PoolManager");
export const POSITION_MANAGER = periphery("PositionManager");
export const STATE_VIEW = periphery("StateView");
export const TOKEN = periphery("MockERC20");
export const WETH = read("v4-periphery/foundry-out/WETH.sol/WETH.default");
export const POOL_SWAP_TEST = read("v4-core/out/PoolSwapTest.sol/PoolSwapTest");
export const V3_FACTORY = read("v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory");
export const V3_POOL = read("v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool");
export const V3_POSITIONS = read(
  "v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager",
);
export const V3_ROUTER = read("v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter");

/** The creation code of Multicall3, which viem keeps and does not export. */
export function multicallBytecode(): Hex {
  const text = readFileSync(packageFile("viem", "_esm/constants/contracts.js"), "utf8");
  const code = /multicall3Bytecode = '(0x[0-9a-f]+)'/.exec(text)?.[1];
  if (code === undefined) throw new Error("viem keeps Multicall3 elsewhere");
  return code as Hex;
}

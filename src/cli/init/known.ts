import { ERC20_CHAINS } from "../../api/endpoints.ts";
import { keccakOfHex } from "../../chain/codec/words.ts";
import { ETH_USDC } from "../../simulator/listed-pools.ts";
import { STABLECOIN, TREASURY_WALLET } from "../../simulator/listed-tokens.ts";
import { TREASURY_NFT } from "../../simulator/positions.ts";
import { type Target, target, type Watch } from "./answers.ts";

/** Where `tickwatch serve` listens unless it is told otherwise. */
export const SIMULATOR_URL = "http://127.0.0.1:8080";

/** The one token that the current family's endpoints have, on Ethereum. */
export const STABLECOIN_TARGET: Target = target(1, STABLECOIN, { name: "AUSD", decimals: 6 });

export const SIMULATED_WALLET = TREASURY_WALLET;

/** What the simulated market has to watch. */
export const SIMULATED: Readonly<Record<Watch, readonly Target[]>> = {
  lp: [
    target(1, TREASURY_NFT, { protocol: "dexa", name: "Treasury ETH/USDC" }),
    target(1, "91777", { protocol: "dexa", name: "Wide ETH/USDC" }),
  ],
  gas: [target(1, "")],
  treasury: [STABLECOIN_TARGET, { ...STABLECOIN_TARGET, chainId: 137 }],
  pool: [target(1, ETH_USDC, { name: "ETH/USDC 0.05%" })],
  holders: [STABLECOIN_TARGET],
};

/** What is asked about when a wallet is looked through: nobody lists all that it holds. */

/** Tokens that many wallets hold. */
export const KNOWN_TOKENS: readonly Target[] = [
  ...ERC20_CHAINS.map((chainId) => ({ ...STABLECOIN_TARGET, chainId })),
  token(1, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "USDC", 6),
  token(1, "0xdAC17F958D2ee523a2206206994597C13D831ec7", "USDT", 6),
  token(1, "0x6B175474E89094C44Da98b954EedeAC495271d0F", "DAI", 18),
  token(1, "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", "WETH", 18),
  token(1, "0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599", "WBTC", 8),
  token(10, "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", "USDC", 6),
  token(10, "0x4200000000000000000000000000000000000006", "WETH", 18),
  token(56, "0x55d398326f99059fF775485246999027B3197955", "USDT", 18),
  token(130, "0x078D782b760474a361dDA0AF3839290b0EF57AD6", "USDC", 6),
  token(137, "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "USDC", 6),
  token(137, "0xc2132D05D31c914a87C6611C10748AEb04B58e8F", "USDT0", 6),
  token(8453, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USDC", 6),
  token(8453, "0x4200000000000000000000000000000000000006", "WETH", 18),
  token(42161, "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", "USDC", 6),
  token(42161, "0x82af49447d8a07e3bd95bd0d56f35241523fbab1", "WETH", 18),
  token(43114, "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", "USDC", 6),
];

/** The fees of pools without a hook, with the tick spacing that goes with each. */
const FEES = [
  [100, 1],
  [500, 10],
  [3_000, 60],
  [10_000, 200],
] as const;
const NATIVE = `0x${"0".repeat(40)}`;

/** The V4 pools of the native coin and a dollar, by chain: where most positions are. */
export const KNOWN_POOLS: readonly Target[] = KNOWN_TOKENS.filter(
  ({ name }) => name === "USDC" || name === "USDT",
).flatMap(({ chainId, id }) =>
  FEES.map(([fee, spacing]) => target(chainId, v4PoolId(NATIVE, id, fee, spacing))),
);

function token(chainId: number, id: string, name: string, decimals: number): Target {
  return target(chainId, id, { name, decimals });
}

/**
 * The id of a V4 pool without a hook: keccak256 of the ABI encoding of its key, whose tokens are in the order of
 * their addresses. Source: `PoolId.sol` and `PoolKey.sol` of v4-core.
 */
function v4PoolId(token0: string, token1: string, fee: number, spacing: number): string {
  const words = [token0.slice(2), token1.slice(2), fee.toString(16), spacing.toString(16), ""];
  const hex = words.map((word) => word.padStart(64, "0")).join("");
  return `0x${keccakOfHex(hex)}`;
}

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

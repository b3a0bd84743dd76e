import { TREASURY_WALLET } from "../../src/simulator/listed-tokens.ts";

const POOL = "0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27";
const COIN = "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a";

/** A scenario with an event and a fault of every kind. */
export const EVENTS_AND_FAULTS = `
events:
  - {kind: price, at: 3m, pool: ${POOL}, factor: 0.93, over: 5m, hold: 1m, back: 1m}
  - {kind: liquidity, at: 3m, pool: ${POOL}, factor: 0.5, over: 5m}
  - {kind: tips, at: 3m, chain: 1, factor: 9, for: 5m}
  - {kind: close, at: 3m, position: {chain: ethereum, protocol: dexa, nft: 128404}}
  - {kind: owner, at: 2m, position: {chain: ethereum, protocol: dexa, nft: 45120}, owner: ${TREASURY_WALLET}}
  - {kind: mint, at: 3m, chain: polygon, amount: -2.5M}
  - {kind: transfer, at: 3m, chain: ethereum, wallet: ${TREASURY_WALLET}, amount: 400_000}
  - {kind: sell, at: 9m, chain: ethereum, wallet: ${TREASURY_WALLET}}
  - {kind: holders, at: 3m, chain: polygon, factor: 0.9, over: 5m}
  - {kind: peg, at: 3m, chain: polygon, token: ${COIN}, factor: 0.96, over: 5m}
faults:
  - {kind: status, at: 0s, for: 1m, status: 503, retry_after: 2}
  - {kind: hang, at: 0s, for: 1m, endpoint: v4_pool}
  - {kind: slow, at: 0s, for: 1m, endpoint: all, by: 1s}
  - {kind: empty, at: 0s, for: 1m}
  - {kind: html, at: 0s, for: 1m}
  - {kind: truncated, at: 0s, for: 1m}
  - {kind: missing, at: 0s, for: 1m, ids: [128404, ${POOL.toUpperCase().replace("0X", "0x")}]}
  - {kind: "null", at: 0s, for: 1m, fields: tvl_usd}
  - {kind: lag, at: 0s, for: 1m, by: 30m}
`;

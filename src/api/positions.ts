import {
  ADDRESS,
  address,
  chainId,
  type EndpointSpec,
  type Fields,
  NFT_ID,
  number,
  object,
  type ParamSpec,
  signed,
  string,
  text,
} from "./endpoint.ts";
import { POSITION_AMOUNTS, TOKEN_METADATA } from "./records-current.ts";

/** The records of liquidity positions that only EVM nodes answer. */

/** What can be collected of a position. */
const FEES: Fields = {
  fees0: string("raw(token0)"),
  fees1: string("raw(token1)"),
  fees_usd: number("usd"),
};

/** A position of V3 with the price of its pool. */
const V3_POSITION: Fields = {
  chain_id: chainId,
  manager_address: address,
  nft_id: text,
  pool_address: address,
  owner_address: address,
  ...POSITION_AMOUNTS,
  ...FEES,
  fee: number("fee"),
  current_tick: number("tick"),
  sqrt_price_x96: string("integer"),
  price0: number("price"),
  price1: number("price"),
  block_number: string("integer"),
  timestamp: string("seconds"),
  token0: object(TOKEN_METADATA),
  token1: object(TOKEN_METADATA),
};

/** The fees of a position of V4, which are not in its own record. */
const V4_FEES: Fields = { chain_id: chainId, protocol: text, nft_id: text, ...FEES };

/**
 * What a position is and was given, at one block: what it holds, what it owes, and, by its entries, all that was
 * put in less what was taken out (null where they begin too late), and all that was collected less what was
 * taken out, which waits among the fees until it is collected (null where nobody keeps the state that tells).
 */
const POSITION_HOLD: Fields = {
  chain_id: chainId,
  protocol: text,
  nft_id: text,
  sqrt_price_x96: string("integer"),
  amount0: string("raw(token0)"),
  amount1: string("raw(token1)"),
  fees0: string("raw(token0)"),
  fees1: string("raw(token1)"),
  collected0: signed(string("raw(token0)")),
  collected1: signed(string("raw(token1)")),
  deposited0: signed(string("raw(token0)")),
  deposited1: signed(string("raw(token1)")),
};

/** A position that an owner has. */
const OWNED: Fields = {
  chain_id: chainId,
  protocol: text,
  wallet_address: address,
  nft_id: text,
  liquidity: string("integer"),
  fee: number("fee"),
  token0: object(TOKEN_METADATA),
  token1: object(TOKEN_METADATA),
};

const chain_id: ParamSpec = { type: "number", required: true };
/** Only of V4 itself nodes know more than the specification has. */
const protocol: ParamSpec = { type: "string", required: true, values: ["dexa"] };
const nft_ids: ParamSpec = { type: "string", required: true, repeat: 20, pattern: NFT_ID };
const wallet: ParamSpec = { type: "string", required: true, pattern: ADDRESS };

const NODES = { family: "current", base: "rpc", shape: "array" } as const;
const BY_NFT = { param: "nft_ids", field: "nft_id" } as const;

/** What EVM nodes answer about liquidity positions beyond the specification. */
export const POSITION_ENDPOINTS = {
  v3_position: {
    ...NODES,
    path: "/v1/x/dexv3/position",
    params: { chain_id, nft_ids },
    record: "v3_position",
    fields: V3_POSITION,
    batch: BY_NFT,
  },
  v4_fees: {
    ...NODES,
    path: "/v1/x/dexv4/position-fees",
    params: { chain_id, protocol, nft_ids },
    record: "v4_fees",
    fields: V4_FEES,
    batch: BY_NFT,
  },
  v3_hold: {
    ...NODES,
    path: "/v1/x/dexv3/position-hold",
    params: { chain_id, nft_ids },
    record: "v3_hold",
    fields: POSITION_HOLD,
    batch: BY_NFT,
  },
  v4_hold: {
    ...NODES,
    path: "/v1/x/dexv4/position-hold",
    params: { chain_id, protocol, nft_ids },
    record: "v4_hold",
    fields: POSITION_HOLD,
    batch: BY_NFT,
  },
  v3_owned: {
    ...NODES,
    path: "/v1/x/dexv3/positions-of",
    params: { chain_id, wallet },
    record: "v3_owned",
    fields: OWNED,
  },
  v4_owned: {
    ...NODES,
    path: "/v1/x/dexv4/positions-of",
    params: { chain_id, protocol, wallet },
    record: "v4_owned",
    fields: OWNED,
  },
} as const satisfies Readonly<Record<string, EndpointSpec>>;

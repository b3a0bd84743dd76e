import type { Quantity } from "../model.ts";

/** The JSON type of a field as the specification gives it, and what its number counts. */
export interface FieldSpec {
  readonly type: "string" | "number" | "boolean" | "object";
  readonly quantity?: Quantity;
}

export interface ParamSpec {
  readonly type: "number" | "string" | "date";
  readonly required: boolean;
  /** A batch parameter: repeated once for each value, at most so often. */
  readonly repeat?: number;
  readonly values?: readonly string[];
  readonly pattern?: RegExp;
}

export interface EndpointSpec {
  readonly family: "current";
  readonly path: string;
  readonly params: Readonly<Record<string, ParamSpec>>;
  /** `array`: one entry for each item; `object`: one record. */
  readonly shape: "array" | "object";
  readonly fields: Readonly<Record<string, FieldSpec>>;
  /** Batch endpoints: the parameter that repeats, and the field of an entry that names its item. */
  readonly batch?: { readonly param: string; readonly field: string };
  /** The longest distance between `from` and `to`. */
  readonly maxRangeDays?: number;
}

/** The header that carries the key of the current family. */
export const KEY_HEADER = "x-api-key";

export const POOL_ID = /^0x[0-9a-f]{64}$/i;
/** A uint256 as a decimal string has at most 78 digits. */
export const NFT_ID = /^\d{1,78}$/;
/** An account's address; upper and lower case are one address. */
export const ADDRESS = /^0x[0-9a-f]{40}$/i;
export const PROTOCOLS = ["dexa", "dexb"] as const;

const text: FieldSpec = { type: "string", quantity: "text" };
const address: FieldSpec = { type: "string", quantity: "address" };
const number = (quantity: Quantity): FieldSpec => ({ type: "number", quantity });
const string = (quantity: Quantity): FieldSpec => ({ type: "string", quantity });
const object: FieldSpec = { type: "object" };
const chainId: ParamSpec = { type: "number", required: true };

const token: ParamSpec = { type: "string", required: true, repeat: 20, pattern: ADDRESS };

const SUPPLY: Readonly<Record<string, FieldSpec>> = {
  token_address: address,
  chain_id: number("integer"),
  total_supply: string("raw"),
};

const BALANCE: Readonly<Record<string, FieldSpec>> = {
  token_address: address,
  chain_id: number("integer"),
  wallet_address: address,
  balance: string("raw"),
};

const HOLDER_COUNT: Readonly<Record<string, FieldSpec>> = {
  token_address: address,
  chain_id: number("integer"),
  holder_count: number("count"),
};

const V4_POOL: Readonly<Record<string, FieldSpec>> = {
  pool_id: text,
  chain_id: number("integer"),
  fee: number("fee"),
  tick_spacing: number("tick"),
  current_tick: number("tick"),
  sqrt_price_x96: string("integer"),
  liquidity: string("integer"),
  price0: number("price"),
  price1: number("price"),
  amount0: string("raw(token0)"),
  amount1: string("raw(token1)"),
  amount0_d: string("tokens"),
  amount1_d: string("tokens"),
  volume_token0: string("raw(token0)"),
  volume_token1: string("raw(token1)"),
  volume_token0_d: string("tokens"),
  volume_token1_d: string("tokens"),
  volume_usd: number("usd"),
  collected_fees_token0: string("raw(token0)"),
  collected_fees_token1: string("raw(token1)"),
  collected_fees_usd: number("usd"),
  tvl_usd: number("usd"),
  swap_count: string("count"),
  active_position_count: number("count"),
  block_number: string("integer"),
  timestamp: string("seconds"),
  created_at_block_number: string("integer"),
  created_at_timestamp: string("seconds"),
  token0: object,
  token1: object,
  hook: object,
};

/** The objects inside a V4 pool record. */
export const TOKEN_METADATA: Readonly<Record<string, FieldSpec>> = {
  address,
  symbol: text,
  name: text,
  decimals: number("integer"),
  price: number("usd"),
};
export const HOOK_METADATA: Readonly<Record<string, FieldSpec>> = { address };

const V4_POSITION: Readonly<Record<string, FieldSpec>> = {
  chain_id: number("integer"),
  protocol: text,
  manager_address: address,
  nft_id: text,
  pool_id: text,
  owner_address: address,
  lower_tick: number("tick"),
  upper_tick: number("tick"),
  liquidity: string("integer"),
  amount0: string("raw(token0)"),
  amount1: string("raw(token1)"),
  amount0_d: string("tokens"),
  amount1_d: string("tokens"),
  core_total_usd: number("usd"),
  ratio: number("ratio"),
  block_number: string("integer"),
  timestamp: string("seconds"),
};

const GAS_HOUR: Readonly<Record<string, FieldSpec>> = {
  hour: text,
  block_count: number("count"),
  avg_base_fee: string("wei"),
  avg_gas_used: string("integer"),
  avg_gas_limit: string("integer"),
  utilization: number("ratio"),
  tx_count: string("count"),
  avg_block_priority_fee_min: string("wei"),
  avg_block_priority_fee_max: string("wei"),
  avg_priority_fee_top5_threshold: string("wei"),
  avg_priority_fee_top5_avg: string("wei"),
  avg_priority_fee_top10_threshold: string("wei"),
  avg_priority_fee_top10_avg: string("wei"),
  zero_tip_ratio: number("ratio"),
};

/** The endpoints that are built so far, each with what the specification says of it. */
export const ENDPOINTS = {
  verify_key: {
    family: "current",
    path: "/v1/api-key/verify",
    params: {},
    shape: "object",
    fields: { valid: { type: "boolean", quantity: "boolean" } },
  },
  supply: {
    family: "current",
    path: "/v1/erc20/supply",
    params: { chain_id: chainId, token },
    shape: "array",
    fields: SUPPLY,
    batch: { param: "token", field: "token_address" },
  },
  balance: {
    family: "current",
    path: "/v1/erc20/balance",
    params: {
      chain_id: chainId,
      token,
      wallet: { type: "string", required: true, pattern: ADDRESS },
    },
    shape: "array",
    fields: BALANCE,
    batch: { param: "token", field: "token_address" },
  },
  holder_count: {
    family: "current",
    path: "/v1/erc20/holder-count",
    params: { chain_id: chainId, token },
    shape: "array",
    fields: HOLDER_COUNT,
    batch: { param: "token", field: "token_address" },
  },
  v4_pool: {
    family: "current",
    path: "/v1/dexv4/pool",
    params: {
      chain_id: chainId,
      pool_ids: { type: "string", required: true, repeat: 20, pattern: POOL_ID },
    },
    shape: "array",
    fields: V4_POOL,
    batch: { param: "pool_ids", field: "pool_id" },
  },
  v4_position: {
    family: "current",
    path: "/v1/dexv4/position",
    params: {
      chain_id: chainId,
      protocol: { type: "string", required: true, values: PROTOCOLS },
      nft_ids: { type: "string", required: true, repeat: 20, pattern: NFT_ID },
    },
    shape: "array",
    fields: V4_POSITION,
    batch: { param: "nft_ids", field: "nft_id" },
  },
  gas_hour: {
    family: "current",
    path: "/v1/gas/blocks/hourly",
    params: {
      chain_id: chainId,
      from: { type: "date", required: false },
      to: { type: "date", required: false },
    },
    shape: "array",
    fields: GAS_HOUR,
    maxRangeDays: 90,
  },
} as const satisfies Readonly<Record<string, EndpointSpec>>;

export type EndpointName = keyof typeof ENDPOINTS;

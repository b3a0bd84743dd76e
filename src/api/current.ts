import {
  ADDRESS,
  type EndpointSpec,
  NFT_ID,
  type ParamSpec,
  POOL_ID,
  PROTOCOLS,
} from "./endpoint.ts";
import {
  BALANCE,
  BALANCE_POINT,
  GAS_HOUR,
  HOLDER,
  HOLDER_COUNT,
  SUPPLY,
  SUPPLY_POINT,
  V4_POOL,
  V4_POSITION,
} from "./records-current.ts";

/**
 * Where the ERC-20 endpoints are available "temporarily", as the specification says, for one
 * stablecoin: Ethereum, Polygon, Monad, Immutable zkEVM, Avalanche, Katana.
 */
export const ERC20_CHAINS: readonly number[] = [1, 137, 143, 13371, 43114, 747474];

const chain_id: ParamSpec = { type: "number", required: true };
const token: ParamSpec = { type: "string", required: true, pattern: ADDRESS };
const tokens: ParamSpec = { ...token, repeat: 20 };
const wallet: ParamSpec = { type: "string", required: true, pattern: ADDRESS };
const day: ParamSpec = { type: "date", required: false };
const range = { from: day, to: day };

/** What all endpoints of the family have in common. */
const CURRENT = { family: "current", base: "base_url" } as const;
const ERC20 = { ...CURRENT, shape: "array", chains: ERC20_CHAINS } as const;
const BY_TOKEN = { param: "token", field: "token_address" } as const;

/** The current family: snake_case parameters, the key in a header. */
export const CURRENT_ENDPOINTS = {
  verify_key: {
    ...CURRENT,
    path: "/v1/api-key/verify",
    params: {},
    shape: "object",
    record: "verify",
    fields: { valid: { type: "boolean", quantity: "boolean" } },
  },
  supply: {
    ...ERC20,
    path: "/v1/erc20/supply",
    params: { chain_id, token: tokens },
    record: "supply",
    fields: SUPPLY,
    batch: BY_TOKEN,
  },
  supply_history: {
    ...ERC20,
    path: "/v1/erc20/supply-history",
    params: { chain_id, token, ...range },
    record: "supply_point",
    fields: SUPPLY_POINT,
    maxRangeDays: 365,
  },
  balance: {
    ...ERC20,
    path: "/v1/erc20/balance",
    params: { chain_id, token: tokens, wallet },
    record: "balance",
    fields: BALANCE,
    batch: BY_TOKEN,
  },
  balance_history: {
    ...ERC20,
    path: "/v1/erc20/balance-history",
    params: { chain_id, token, wallet, ...range },
    record: "balance_point",
    fields: BALANCE_POINT,
    maxRangeDays: 365,
  },
  holder_count: {
    ...ERC20,
    path: "/v1/erc20/holder-count",
    params: { chain_id, token: tokens },
    record: "holder_count",
    fields: HOLDER_COUNT,
    batch: BY_TOKEN,
  },
  holders: {
    ...ERC20,
    path: "/v1/erc20/holders",
    params: {
      chain_id,
      token,
      first: { type: "number", required: false, min: 1, max: 100, default: 50 },
      offset: { type: "number", required: false, default: 0 },
      // By balance.
      sort: { type: "string", required: false, values: ["asc", "desc"], default: "desc" },
    },
    record: "holder",
    fields: HOLDER,
    paging: { size: "first", offset: "offset", order: "sort" },
  },
  v4_pool: {
    ...CURRENT,
    path: "/v1/dexv4/pool",
    params: {
      chain_id,
      pool_ids: { type: "string", required: true, repeat: 20, pattern: POOL_ID },
    },
    shape: "array",
    record: "v4_pool",
    fields: V4_POOL,
    batch: { param: "pool_ids", field: "pool_id" },
  },
  v4_position: {
    ...CURRENT,
    path: "/v1/dexv4/position",
    params: {
      chain_id,
      protocol: { type: "string", required: true, values: PROTOCOLS },
      nft_ids: { type: "string", required: true, repeat: 20, pattern: NFT_ID },
    },
    shape: "array",
    record: "v4_position",
    fields: V4_POSITION,
    batch: { param: "nft_ids", field: "nft_id" },
  },
  gas_hourly: {
    ...CURRENT,
    path: "/v1/gas/blocks/hourly",
    params: { chain_id, ...range },
    shape: "array",
    record: "gas_hour",
    fields: GAS_HOUR,
    maxRangeDays: 90,
  },
} as const satisfies Readonly<Record<string, EndpointSpec>>;

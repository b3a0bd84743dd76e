import type { Ask } from "../model/index.ts";
import { CURRENT_ENDPOINTS } from "./current.ts";
import { EARLIER_ENDPOINTS } from "./earlier.ts";
import { NODE_ENDPOINTS } from "./nodes.ts";
import { POSITION_ENDPOINTS } from "./positions.ts";

/** The whole contract in one place: what the rest of the program needs to know of it is here. */
export { ERC20_CHAINS } from "./current.ts";
export type { EndpointSpec, FieldSpec, Fields, ParamSpec } from "./endpoint.ts";
export { ADDRESS, KEY_HEADER, KEY_PARAMETER, NFT_ID, POOL_ID, PROTOCOLS } from "./endpoint.ts";
export { MOST_GAS_BLOCKS } from "./nodes.ts";
export { HOOK_METADATA, TOKEN_METADATA } from "./records-current.ts";

/** Every endpoint of the service, each with all that the specification says of it. */
export const SPECIFIED = { ...CURRENT_ENDPOINTS, ...EARLIER_ENDPOINTS } as const;

/** These, and those that only EVM nodes answer. */
export const ENDPOINTS = { ...SPECIFIED, ...NODE_ENDPOINTS, ...POSITION_ENDPOINTS } as const;

export type EndpointName = keyof typeof ENDPOINTS;

/**
 * The endpoints that can be asked for each record that a watch kind can want; of several, the source
 * chooses.
 */
export const ENDPOINTS_OF = {
  supply: ["supply"],
  supply_point: ["supply_history"],
  balance: ["balance", "legacy_balances"],
  balance_point: ["balance_history", "legacy_balance_history"],
  holder_count: ["holder_count"],
  holder: ["holders", "legacy_holders"],
  v4_pool: ["v4_pool"],
  v4_position: ["v4_position"],
  gas_hour: ["gas_hourly"],
  token_info: ["legacy_token_info"],
  token_price: ["legacy_token_price"],
  price_point: ["legacy_price_history"],
  v4_pool_24h: ["legacy_v4_pool"],
  v3_pool: ["v3_pool"],
  v4_swap: ["v4_swaps"],
  v3_swap: ["v3_swaps"],
  v4_liquidity: ["v4_modify_liquidity"],
  v4_pool_point: ["v4_pool_history"],
  v3_pool_point: ["v3_pool_history"],
  native_balance: ["native_balance"],
  allowance: ["allowance"],
  gas_now: ["gas_now"],
  call: ["call"],
  v3_position: ["v3_position"],
  v3_hold: ["v3_hold"],
  v3_owned: ["v3_owned"],
  v4_fees: ["v4_fees"],
  v4_hold: ["v4_hold"],
  v4_owned: ["v4_owned"],
  // How endpoints fare is known without a request, wherever the service is.
  endpoint: ["verify_key"],
} as const satisfies Readonly<Record<Ask["record"], readonly [EndpointName, ...EndpointName[]]>>;

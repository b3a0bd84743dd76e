import type { Ask } from "../model.ts";
import { CURRENT_ENDPOINTS } from "./current.ts";
import { EARLIER_ENDPOINTS } from "./earlier.ts";

/** The whole contract in one place: what the rest of the program needs to know of it is here. */
export { KEY_HEADER, KEY_PARAMETER } from "./access.ts";
export { ERC20_CHAINS } from "./current.ts";
export type { EndpointSpec, FieldSpec, Fields, ParamSpec } from "./endpoint.ts";
export { ADDRESS, NFT_ID, POOL_ID, PROTOCOLS } from "./forms.ts";
export { HOOK_METADATA, TOKEN_METADATA } from "./records-pool.ts";

/** Every endpoint of the service, each with all that the specification says of it. */
export const ENDPOINTS = { ...CURRENT_ENDPOINTS, ...EARLIER_ENDPOINTS } as const;

export type EndpointName = keyof typeof ENDPOINTS;

/** The endpoint that is asked for each record that a watch kind can want. */
export const ENDPOINT_OF = {
  supply: "supply",
  balance: "balance",
  holder_count: "holder_count",
  v4_pool: "v4_pool",
  v4_position: "v4_position",
  gas_hour: "gas_hourly",
} as const satisfies Readonly<Record<Ask["record"], EndpointName>>;

import { ADDRESS, type EndpointSpec, NFT_ID, type ParamSpec } from "./endpoint.ts";
import { OWNED, POSITION_HOLD, V3_POSITION, V4_FEES } from "./records-positions.ts";

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

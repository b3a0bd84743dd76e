import { ADDRESS, type EndpointSpec, type ParamSpec } from "./endpoint.ts";
import { NATIVE_BALANCE } from "./records-nodes.ts";

const chain_id: ParamSpec = { type: "number", required: true };
const account: ParamSpec = { type: "string", required: true, pattern: ADDRESS };

/** What all of them have in common: they go the current family's way, where there are nodes. */
const NODES = { family: "current", base: "rpc" } as const;

/** What the specification does not have: only the service from EVM nodes answers it. */
export const NODE_ENDPOINTS = {
  native_balance: {
    ...NODES,
    path: "/v1/x/native-balance",
    params: { chain_id, wallet: { ...account, repeat: 20 } },
    shape: "array",
    record: "native_balance",
    fields: NATIVE_BALANCE,
    batch: { param: "wallet", field: "wallet_address" },
  },
} as const satisfies Readonly<Record<string, EndpointSpec>>;

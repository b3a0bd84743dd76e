import { ADDRESS, type EndpointSpec, type ParamSpec } from "./endpoint.ts";
import { ALLOWANCE, CALL, GAS_NOW, NATIVE_BALANCE } from "./records-nodes.ts";

const chain_id: ParamSpec = { type: "number", required: true };
const account: ParamSpec = { type: "string", required: true, pattern: ADDRESS };

/** So many of the newest blocks are read with all their transactions. */
export const MOST_GAS_BLOCKS = 20;

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
  allowance: {
    ...NODES,
    path: "/v1/x/allowance",
    params: { chain_id, token: { ...account, repeat: 20 }, owner: account, spender: account },
    shape: "array",
    record: "allowance",
    fields: ALLOWANCE,
    batch: { param: "token", field: "token_address" },
  },
  gas_now: {
    ...NODES,
    path: "/v1/x/gas-now",
    params: {
      chain_id,
      blocks: { type: "number", required: false, min: 1, max: MOST_GAS_BLOCKS, default: 5 },
    },
    shape: "object",
    record: "gas_now",
    fields: GAS_NOW,
  },
  call: {
    ...NODES,
    path: "/v1/x/call",
    params: {
      chain_id,
      to: account,
      // With the types of arguments and results: balanceOf(address)(uint256).
      function: { type: "string", required: true },
      // A JSON list of texts.
      args: { type: "string", required: false, default: "[]" },
      decimals: { type: "number", required: false, min: 0, max: 77, default: 0 },
    },
    shape: "object",
    record: "call",
    fields: CALL,
  },
} as const satisfies Readonly<Record<string, EndpointSpec>>;

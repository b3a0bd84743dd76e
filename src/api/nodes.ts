import { RESULT_PLACES } from "../base/signature.ts";
import {
  ADDRESS,
  address,
  chainId,
  type EndpointSpec,
  type FieldSpec,
  type Fields,
  number,
  type ParamSpec,
  signed,
  string,
  text,
} from "./endpoint.ts";

/** The records that only EVM nodes answer. */

/** True or false. */
const flag: FieldSpec = { type: "boolean", quantity: "boolean" };

/** What an account holds of its chain's own currency, in wei. */
const NATIVE_BALANCE: Fields = {
  chain_id: chainId,
  wallet_address: address,
  balance: string("raw"),
};

/** How much of a token one account may take from another. */
const ALLOWANCE: Fields = {
  chain_id: chainId,
  token_address: address,
  owner_address: address,
  spender_address: address,
  allowance: string("raw"),
};

/** The last blocks of a chain, in wei per gas: the newest one's base fee, and means of the blocks' thresholds. */
const GAS_NOW: Fields = {
  chain_id: chainId,
  blocks: number("count"),
  block_number: string("integer"),
  timestamp: string("seconds"),
  base_fee: string("wei"),
  tip_top5: string("wei"),
  tip_top10: string("wei"),
};

/** What a contract's function gives, as `resultNames` calls it, or what is wrong with it. */
const CALL: Fields = {
  chain_id: chainId,
  contract_address: address,
  function: { type: "string" },
  args: { type: "string" },
  decimals: { type: "number" },
  problem: text,
  ...Object.fromEntries([
    ...RESULT_PLACES.map((place) => [`value${place}`, signed(string("price"))] as const),
    ...RESULT_PLACES.map((place) => [`flag${place}`, flag] as const),
  ]),
};

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

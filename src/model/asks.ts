/** What is looked at, and what is asked for it. */

/** One thing watched: one pool, one position, one chain's gas. */
export interface Subject {
  /** The identity over all rules, such as `v4_pool:1:0x21c6…`; ids in lower case. */
  readonly key: string;
  readonly kind: string;
  readonly chainId: number;
  /** The ids that the watch kind needs to ask for it (`pool`; `nft` and `protocol`). */
  readonly ids: Readonly<Record<string, string>>;
  /** The name that the rule gives it; null to name it by what the chain says. */
  readonly name: string | null;
}

/** Whether the chain itself is watched, as for its gas: of an hour, or of so many blocks. */
export function isChain({ ids }: Subject): boolean {
  return Object.keys(ids).every((name) => name === "blocks");
}

/** The records that a source answers, and what people call them. */
export const RECORD_NAMES = {
  v4_pool: "V4 pools",
  v4_position: "V4 positions",
  gas_hour: "gas hours",
  supply: "token supplies",
  supply_point: "supply histories",
  balance: "token balances",
  balance_point: "balance histories",
  holder_count: "holder counts",
  holder: "token holders",
  token_info: "token infos",
  token_price: "token prices",
  price_point: "price histories",
  v4_pool_24h: "V4 pools by day",
  v3_pool: "V3 pools",
  v4_swap: "V4 swaps",
  v3_swap: "V3 swaps",
  v4_liquidity: "V4 liquidity changes",
  v4_pool_point: "V4 pool histories",
  v3_pool_point: "V3 pool histories",
  // Beyond the specification: only EVM nodes answer these.
  native_balance: "native balances",
  allowance: "allowances",
  gas_now: "gas of the last blocks",
  call: "calls",
  v3_position: "V3 positions",
  v3_hold: "V3 positions' deposits",
  v3_owned: "V3 positions of owners",
  v4_fees: "V4 positions' fees",
  v4_hold: "V4 positions' deposits",
  v4_owned: "V4 positions of owners",
  // What the source itself has seen of one of its endpoints: it is asked without a request.
  endpoint: "endpoints",
} as const;

type RecordName = keyof typeof RECORD_NAMES;

export function isRecordName(value: unknown): value is RecordName {
  return typeof value === "string" && Object.hasOwn(RECORD_NAMES, value);
}

/** Those that are asked of the service. */
export const RECORDS = Object.keys(RECORD_NAMES).filter(
  (name): name is Exclude<RecordName, "endpoint"> => name !== "endpoint",
);

/** The two families of the service's interface, which may both have a value, and not the same one. */
export type Family = "current" | "earlier";

/** A record that is wanted from a source; it names a record, not a request. */
export interface Ask {
  /** Equal asks have equal keys and are asked once a round. */
  readonly key: string;
  readonly record: RecordName;
  readonly chainId: number;
  /** The pool id, NFT id, token or V3 pool address, in lower case; an endpoint's name; empty for gas. */
  readonly id: string;
  /** Balances and their history only: the wallet's address, in lower case. */
  readonly wallet?: string;
  /** Allowances only: whose tokens, and who may spend them; in lower case. */
  readonly owner?: string;
  readonly spender?: string;
  /** Calls only: the function with its types, and its arguments as a JSON list of texts. */
  readonly function?: string;
  readonly args?: string;
  /** Likewise: what its numbers are divided by, as a power of ten. */
  readonly decimals?: number;
  /** Positions only. */
  readonly protocol?: string;
  /** Gas, and histories by days: the days, YYYY-MM-DD, both included. */
  readonly from?: string;
  readonly to?: string;
  /** Histories of prices and pools: points of days or of hours. */
  readonly period?: "d" | "h";
  /** Lists that come in pages: so many entries at most, after so many others. Of gas now: so many blocks. */
  readonly limit?: number;
  readonly offset?: number;
  /** A record that holds the same, and may be asked for where the ask's own is not to be had. */
  readonly instead?: "token_info";
  /** The family to ask; absent: the source chooses. */
  readonly family?: Family;
  /** The key of the ask whose family is to be asked for this as well. */
  readonly like?: string;
}

/** The fields of one record as JSON gave them; a number of 2^53 and more is a string of its text. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** Why an ask got no answer. `detail` is clean text without secrets. */
export interface Failure {
  readonly reason:
    | "timeout"
    | "network"
    | "unauthorized"
    | "rate_limited"
    | "refused"
    | "server_error"
    | "malformed"
    | "too_large"
    | "out_of_time";
  readonly detail: string;
}

/**
 * What became of an ask. `absent`: the answer was good and the record was not in it. A page of a list
 * is `ok` with its entries in the order in which they came, and with none if it is empty; `total`: how
 * many there are on all pages, where the service says so.
 */
export type Answer =
  | { readonly status: "ok"; readonly records: readonly RawRecord[]; readonly total?: number }
  | { readonly status: "absent" }
  | { readonly status: "failed"; readonly failure: Failure };

import type { Secret } from "../base/text.ts";

/** The service from EVM nodes, as configured in `service.rpc`. */
export interface RpcSettings {
  /** The path of the database of what was read, absolute; null: in memory. */
  readonly data: string | null;
  readonly chains: ReadonlyMap<number, RpcChain>;
}

/** The nodes of one chain and what is read from them. */
export interface RpcChain {
  /** In the order in which they are asked; each a secret as a whole. At least one. */
  readonly urls: readonly Secret[];
  /** HTTP requests to each URL in any second. */
  readonly requestsPerSecond: number;
  /** For one HTTP request, in milliseconds. */
  readonly timeoutMs: number;
  /** When entries of lists are told: after so many blocks, or when the chain calls their block safe or finalized. */
  readonly entries: number | "safe" | "finalized";
  /** How the gas of hours is read; null: exact where blocks come 6 s apart or more. */
  readonly gas: "exact" | "estimated" | null;
  /** Swaps and changes of liquidity are read back so many days at the first start. */
  readonly days: number;
  /** The tokens whose holders are indexed, in lower case. */
  readonly holders: readonly string[];
  /** The holders of a token with more transfers are not indexed. */
  readonly mostLogs: number;
  /** So many nodes must tell the same of a chain's state; 1: one is believed. */
  readonly agree: number;
  readonly usd: UsdSettings;
  /** Addresses in place of those that are known, in lower case. */
  readonly contracts: Readonly<Partial<Record<ContractName, string>>>;
}

/** The contracts whose addresses can be configured. */
type ContractName =
  | "poolManager"
  | "positionManager"
  | "v3Factory"
  | "v3PositionManager"
  | "wrappedNative"
  | "multicall";

/** Where dollars come from. Addresses in lower case. */
interface UsdSettings {
  /** Tokens that are a dollar by definition. */
  readonly stable: readonly string[];
  /** The feeds of Chainlink's form, by token. */
  readonly feeds: ReadonlyMap<string, string>;
}

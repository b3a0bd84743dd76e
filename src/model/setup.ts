import type { PostgresPlace } from "../base/postgres-url.ts";
import type { Schedule } from "../base/schedule.ts";
import type { Secret } from "../base/text.ts";
import type { Holdings, Rule } from "./rules.ts";

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

/** What a run of the daemon is configured with. */

/** A channel as configured; `settings` is what the channel kind's own schema made of it. */
export interface ChannelConfig {
  readonly name: string;
  readonly kind: string;
  readonly settings: unknown;
  /** The time zone in which its notices tell times, by its name in IANA's database. */
  readonly timezone: string;
}

export interface ServiceConfig {
  /** The nodes that are asked in place of a service; null: there are addresses. */
  readonly rpc?: RpcSettings | null;
  /** Origin and optional path, without a trailing slash; null: not configured. Without nodes one of them is. */
  readonly baseUrl: string | null;
  readonly legacyBaseUrl: string | null;
  readonly apiKey: Secret;
  readonly timeoutMs: number;
  readonly concurrency: number;
  readonly requestsPerSecond: number;
}

/** Where the page, the API, metrics and health are served; see docs/web.md. */
export interface WebConfig {
  /** An address of this machine without brackets, or a name of it. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** What whoever asks must send; null: nothing, or `readOnlyToken` alone, and nobody may act. */
  readonly token: Secret | null;
  /** Whoever sends this may look and not act; null: there is none. One of the two is given beyond loopback. */
  readonly readOnlyToken: Secret | null;
  /** Further names under which it may be asked, that of `url` among them. */
  readonly hosts: readonly string[];
  /** The address at which people reach the page, without a slash at its end; null: not given. */
  readonly url: string | null;
  /** Whether the page is served, beside the API, metrics and health. */
  readonly page: boolean;
  /** Whether anything may be done, and not only looked at. */
  readonly actions: boolean;
}

/** A message at set times that says how rules stand. */
export interface ReportConfig {
  readonly name: string;
  /** A cron expression in the time zone of the configuration. */
  readonly schedule: Schedule;
  /** By their names, in the order of the configuration; null: all that are watched. */
  readonly rules: readonly string[] | null;
  readonly channels: readonly string[];
}

/** How a daemon is one of several. */
export interface ClusterConfig {
  /** What the others call it. */
  readonly name: string;
  /** What it does while it cannot reach the store: go on from memory, or neither decide nor send. */
  readonly onOutage: "continue" | "suspend";
  /** How much of the work it does beside the others; above 0. */
  readonly weight: number;
}

/** Where everything is kept: a file of SQLite by its absolute path, or a schema of PostgreSQL. */
export type StorePlace = string | PostgresPlace;

/** Everything a run needs to know, read once from files and never changed. */
export interface Setup {
  readonly service: ServiceConfig;
  readonly rules: readonly Rule[];
  /** What the owners hold whose positions are watched; absent: there are none, or nothing is known yet. */
  readonly holdings?: Holdings;
  readonly channels: readonly ChannelConfig[];
  readonly store: StorePlace;
  /** Null: it is the only daemon on its store. */
  readonly cluster: ClusterConfig | null;
  readonly retentionMs: number;
  /** So long, in milliseconds, notices wait for others that go with them; 0: each goes alone. */
  readonly groupWaitMs: number;
  /** A monitor's address and how often it is asked, in milliseconds; null: nobody waits for it. */
  readonly heartbeat: { readonly url: Secret; readonly everyMs: number } | null;
  /** Null: nothing listens. */
  readonly web: WebConfig | null;
  /** The channels that hear of the daemon's own troubles. */
  readonly selfNotify: readonly string[];
  readonly reports: readonly ReportConfig[];
  readonly logLevel: string;
  /** Whether edited files are loaded by themselves, or only when that is asked for. */
  readonly reload: "auto" | "signal";
}

import type { Failure, Notice, RoundRecord } from "../../model/index.ts";

/** What came of one send to a channel. */
export type DeliveryOutcome = "sent" | "retry" | "parked" | "dead";

/** Is told of the daemon's work as it is done, to count it: cheap, and never throws. */
export interface Meter {
  /** A request was sent and has ended; null: with an answer. Retries are requests of their own. */
  request(endpoint: string, failure: Failure["reason"] | null): void;
  round(record: RoundRecord): void;
  /** Notices are owed from now on. */
  notices(notices: readonly Notice[]): void;
  delivery(channel: string, outcome: DeliveryOutcome): void;
  /** So many notices came to nothing while a silence or a mute held them back. */
  dropped(channel: string, count: number): void;
  /** A channel rejects everything or cannot be reached, or works again. */
  parked(channel: string, refuses: boolean): void;
  /** The store refused a commit. */
  refused(): void;
}

/** Nobody looks: nothing is counted. */
export const NO_METER: Meter = {
  request: () => {},
  round: () => {},
  notices: () => {},
  delivery: () => {},
  dropped: () => {},
  parked: () => {},
  refused: () => {},
};

/** What the metrics read of the daemon when they are asked for. */
export interface DaemonView {
  /** The names of those that are configured. */
  channels(): readonly string[];
  rules(): number;
  /** Rules without a round for three of their intervals. */
  lateRules(): number;
  subjects(): number;
  alerts(): AlertCounts;
  /** The date of the newest round that was kept, epoch milliseconds; null: there was none yet. */
  lastRound(): number | null;
  /** Notices that are not delivered yet, by channel. */
  owed(): Promise<ReadonlyMap<string, number>>;
  /** The configuration that runs: when it was loaded, and whether a later one was refused; null: it is never loaded again. */
  configuration(): { readonly loadedAt: number; readonly failure: object | null } | null;
  /** Of the 256 parts of the work those that this daemon has; null: it is the only daemon. */
  slots(): number | null;
  /** Of the endpoints that answered lately, by chain. */
  sourceLags(): readonly SourceLag[];
}

/** How old the newest record is that an endpoint gave of a chain. */
export interface SourceLag {
  readonly endpoint: string;
  /** The chain's name for people; `all` where the endpoint tells of all in one. */
  readonly chain: string;
  readonly seconds: number;
}

export interface AlertCounts {
  readonly ok: number;
  readonly pending: number;
  readonly firing: number;
  readonly recovering: number;
  /** Whose data is missing for so long that it was told; they are in one of the states as well. */
  readonly withoutData: number;
}

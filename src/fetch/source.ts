import type { EndpointName } from "../api/endpoints.ts";
import type { Answer, Ask, Failure, Family } from "../model/index.ts";

/** A place that answers asks. Planning is pure, fetching never rejects. */
export interface Source {
  /**
   * Whether it can be asked for such records at all, as it is configured; of a chain, whether the service
   * says that it has them there.
   */
  serves(record: Ask["record"], chainId?: number): boolean;
  /**
   * Where an ask may be answered, by all that is known of the service, the preferred way first; a source
   * that does not tell has one for each.
   */
  ways?(ask: Pick<Ask, "record" | "instead">): readonly SourceWay[];
  /**
   * The fewest requests for these asks; equal asks must have been made one before. Throws RangeError
   * for histories of more days than can be had at once.
   */
  plan(asks: readonly Ask[]): readonly Request[];
  /**
   * Resolves when the request can be sent, or the signal is aborted. Who has thousands begins each one
   * then, so that no more of them are in memory than are under way.
   */
  room(request: Request, signal: AbortSignal): Promise<void>;
  /**
   * One answer for each ask of the request, in its order. Aborting the signal is `out_of_time`.
   * Requests that share a signal are polled together, and a source may have bounds for them. `round`: one
   * for all that is polled at one date; equal requests of it are sent once.
   */
  fetch(request: Request, signal: AbortSignal, round?: object): Promise<readonly Answer[]>;
  /**
   * How many requests were really sent for the round of this signal, those that were tried again and
   * those for bad ids included; a source without it sends what is planned.
   */
  sent?(signal: AbortSignal): number;
  /** The latest times in records of the last 5 minutes; a source without it knows of none. */
  newestTimes?(): readonly NewestTime[];
  /** Whether the key is good; a Failure when the service did not say. */
  verify(signal: AbortSignal): Promise<"valid" | "invalid" | Failure>;
  close(): Promise<void>;
}

/** The latest time in the records that an endpoint gave of one chain. */
export interface NewestTime {
  readonly endpoint: string;
  /** 0: of all chains in one. */
  readonly chainId: number;
  /** Unix seconds. */
  readonly at: number;
}

/** One of the endpoints that can answer an ask. */
export interface SourceWay {
  readonly family: Family;
  /** The configuration's key for the address. */
  readonly base: string;
  /** Null: it is not configured, and cannot be asked. */
  readonly address: string | null;
}

export interface Request {
  readonly record: Ask["record"];
  /** The endpoint that the source chose. */
  readonly endpoint: EndpointName;
  /** The endpoint's; absent where a source has but one. */
  readonly family?: Family;
  readonly asks: readonly Ask[];
  /** Path and query, without a key. */
  readonly path: string;
}

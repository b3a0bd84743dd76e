import { StoreError } from "../store/store.ts";

/** Another member works now: this one must stop deciding and sending, and may join anew. */
export class BuriedError extends StoreError {
  constructor() {
    super(
      "fenced",
      "another daemon of the cluster has taken over: this one did not answer in time",
    );
  }
}

/** What a member says of itself. */
export interface MemberStatus {
  /** It wants no part of the work at the moment. */
  readonly rests: boolean;
  /** How much of it it is to have beside the others. */
  readonly weight: number;
  /** Why, or what else is to be known; null: nothing is. */
  readonly why: string | null;
  /** What it watches. */
  readonly subjects: number;
  /** The number of the configuration by which it decides; null: by none yet. */
  readonly decides: number | null;
  /** The newest configuration by which it could decide; null: it knows of none. */
  readonly passed: number | null;
  /** Why it could not decide by the newest configuration; null: it could. */
  readonly problem: string | null;
  /** How far the clock of its machine is ahead of the server's, in milliseconds, to the second; 0: less than two. */
  readonly clockMs: number;
  /** Its own files say something older than what it decides by. */
  readonly hasOlderFiles: boolean;
}

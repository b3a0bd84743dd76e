import { HOUR, MINUTE, SECOND } from "../base/duration.ts";

const SHORTEST_WAIT_MS = SECOND;
const LONGEST_WAIT_MS = 10 * MINUTE;
/** A receiver may ask for more patience than we have, but not for more than this. */
const LONGEST_ASKED_MS = HOUR;

/** A channel that refuses is asked again so often: someone may have mended it. */
export const PARKED_WAIT_MS = 10 * MINUTE;

/**
 * Milliseconds to wait after the send number `attempt` (from 1) has failed: 1 s doubling up to 10
 * minutes, of which half is left to chance so that many do not come back at once; never less than
 * what the receiver asked for, of which an hour at most is granted. `random` gives 0 ≤ x < 1.
 */
export function retryWait(attempt: number, askedMs: number | null, random: () => number): number {
  const doubled = SHORTEST_WAIT_MS * 2 ** Math.min(Math.max(attempt, 1), 30);
  const longest = Math.min(doubled, LONGEST_WAIT_MS);
  const wait = Math.round(longest * (0.5 + random() * 0.5));
  return Math.max(wait, Math.min(askedMs ?? 0, LONGEST_ASKED_MS));
}

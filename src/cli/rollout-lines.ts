import { formatDuration } from "../base/duration.ts";
import type { RolloutView } from "../cluster/members-view.ts";

/** Of how many parts the work is. */
const SLOTS = 256;

/** What of the newest configuration is not in force yet, and why. */
export function rolloutLines(rollout: RolloutView | null, now: number): string[] {
  if (rollout === null) return [];
  const { by, at, isBegun, slots, lacking } = rollout;
  const loaded = `a newer configuration, loaded by ${by} ${formatDuration(now - at)} ago,`;
  if (isBegun) return [`${loaded} goes into force: ${slots} of ${SLOTS} parts decide by it`];
  return [`${loaded} is not in force: it waits for ${lacking.join(", ") || "the next look"}`];
}

import { slotFrom } from "../store/postgres/member-access.ts";
import type { ClusterView, Living, Registered } from "./leases.ts";

/** How far the newest configuration is in force. */
export interface Standing {
  readonly newest: Registered;
  /** By which those decide who do; null: nobody ever has. */
  readonly force: Registered | null;
  /** Those who are alive and could not decide by the newest, or have not looked at it yet. */
  readonly lacking: readonly Living[];
  /** The newest goes into force, or may. */
  readonly isDue: boolean;
}

/**
 * A configuration goes into force once all who are alive could decide by it; what has begun goes on whoever comes. Where
 * nobody decides by the one before there is nothing to wait for. Null: there is no configuration yet. Pure.
 */
export function standingOf({ configs, members }: ClusterView): Standing | null {
  const [newest] = configs;
  if (newest === undefined) return null;
  const force = configs.find(({ isBegun }) => isBegun) ?? null;
  const lacking = members.filter(({ passed }) => (passed ?? 0) < newest.number);
  const isDecided = members.some(({ decides }) => decides === force?.number);
  const isDue = newest.isBegun || lacking.length === 0 || !isDecided;
  return { newest, force, lacking, isDue };
}

/** By the hash of a configuration the slots that others decide by it. */
export type BehindSlots = ReadonlyMap<string, ReadonlySet<number>>;

/** Under which those slots are of which nobody knows by what they are decided. */
const UNKNOWN = "";

/**
 * The slots that others may still decide by older configurations than `number`. Who is counted as dead may do so until
 * somebody takes them. Pure.
 */
export function behindOf(
  { leases, configs }: ClusterView,
  id: string,
  number: number,
): BehindSlots {
  const found = new Map<string, Set<number>>();
  for (const { name, owner, decides } of leases) {
    const slot = slotFrom(name);
    if (slot === null || owner === null || owner === id) continue;
    if (decides !== null && decides >= number) continue;
    const hash = configs.find((one) => one.number === decides)?.hash ?? UNKNOWN;
    found.set(hash, (found.get(hash) ?? new Set()).add(slot));
  }
  return found;
}

/** The same text for the same slots. */
export function behindText(behind: BehindSlots): string {
  return [...behind].map(([hash, slots]) => `${hash} ${[...slots].join()}`).join("\n");
}

import { StoreError } from "../store.ts";
import type { Session } from "./session.ts";

/** How the member of a cluster uses the store. */
export interface MemberAccess {
  /** Of this run of it. */
  readonly id: string;
  /** What it decides and sends for at the moment: the names of leases, with the epoch of each. */
  readonly held: () => ReadonlyMap<string, number>;
}

export const KEEPER = "keeper";
export const SLOT_COUNT = 256;

/** How the lease of a slot is called: `s000` to `s255`. */
export function slotName(slot: number): string {
  return `s${String(slot).padStart(3, "0")}`;
}

/** Null: it is the lease of something else. */
export function slotFrom(lease: string): number | null {
  return /^s\d{3}$/.test(lease) ? Number(lease.slice(1)) : null;
}

export function channelLease(channel: string): string {
  return `channel:${channel}`;
}

/**
 * Inside a transaction: these leases are still this member's, and stay so until it ends, since who takes one needs its
 * row. Throws StoreError `fenced`.
 */
export async function checkLeases(
  session: Session,
  { id, held }: MemberAccess,
  isMeant: (lease: string) => boolean,
): Promise<void> {
  const meant = [...held()].filter(([name]) => isMeant(name));
  if (meant.length === 0) return;
  const rows = await session.query<{ name: string; epoch: number }>(
    `SELECT name, epoch FROM leases WHERE owner = $1 AND name = ANY($2::text[])
     ORDER BY name FOR SHARE`,
    [id, meant.map(([name]) => name)],
  );
  const found = new Map(rows.map(({ name, epoch }) => [name, epoch]));
  if (meant.every(([name, epoch]) => found.get(name) === epoch)) return;
  throw new StoreError(
    "fenced",
    "another daemon of the cluster has taken over: this one did not answer in time",
  );
}

/** Whether messages of the channel are this process's to send. */
export function hasChannel(access: MemberAccess | null, channel: string): boolean {
  return access === null || access.held().has(channelLease(channel));
}

/** Inside a transaction: they still are, and stay so until it ends. Throws StoreError `fenced`. */
export async function checkChannel(
  session: Session,
  access: MemberAccess | null,
  channel: string,
): Promise<void> {
  const lease = channelLease(channel);
  if (access !== null) await checkLeases(session, access, (name) => name === lease);
}

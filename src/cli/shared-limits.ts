import { countOf } from "../base/text.ts";
import type { Setup } from "../model/index.ts";
import { StoreError } from "../store/store.ts";

/** The daemons of a cluster that run now, and what they send of requests together. */
export interface AtOnce {
  readonly daemons: number;
  /** So many requests at a time. */
  readonly sends: number;
  /** What is configured. */
  readonly concurrency: number;
}

/** Null: they keep to what is configured, or nobody knows how many there are. */
export async function beyondLimits({ store, cluster, service }: Setup): Promise<AtOnce | null> {
  if (cluster === null || typeof store === "string" || (service.rpc ?? null) !== null) return null;
  const { readCluster } = await import("../cluster/members-view.ts");
  const { placesOf } = await import("../ops/cluster-part.ts");
  const { concurrency } = service;
  try {
    const { members } = await readCluster(store);
    const alive = members.filter(({ leftMs }) => leftMs > 0);
    const sends = alive.reduce((sum, { slots }) => sum + placesOf(concurrency, slots), 0);
    return sends > concurrency ? { daemons: alive.length, sends, concurrency } : null;
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

export function beyondLine({ daemons, sends, concurrency }: AtOnce): string {
  return `${countOf(daemons, "daemon")} of the cluster send up to ${countOf(sends, "request")} at a time, each one at least: more than concurrency: ${concurrency}`;
}

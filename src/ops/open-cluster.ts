import type { ClusterSeat } from "./cluster-seat.ts";
import type { ClusterWork } from "./cluster-work.ts";

/** What is not asked for costs nothing: its code is not even loaded. Null: the daemon is the only one. */
export async function openCluster(seat: ClusterSeat | undefined): Promise<ClusterWork | null> {
  if (seat === undefined) return null;
  const { ClusterWork } = await import("./cluster-work.ts");
  return new ClusterWork(seat);
}

import type { StorePlace } from "../../model/index.ts";
import { openAccess } from "./access.ts";
import { type StatusView, statusView } from "./status-view.ts";

/**
 * Reads how a daemon is from its database; null where there is no database yet. Nothing else of what the commands
 * can do is loaded: a health check asks every minute. Throws StoreError.
 */
export async function readStatus(place: StorePlace): Promise<StatusView | null> {
  if (typeof place !== "string") {
    const { readServerStatus } = await import("../postgres/operator/status.ts");
    return await readServerStatus(place);
  }
  const access = await openAccess(place, false);
  try {
    return access?.read(statusView) ?? null;
  } finally {
    access?.close();
  }
}

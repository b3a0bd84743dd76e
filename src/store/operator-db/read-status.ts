import { realpathSync } from "node:fs";
import type { StorePlace } from "../../model/index.ts";
import { loadDriver } from "../sqlite/driver.ts";
import { isLeased } from "../sqlite/lease.ts";
import { openAccess } from "./open-access.ts";
import { type StatusView, statusView } from "./status-view.ts";

export interface StatusRead {
  /** Null where there is no database yet. */
  readonly seen: StatusView | null;
  /** Whether a daemon holds the database now; null: of a server only the daemons themselves know. */
  readonly runs: boolean | null;
}

/**
 * Reads how a daemon is from its database. Nothing else of what the commands can do is loaded: a health check
 * asks every minute. Throws StoreError.
 */
export async function readStatus(place: StorePlace): Promise<StatusRead> {
  const access = await openAccess(place, false);
  try {
    const seen = (await access?.read(statusView(), true)) ?? null;
    if (typeof place !== "string") return { seen, runs: null };
    const real = access === null ? place : realpathSync(place);
    return { seen, runs: isLeased(await loadDriver(), real) };
  } finally {
    access?.close();
  }
}

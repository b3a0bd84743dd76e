import { storeName } from "../../base/postgres-url.ts";
import type { StorePlace } from "../../model/index.ts";
import { StoreError } from "../store.ts";
import { openOwnSqliteAccess, openSqliteAccess } from "./sqlite-access.ts";
import type { Access } from "./work.ts";

/**
 * Opens the database at `place` without the daemon's lease; with `mayWrite` false nothing can be changed. Null where
 * there is no database yet. Throws StoreError.
 */
export async function openAccess(place: StorePlace, mayWrite: boolean): Promise<Access | null> {
  if (typeof place === "string") return await openSqliteAccess(place, mayWrite);
  const { openServerAccess } = await import("../postgres/operator/access.ts");
  return await openServerAccess(place);
}

/** The same within the daemon that holds the database open. Throws StoreError. */
export async function openOwnAccess(place: StorePlace): Promise<Access> {
  if (typeof place === "string") return await openOwnSqliteAccess(place);
  const access = await openAccess(place, true);
  if (access !== null) return access;
  throw new StoreError("gone", `${storeName(place)} has no tables any more`);
}

import { type PostgresPlace, storeName } from "../../base/postgres-url.ts";
import type { StorePlace } from "../../model/index.ts";
import { StoreError } from "../store.ts";
import { type Access, openAccess, openOwnAccess } from "./access.ts";
import { auditOf } from "./audit.ts";
import { alertCommands, silenceTable } from "./commands.ts";
import { historyOf } from "./history.ts";
import { loadedView } from "./loaded.ts";
import type { OperatorDb } from "./operator-view.ts";
import { outboxOf } from "./outbox.ts";
import { outboxPagesOf } from "./outbox-pages.ts";
import { alertPast } from "./past.ts";
import { promised } from "./promised.ts";
import { reloadRequests } from "./reload.ts";
import { statusView } from "./status-view.ts";
import { toldBy } from "./told.ts";

export type { OperatorDb } from "./operator-view.ts";

/**
 * Opens the database at `place` without the daemon's lease; with `write` false nothing can be changed.
 * Null where there is no database yet. Throws StoreError, and so does the work with it.
 */
export async function openOperatorDb(
  place: StorePlace,
  write: boolean,
): Promise<OperatorDb | null> {
  if (typeof place !== "string") return await openServer(place);
  const access = await openAccess(place, write);
  return access === null ? null : operatorDbOn(access);
}

async function openServer(place: PostgresPlace): Promise<OperatorDb | null> {
  const { openServerDb } = await import("../postgres/operator/operator-db.ts");
  return await openServerDb(place);
}

/** The same within the daemon that holds the database open. Throws StoreError, and so does the work with it. */
export async function openOwnOperatorDb(place: StorePlace): Promise<OperatorDb> {
  if (typeof place === "string") return operatorDbOn(await openOwnAccess(place));
  const opened = await openServer(place);
  if (opened === null) throw new StoreError("gone", `${storeName(place)} has no tables any more`);
  return opened;
}

function operatorDbOn(access: Access): OperatorDb {
  return {
    alerts: promised(alertCommands(access)),
    silences: promised(silenceTable(access)),
    outbox: promised(outboxOf(access)),
    past: promised(alertPast(access)),
    reload: promised(reloadRequests(access)),
    outboxPages: promised(outboxPagesOf(access)),
    history: promised(historyOf(access)),
    audit: promised(auditOf(access)),
    status: async () => access.read(statusView),
    toldBy: async (id) => toldBy(access, id),
    loaded: async (from) => access.read((db) => loadedView(db, from)),
    close: () => access.close(),
  };
}

import type { StorePlace } from "../../model/index.ts";
import { auditOf } from "./audit.ts";
import { alertCommands, silenceTable } from "./commands.ts";
import { historyOf } from "./history.ts";
import { loadedView } from "./loaded.ts";
import { openAccess, openOwnAccess } from "./open-access.ts";
import type { OperatorDb } from "./operator-view.ts";
import { outboxOf } from "./outbox.ts";
import { outboxPagesOf } from "./outbox-pages.ts";
import { alertPast } from "./past.ts";
import { reloadRequests } from "./reload.ts";
import { statusView } from "./status-view.ts";
import { toldBy } from "./told.ts";
import type { Access } from "./work.ts";

export type { OperatorDb } from "./operator-view.ts";

/**
 * Opens the database at `place` without the daemon's lease; with `write` false nothing can be changed.
 * Null where there is no database yet. Throws StoreError, and so does the work with it.
 */
export async function openOperatorDb(
  place: StorePlace,
  write: boolean,
): Promise<OperatorDb | null> {
  const access = await openAccess(place, write);
  return access === null ? null : operatorDbOn(access);
}

/** The same within the daemon that holds the database open. Throws StoreError, and so does the work with it. */
export async function openOwnOperatorDb(place: StorePlace): Promise<OperatorDb> {
  return operatorDbOn(await openOwnAccess(place));
}

function operatorDbOn(access: Access): OperatorDb {
  return {
    alerts: alertCommands(access),
    silences: silenceTable(access),
    outbox: outboxOf(access),
    past: alertPast(access),
    reload: reloadRequests(access),
    outboxPages: outboxPagesOf(access),
    history: historyOf(access),
    audit: auditOf(access),
    status: () => access.read(statusView(), true),
    toldBy: (id) => access.read(toldBy(id)),
    loaded: (from) => access.read(loadedView(from), true),
    close: () => access.close(),
  };
}

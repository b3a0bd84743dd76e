import type { StorePlace } from "../../model/index.ts";
import { type Audit, auditOf } from "./audit.ts";
import { type AlertCommands, alertCommands, type SilenceTable, silenceTable } from "./commands.ts";
import { type History, historyOf } from "./history.ts";
import { type LoadedView, loadedView } from "./loaded.ts";
import { openAccess, openOwnAccess } from "./open-access.ts";
import { type Outbox, outboxOf } from "./outbox.ts";
import { type OutboxPages, outboxPagesOf } from "./outbox-pages.ts";
import { type AlertPast, alertPast } from "./past.ts";
import { type ReloadRequests, reloadRequests } from "./reload.ts";
import { type StatusView, statusView } from "./status-view.ts";
import { type ToldAlert, toldBy } from "./told.ts";
import type { Access } from "./work.ts";

/** What the commands see of a database and write into it, beside a daemon or while there is none. */
export interface OperatorDb {
  readonly alerts: AlertCommands;
  readonly silences: SilenceTable;
  readonly outbox: Outbox;
  readonly past: AlertPast;
  readonly reload: ReloadRequests;
  readonly outboxPages: OutboxPages;
  readonly history: History;
  readonly audit: Audit;
  status(): Promise<StatusView>;
  /** The alerts that a notice or a message is about, by its id. */
  toldBy(id: string): Promise<ToldAlert[]>;
  /** What the daemon runs, with the requests of its rounds since `from`, epoch milliseconds. */
  loaded(from: number): Promise<LoadedView>;
  close(): void;
}

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

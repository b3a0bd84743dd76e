import { type PostgresPlace, storeName } from "../../base/postgres-url.ts";
import type { StorePlace } from "../../model/index.ts";
import { StoreError } from "../store.ts";
import { type Access, openAccess, openOwnAccess } from "./access.ts";
import { type Audit, auditOf } from "./audit.ts";
import { type AlertCommands, alertCommands, type SilenceTable, silenceTable } from "./commands.ts";
import { type History, historyOf } from "./history.ts";
import { type LoadedView, loadedView } from "./loaded.ts";
import { type Outbox, outboxOf } from "./outbox.ts";
import { type OutboxPages, outboxPagesOf } from "./outbox-pages.ts";
import { type AlertPast, alertPast } from "./past.ts";
import { type Promised, promised } from "./promised.ts";
import { type ReloadRequests, reloadRequests } from "./reload.ts";
import { type StatusView, statusView } from "./status-view.ts";
import { type ToldAlert, toldBy } from "./told.ts";

/** What the commands see of a database and write into it, beside a daemon or while there is none. */
export interface OperatorDb {
  readonly alerts: Promised<AlertCommands>;
  readonly silences: Promised<SilenceTable>;
  readonly outbox: Promised<Outbox>;
  readonly past: AlertPast;
  readonly reload: Promised<ReloadRequests>;
  readonly outboxPages: Promised<OutboxPages>;
  readonly history: Promised<History>;
  readonly audit: Promised<Audit>;
  status(): StatusView;
  /** The alerts that a notice or a message is about, by its id. */
  toldBy(id: string): Promise<ToldAlert[]>;
  /** What the daemon runs, with the requests of its rounds since `from`, epoch milliseconds. */
  loaded(from: number): LoadedView;
  close(): void;
}

/** What is most of a database, and what commands look at through `Recorded`. */
const SAMPLES = ["runs", "newest", "revisions", "history_cache"];

/**
 * Opens the database at `place` without the daemon's lease; with `write` false nothing can be changed.
 * Null where there is no database yet. Throws StoreError, and so does the work with it.
 */
export async function openOperatorDb(
  place: StorePlace,
  write: boolean,
): Promise<OperatorDb | null> {
  if (typeof place !== "string") return await openServer(place, write);
  const access = await openAccess(place, write);
  return access === null ? null : operatorDbOn(access);
}

/** Of a PostgreSQL store: what was recorded of the past is seen on a copy of one moment, if nothing is to be written. */
async function openServer(place: PostgresPlace, write: boolean): Promise<OperatorDb | null> {
  const { openServerDb } = await import("../postgres/operator/operator-db.ts");
  const server = await openServerDb(place);
  if (server === null) return null;
  const seen = write ? null : await openAccess(place, false, SAMPLES);
  const copy = seen === null ? NO_PAST : operatorDbOn(seen);
  return {
    ...copy,
    ...server,
    close() {
      server.close();
      seen?.close();
    },
  };
}

/** What is not looked at within a daemon on PostgreSQL, or beside it by who writes. */
const NO_PAST: Pick<OperatorDb, "past" | "status" | "loaded"> = {
  past: refusing(),
  status: notThere,
  loaded: notThere,
};

function notThere(): never {
  throw new StoreError(
    "unwritable",
    "the past of a PostgreSQL store is only shown by commands yet: docs/postgres.md lists them",
  );
}

/** An object of which each method refuses. */
function refusing(): AlertPast {
  const refusal: object = new Proxy({}, { get: () => notThere });
  return refusal as AlertPast;
}

/** The same within the daemon that holds the database open. Throws StoreError, and so does the work with it. */
export async function openOwnOperatorDb(place: StorePlace): Promise<OperatorDb> {
  if (typeof place === "string") return operatorDbOn(await openOwnAccess(place));
  const opened = await openServer(place, true);
  if (opened === null) throw new StoreError("gone", `${storeName(place)} has no tables any more`);
  return opened;
}

function operatorDbOn(access: Access): OperatorDb {
  return {
    alerts: promised(alertCommands(access)),
    silences: promised(silenceTable(access)),
    outbox: promised(outboxOf(access)),
    past: alertPast(access),
    reload: promised(reloadRequests(access)),
    outboxPages: promised(outboxPagesOf(access)),
    history: promised(historyOf(access)),
    audit: promised(auditOf(access)),
    status: () => access.read(statusView),
    toldBy: async (id) => toldBy(access, id),
    loaded: (from) => access.read((db) => loadedView(db, from)),
    close: () => access.close(),
  };
}

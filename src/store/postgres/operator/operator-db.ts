import type { PostgresPlace } from "../../../base/postgres-url.ts";
import type { OperatorDb } from "../../operator-db/operator-view.ts";
import type { ToldAlert } from "../../operator-db/told.ts";
import { openServerAccess, type ServerAccess } from "./access.ts";
import { alertCommands, auditOf, silenceTable } from "./commands.ts";
import { historyOf } from "./history.ts";
import { outboxOf, outboxPagesOf } from "./outbox.ts";
import { alertPast } from "./past.ts";
import { reloadRequests } from "./reload.ts";
import { loadedView, statusView } from "./status.ts";

/** Null where the schema has no tables yet. Throws StoreError, and so does the work with it. */
export async function openServerDb(place: PostgresPlace): Promise<OperatorDb | null> {
  const access = await openServerAccess(place);
  if (access === null) return null;
  return {
    alerts: alertCommands(access),
    silences: silenceTable(access),
    outbox: outboxOf(access),
    outboxPages: outboxPagesOf(access),
    reload: reloadRequests(access),
    audit: auditOf(access),
    history: historyOf(access),
    past: alertPast(access),
    status: () => access.read(statusView, true),
    loaded: (from) => access.read((session) => loadedView(session, from), true),
    toldBy: (id) => toldBy(access, id),
    close: () => access.close(),
  };
}

async function toldBy(access: ServerAccess, id: string): Promise<ToldAlert[]> {
  return await access.read((session) =>
    session.query<ToldAlert>(
      `SELECT rule, subject FROM notices
       WHERE id = $1 AND rule IS NOT NULL AND subject IS NOT NULL
       UNION
       SELECT rule, subject FROM messages JOIN owed ON owed.message = messages.seq
         JOIN notices ON notices.seq = owed.notice
       WHERE messages.id = $1 AND rule IS NOT NULL AND subject IS NOT NULL`,
      [id],
    ),
  );
}

import type { PostgresPlace } from "../../../base/postgres-url.ts";
import type { Audit } from "../../operator-db/audit.ts";
import type { AlertCommands, SilenceTable } from "../../operator-db/commands.ts";
import type { History } from "../../operator-db/history.ts";
import type { Outbox } from "../../operator-db/outbox.ts";
import type { OutboxPages } from "../../operator-db/outbox-pages.ts";
import type { Promised } from "../../operator-db/promised.ts";
import type { ReloadRequests } from "../../operator-db/reload.ts";
import type { ToldAlert } from "../../operator-db/told.ts";
import { openServerAccess, type ServerAccess } from "./access.ts";
import { auditOf } from "./audit.ts";
import { alertCommands, silenceTable } from "./commands.ts";
import { historyOf } from "./history.ts";
import { outboxOf, outboxPagesOf } from "./outbox.ts";
import { reloadRequests } from "./reload.ts";

/** What is asked of the server itself; the rest is seen on a copy of one moment. */
export interface ServerDb {
  readonly alerts: Promised<AlertCommands>;
  readonly silences: Promised<SilenceTable>;
  readonly outbox: Promised<Outbox>;
  readonly outboxPages: Promised<OutboxPages>;
  readonly reload: Promised<ReloadRequests>;
  readonly audit: Promised<Audit>;
  readonly history: Promised<History>;
  toldBy(id: string): Promise<ToldAlert[]>;
  close(): void;
}

/** Null where the schema has no tables yet. Throws StoreError, and so does the work with it. */
export async function openServerDb(place: PostgresPlace): Promise<ServerDb | null> {
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

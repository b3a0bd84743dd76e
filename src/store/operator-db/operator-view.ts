import type { Audit } from "./audit.ts";
import type { AlertCommands, SilenceTable } from "./commands.ts";
import type { History } from "./history.ts";
import type { LoadedView } from "./loaded.ts";
import type { Outbox } from "./outbox.ts";
import type { OutboxPages } from "./outbox-pages.ts";
import type { AlertPast } from "./past.ts";
import type { ReloadRequests } from "./reload.ts";
import type { StatusView } from "./status-view.ts";
import type { ToldAlert } from "./told.ts";

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

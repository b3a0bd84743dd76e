import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { memberStore } from "../cluster/member-store.ts";
import type { StorePlace } from "../model/index.ts";
import { createFailoverStore } from "../store/failover.ts";
import { hasChannel, type MemberAccess } from "../store/postgres/member-access.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import { type Store, StoreError } from "../store/store.ts";

/** How a daemon that is one of several may use the store. */
export interface Tenure {
  /** Its id in the cluster, and what it holds. */
  readonly access: MemberAccess;
  /** It sends nothing that it could not write to the database. */
  readonly holdsSending: boolean;
  /** Resolves while this daemon may decide and send; rejects with StoreError once another one does. */
  readonly mayWork: () => Promise<void>;
}

export interface DaemonStoreParts {
  /** Absent: it is the only one. */
  readonly tenure?: Tenure;
  /** Aborted when the daemon is to stop. */
  readonly stopped: AbortSignal;
  readonly log: Log;
  /** The database cannot be written: memory stands in for it. */
  readonly onOutage: (error: StoreError) => void;
  /** Everything is written. */
  readonly onOver: (lostSamples: boolean) => void;
  /** Another daemon has it, or it is lost: this one must stop. */
  readonly onFatal: (error: StoreError) => void;
}

/**
 * The store of a daemon, which goes on in memory while its database cannot be written: the one at `place`, or the
 * one that is `given`. Throws StoreError.
 */
export async function openDaemonStore(
  place: StorePlace,
  given: Store | undefined,
  { tenure, stopped, log, onOutage, onOver, onFatal }: DaemonStoreParts,
): Promise<Store> {
  const open = async (): Promise<Store> => {
    if (typeof place !== "string") {
      // Who uses SQLite never loads the driver of PostgreSQL.
      const { openPostgresStore } = await import("../store/postgres/store.ts");
      return await openPostgresStore(place, tenure?.access ?? null);
    }
    return await openSqliteStore(place, {
      ending: stopped,
      warn: (message, fields) => log.warn(fields, message),
    });
  };
  const store = createFailoverStore({
    store: given ?? (await open()),
    ...(given === undefined ? { reopen: open } : {}),
    ...(tenure === undefined
      ? {}
      : { isOurs: (channel: string) => hasChannel(tenure.access, channel) }),
    holdsSending: tenure?.holdsSending ?? false,
    clock: systemClock(),
    onOutage: (error) => {
      log.error(
        { err: error },
        "the database cannot be written; a restart would lose recent state",
      );
      onOutage(error);
    },
    onOver: (lostSamples) => {
      log.info({ lostSamples }, "the database is written again; what was kept in memory is in it");
      onOver(lostSamples);
    },
    onTrouble: (error) => {
      log.error({ err: error }, "something kept in memory cannot be written to the database");
      if (error instanceof StoreError) onFatal(error);
    },
  });
  return tenure === undefined ? store : memberStore(store, tenure.mayWork);
}

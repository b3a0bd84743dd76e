import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { SECOND } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import { type PostgresPlace, targetOf } from "../base/postgres-url.ts";
import { connect, type Session } from "../store/postgres/session.ts";

/** What others have written: to which table. `orders` has the commands. */
export type Heard = "orders" | "notices" | "leases" | "configs";

/** A connection that is lost is opened anew after so long, and one that is open is asked whether it still is. */
const EVERY_MS = 5 * SECOND;

/**
 * Hears at once what others write, over a connection of its own. Nobody may rely on it: it may be lost unseen, or be
 * behind something that passes nothing on; what is heard is found by looking as well, a little later.
 */
export class Listener {
  readonly #ending = new AbortController();
  readonly #loop: Promise<void>;

  constructor(
    private readonly place: PostgresPlace,
    private readonly log: Log,
    private readonly heard: (what: Heard) => void,
  ) {
    this.#loop = this.#listen();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#loop;
  }

  async #listen(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      let session: Session | null = null;
      try {
        session = await connect(targetOf(this.place));
        session.onNotification((what) => {
          if (isHeard(what)) this.heard(what);
        });
        await session.query(`LISTEN "${notificationsOf(this.place.schema)}"`);
        while (!signal.aborted && session.isAlive) {
          await pause(EVERY_MS, undefined, { signal }).catch(() => {});
          if (!signal.aborted) await session.query("SELECT 1");
        }
      } catch (error) {
        this.log.debug(
          { err: error },
          "notifications of other daemons are not received; looking every few seconds",
        );
        await pause(EVERY_MS, undefined, { signal }).catch(() => {});
      } finally {
        await session?.end();
      }
    }
  }
}

/** The name under which a schema's tables tell of themselves; see `notifications-table.ts`. */
function notificationsOf(schema: string): string {
  return `tickwatch_${createHash("md5").update(schema).digest("hex")}`;
}

const TABLES: ReadonlySet<string> = new Set<Heard>(["orders", "notices", "leases", "configs"]);

function isHeard(what: string): what is Heard {
  return TABLES.has(what);
}

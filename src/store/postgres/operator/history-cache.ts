import type { PostgresPlace } from "../../../base/postgres-url.ts";
import type { CachedHistory, HistoryCache } from "../../operator-db/cached-history.ts";
import { openServerAccess } from "./access.ts";

/** What was fetched for backtests and is kept in a schema; null: it has no tables yet. Throws StoreError. */
export async function openServerHistoryCache(place: PostgresPlace): Promise<HistoryCache | null> {
  const access = await openServerAccess(place);
  if (access === null) return null;
  return {
    find: async (key) => {
      const [row] = await access.query<CachedHistory>(
        `SELECT first, last, body FROM history_cache WHERE key = $1
           ORDER BY fetched_at DESC LIMIT 1`,
        [key],
      );
      return row ?? null;
    },
    put: (key, { first, last, body }, now) =>
      access.write(async (session) => {
        await session.run("DELETE FROM history_cache WHERE key = $1", [key]);
        // Another backtest may have put the same meanwhile.
        await session.run(
          `INSERT INTO history_cache (key, first, last, fetched_at, body)
           VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (key, first) DO UPDATE SET last = excluded.last,
             fetched_at = excluded.fetched_at, body = excluded.body`,
          [key, first, last, now, body],
        );
      }),
    close: () => access.close(),
  };
}

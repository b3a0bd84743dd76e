import { systemClock } from "../../base/clock.ts";
import type { PostgresPlace } from "../../base/postgres-url.ts";
import type { Change, Command } from "../../model/index.ts";
import { type SilenceRow, silenceOf } from "../command-rows.ts";
import { MOST_CLAIMED, type Store } from "../store.ts";
import { allAlerts, noteAlerts, putAlerts, removeAlerts } from "./alerts.ts";
import { type Connection, openConnection } from "./connection.ts";
import { codeOf } from "./failure.ts";
import {
  allSeries,
  allTexts,
  namesIn,
  namesTable,
  putFacts,
  putSeries,
  putTexts,
} from "./names.ts";
import {
  claimOf,
  freeze,
  heldOf,
  hold,
  owedCounts,
  putNotices,
  readBacklog,
  release,
  settle,
  takenOf,
  wake,
} from "./outbox.ts";
import { prune } from "./prune.ts";
import { allRules, lastWritten, ruleTables } from "./rules.ts";
import {
  dayOf,
  daysOfNewest,
  knownDays,
  newestRuns,
  putRuns,
  rewindRuns,
  windowOf,
} from "./runs.ts";
import type { Session } from "./session.ts";

/** So many series are rewound in one transaction. */
const REWIND_SLICE = 1_000;
/** Days are made before they are needed. */
const DAYS_AHEAD = 3;
/** A row that fits into no partition. */
const NO_PARTITION = "23514";

/**
 * Opens or makes the tables in a schema of PostgreSQL, for this process alone until it is closed or, as the member
 * of a cluster that has taken over under the number `fence`, until another one does. Throws StoreError: `leased`,
 * `newer`, `corrupt` or `unwritable`, and then leaves the schema as it was.
 */
export async function openPostgresStore(
  place: PostgresPlace,
  fence: number | null = null,
): Promise<Store> {
  const connection = await openConnection(place, fence);
  try {
    return await storeOn(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function daysAhead(): number[] {
  const today = dayOf(systemClock().now());
  return Array.from({ length: DAYS_AHEAD + 1 }, (_, ahead) => today + ahead);
}

async function storeOn(connection: Connection): Promise<Store> {
  const names = namesTable();
  const { days, rules } = await connection.read(async (session) => {
    await names.load(session);
    return {
      days: await knownDays(session),
      rules: ruleTables(names, await lastWritten(session)),
    };
  }, true);
  await addDays(daysAhead());

  async function addDays(wanted: Iterable<number>): Promise<void> {
    const missing = [...new Set(wanted)].filter((day) => !days.has(day));
    for (const day of missing) {
      await connection.write("data", (session) =>
        session.query("SELECT add_day_of_runs($1)", [day]),
      );
      days.add(day);
    }
  }

  /** Does what needs a partition for each day of these series and dates; days that were dropped are made again. */
  async function withDays<T>(
    series: readonly number[],
    dates: readonly number[],
    work: () => Promise<T>,
  ): Promise<T> {
    await addDays(dates.map(dayOf));
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== NO_PARTITION) throw error;
      days.clear();
      for (const day of await connection.read(knownDays)) days.add(day);
      const before = await connection.read((session) => daysOfNewest(session, series));
      await addDays([...dates.map(dayOf), ...before]);
      return await work();
    }
  }

  async function commit(change: Change): Promise<void> {
    const work = (): Promise<void> =>
      connection
        .write("data", (session) => {
          // What an attempt before this one has put was not committed.
          names.end(false);
          return apply(session, change);
        })
        .then(
          () => names.end(true),
          (error: unknown) => {
            names.end(false);
            throw error;
          },
        );
    await withDays(
      change.runs.map(({ series }) => series),
      change.runs.map(({ first }) => first),
      work,
    );
  }

  async function apply(session: Session, change: Change): Promise<void> {
    await names.put(session, namesIn(change));
    await putSeries(session, names, change.series);
    await putRuns(session, change.runs);
    await putFacts(session, names, change.facts);
    await putTexts(session, names, "cursors", change.cursors);
    await putTexts(session, names, "marks", change.marks);
    await removeAlerts(session, names, change.gone);
    await putAlerts(session, names, change.alerts);
    await noteAlerts(session, names, change.alertChanges);
    await rules.put(session, change);
    await putNotices(session, change.notices);
    if (change.orders.length > 0) {
      await session.run("UPDATE orders SET done_at = $1 WHERE id = ANY($2::bigint[])", [
        systemClock().now(),
        change.orders,
      ]);
    }
  }

  const { read, write } = {
    read: connection.read.bind(connection),
    write: connection.write.bind(connection),
  };
  return {
    load: () =>
      read(
        async (session) => ({
          alerts: await allAlerts(session, names),
          rules: await allRules(session),
          series: await allSeries(session, names),
          newest: await newestRuns(session),
          cursors: await allTexts(session, names, "cursors"),
          marks: await allTexts(session, names, "marks"),
        }),
        true,
      ),
    window: (wanted, from) => read((session) => windowOf(session, wanted, from), true),
    rewind: async (wanted, now) => {
      for (let start = 0; start < wanted.length; start += REWIND_SLICE) {
        const slice = wanted.slice(start, start + REWIND_SLICE);
        await withDays(slice, [now], () =>
          write("data", (session) => rewindRuns(session, slice, now), true),
        );
      }
    },
    commit,
    claim: (channel, now, most = MOST_CLAIMED) =>
      read((session) => claimOf(session, channel, now, most)),
    freeze: (message, now) => write("outbox", (session) => freeze(session, message, now)),
    settle: (message, result) => write("outbox", (session) => settle(session, message, result)),
    wake: (channel) => write("outbox", (session) => wake(session, channel)),
    hold: (channel, notices, until) =>
      write("outbox", (session) => hold(session, channel, notices, until)),
    held: (channel, now) => read((session) => heldOf(session, channel, now)),
    release: (channel, released) =>
      write("outbox", (session) => release(session, channel, released)),
    mark: (subject) =>
      read(async (session) => {
        const [row] = await session.query<{ value: string }>(
          "SELECT value FROM marks JOIN names ON names.id = subject WHERE names.text = $1",
          [subject],
        );
        return row?.value ?? null;
      }),
    silences: (now) =>
      read(async (session) => {
        const rows = await session.query<SilenceRow>(
          `SELECT id, rule, subjects, labels, starts_at AS "startsAt", ends_at AS "endsAt", author,
             comment, created_at AS "createdAt"
           FROM silences WHERE ends_at > $1 AND starts_at <= $1 ORDER BY id`,
          [now],
        );
        return rows.map(silenceOf);
      }),
    orders: () =>
      read((session) =>
        session.query<Command>(
          `SELECT id, kind, rule, subject, author, comment, at FROM orders
           WHERE done_at IS NULL ORDER BY id`,
        ),
      ),
    taken: (ids) => read(async (session) => new Set(await takenOf(session, ids))),
    owed: () => read(owedCounts),
    backlog: () => read(readBacklog),
    prune: async (before) => {
      await addDays(daysAhead());
      return await prune(connection, before, (day) => days.delete(day));
    },
    close: () => connection.close(),
  };
}

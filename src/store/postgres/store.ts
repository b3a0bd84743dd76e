import { systemClock } from "../../base/clock.ts";
import type { PostgresPlace } from "../../base/postgres-url.ts";
import type { Change, Command } from "../../model/index.ts";
import { backlogOf, SILENCES, type SilenceRow, silenceOf } from "../rows.ts";
import { MOST_CLAIMED, type Store } from "../store.ts";
import {
  alertCounts,
  allAlerts,
  noteAlerts,
  putAlerts,
  removeAlerts,
  sharedAlerts,
} from "./alerts.ts";
import { type Connection, openConnection } from "./connection.ts";
import { codeOf } from "./failure.ts";
import {
  checkChannel,
  checkLeases,
  hasChannel,
  KEEPER,
  type MemberAccess,
  slotFrom,
} from "./member-access.ts";
import { openCommands, tickCommands } from "./member-commands.ts";
import { countOn, memberSeries } from "./member-series.ts";
import {
  allSeries,
  allTexts,
  markOf,
  namesIn,
  namesTable,
  putFacts,
  putSeries,
  putTexts,
} from "./names.ts";
import {
  channelOf,
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
import { allRules, lastRoundsOfSlots, lastWritten, ruleTables } from "./rules.ts";
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
 * Opens or makes the tables in a schema of PostgreSQL, for this process alone until it is closed, or as the member
 * of a cluster, which writes what it holds the leases of. Throws StoreError: `leased`, `newer`, `corrupt` or
 * `unwritable`, and then leaves the schema as it was.
 */
export async function openPostgresStore(
  place: PostgresPlace,
  member: MemberAccess | null = null,
): Promise<Store> {
  const connection = await openConnection(place, member?.id ?? null);
  try {
    return await storeOn(connection, member);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function daysAhead(): number[] {
  const today = dayOf(systemClock().now());
  return Array.from({ length: DAYS_AHEAD + 1 }, (_, ahead) => today + ahead);
}

async function storeOn(connection: Connection, member: MemberAccess | null): Promise<Store> {
  const names = namesTable();
  /** Null: nobody else numbers any. */
  const numbered = member === null ? null : memberSeries();
  const shared = sharedAlerts(names);
  if (member !== null) await connection.write("data", countOn);
  const { days, rules } = await connection.read(async (session) => {
    await names.load(session);
    return {
      days: await knownDays(session),
      rules: ruleTables(names, member === null ? await lastWritten(session) : null),
    };
  }, true);
  await addDays(daysAhead());

  async function addDays(wanted: Iterable<number>): Promise<void> {
    const missing = [...new Set(wanted)].filter((day) => !days.has(day));
    for (const day of missing) {
      await connection.write("data", async (session) => {
        // Two that make the same one get into each other's way.
        await session.query("SELECT pg_advisory_xact_lock(hashtextextended('tickwatch days', 0))");
        await session.query("SELECT add_day_of_runs($1)", [day]);
      });
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
      const before = await connection.read((session) => daysOfNewest(session, idsOf(series)));
      await addDays([...dates.map(dayOf), ...before]);
      return await work();
    }
  }

  async function commit(change: Change): Promise<void> {
    const work = (): Promise<void> =>
      connection
        .write("data", async (session) => {
          // What an attempt before this one has put was not committed.
          end(false);
          await checkSlots(session);
          await apply(session, change);
        })
        .then(
          () => end(true),
          (error: unknown) => {
            end(false);
            throw error;
          },
        );
    await withDays(
      change.runs.map(({ series }) => series),
      change.runs.map(({ first }) => first),
      work,
    );
  }

  function end(isDone: boolean): void {
    names.end(isDone);
    rules.end(isDone);
    numbered?.end(isDone);
  }

  async function checkSlots(session: Session): Promise<void> {
    if (member !== null) await checkLeases(session, member, (name) => slotFrom(name) !== null);
  }

  function idsOf(series: readonly number[]): readonly number[] {
    return numbered === null ? series : series.map((id) => numbered.idOf(id));
  }

  /**
   * Does it with the messages of a channel. Those of another member's are let be: what was sent in its place while
   * the store could not be reached is not written down.
   */
  async function send(channel: string, work: (session: Session) => Promise<void>): Promise<void> {
    if (!hasChannel(member, channel)) return;
    await write("outbox", async (session) => {
      await checkChannel(session, member, channel);
      await work(session);
    });
  }

  async function apply(session: Session, change: Change): Promise<void> {
    await names.put(session, namesIn(change));
    if (numbered === null) await putSeries(session, names, change.series);
    else await numbered.put(session, names, change.series);
    await putRuns(session, numbered?.runsOf(change.runs) ?? change.runs);
    await putFacts(session, names, change.facts);
    await putTexts(session, names, "cursors", change.cursors);
    await putTexts(session, names, "marks", change.marks);
    await removeAlerts(session, names, change.removedAlerts);
    await putAlerts(session, names, await shared.withoutUnheard(session, change.alerts));
    await noteAlerts(session, names, change.alertChanges);
    await rules.put(session, change);
    await putNotices(session, change.notices, member !== null);
    if (change.commandsIn !== undefined) {
      await tickCommands(session, change.commands, change.commandsIn, systemClock().now());
    } else if (change.commands.length > 0) {
      await session.run("UPDATE orders SET done_at = $1 WHERE id = ANY($2::bigint[])", [
        systemClock().now(),
        change.commands,
      ]);
    }
  }

  async function loadedOfMember(session: Session) {
    if (numbered === null) return {};
    // Others have named what they write.
    await names.load(session);
    return { nextSeries: numbered.next(), slotRounds: await lastRoundsOfSlots(session) };
  }

  const { read, write } = {
    read: connection.read.bind(connection),
    write: connection.write.bind(connection),
  };
  return {
    load: () =>
      read(
        async (session) => ({
          ...(await loadedOfMember(session)),
          alerts: await allAlerts(session, names),
          rules: await allRules(session),
          series: await allSeries(session, names),
          newest: await newestRuns(session),
          cursors: await allTexts(session, names, "cursors"),
          marks: await allTexts(session, names, "marks"),
        }),
        true,
      ),
    window: (wanted, from) =>
      read(async (session) => {
        const found = await windowOf(session, idsOf(wanted), from);
        if (numbered === null) return found;
        return new Map(wanted.map((id) => [id, found.get(numbered.idOf(id)) ?? []]));
      }, true),
    rewind: async (wanted, now) => {
      for (let start = 0; start < wanted.length; start += REWIND_SLICE) {
        const slice = wanted.slice(start, start + REWIND_SLICE);
        await withDays(slice, [now], () =>
          write(
            "data",
            async (session) => {
              await checkSlots(session);
              await rewindRuns(session, idsOf(slice), now);
            },
            true,
          ),
        );
      }
    },
    commit,
    claim: async (channel, now, most = MOST_CLAIMED) =>
      hasChannel(member, channel)
        ? await read((session) => claimOf(session, channel, now, most))
        : { kind: "idle", until: null },
    freeze: (message, now) => send(message.channel, (session) => freeze(session, message, now)),
    settle: (message, result) =>
      write("outbox", async (session) => {
        const channel = member === null ? null : await channelOf(session, message);
        if (channel !== null && !hasChannel(member, channel)) return;
        if (channel !== null) await checkChannel(session, member, channel);
        await settle(session, message, result);
      }),
    wake: (channel) => send(channel, (session) => wake(session, channel)),
    hold: (channel, notices, until) =>
      send(channel, (session) => hold(session, channel, notices, until)),
    held: async (channel, now) =>
      hasChannel(member, channel) ? await read((session) => heldOf(session, channel, now)) : [],
    release: (channel, released) => send(channel, (session) => release(session, channel, released)),
    ...(member === null
      ? {}
      : {
          alertsOf: (rule: string) => read((session) => shared.hear(session, rule)),
          alertCounts: (wanted: readonly string[]) =>
            read((session) => alertCounts(session, wanted)),
        }),
    mark: (subject) => read((session) => markOf(session, subject)),
    silences: (now) =>
      read(async (session) => {
        const rows = await session.query<SilenceRow>(
          `${SILENCES} WHERE ends_at > $1 AND starts_at <= $1 ORDER BY id`,
          [now],
        );
        return rows.map(silenceOf);
      }),
    commands: (place) =>
      read((session) =>
        place === undefined
          ? session.query<Command>(
              `SELECT id, kind, rule, subject, author, comment, at FROM orders
               WHERE done_at IS NULL ORDER BY id`,
            )
          : openCommands(session, place),
      ),
    taken: (ids) => read(async (session) => new Set(await takenOf(session, ids))),
    owed: () => read(owedCounts),
    backlog: async () => backlogOf(await read(readBacklog), (name) => hasChannel(member, name)),
    prune: async (before) => {
      await addDays(daysAhead());
      // One of several does it.
      if (member !== null && !member.held().has(KEEPER)) return 0;
      return await prune(connection, before, (day) => days.delete(day));
    },
    close: () => connection.close(),
  };
}

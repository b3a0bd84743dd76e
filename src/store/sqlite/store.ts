import { setImmediate as breathe } from "node:timers/promises";
import { systemClock } from "../../base/clock.ts";
import type { Change, Command } from "../../model/index.ts";
import { SILENCES, type SilenceRow, silenceOf } from "../rows.ts";
import type { Store } from "../store.ts";
import { alertTable } from "./alerts.ts";
import {
  type Connection,
  memoryConnections,
  type OpenOptions,
  openConnection,
} from "./connection.ts";
import { type Database, loadDriver } from "./driver.ts";
import { storeFailure } from "./failure.ts";
import { outbox, readBacklog } from "./outbox.ts";
import { prune } from "./prune.ts";
import { runTable } from "./runs.ts";
import {
  factsTable,
  namesTable,
  revisionTable,
  ruleTables,
  seriesTable,
  subjectTexts,
} from "./watched.ts";

/** So many series are rewound in one transaction. */
const REWIND_SLICE = 1_000;

/**
 * Opens or makes the SQLite database at `path`, for this process alone until it is closed.
 * Throws StoreError: `no_driver`, `leased`, `newer`, `corrupt` or `unwritable`, and then leaves
 * the database as it was.
 */
export async function openSqliteStore(path: string, options: OpenOptions = {}): Promise<Store> {
  const connection = await openConnection(path, options);
  try {
    return sqliteStore(connection);
  } catch (error) {
    connection.close();
    throw storeFailure(error, connection.path);
  }
}

/**
 * Loads SQLite for stores in memory, each of which is empty and forgets everything when the process ends: for
 * `tickwatch test`, for one look at the rules, and while a disk cannot be written. Closing one does nothing,
 * so that a daemon may start on it again. Throws StoreError `no_driver`.
 */
export async function memoryStores(): Promise<() => Store> {
  const open = memoryConnections(await loadDriver());
  return () => sqliteStore(open());
}

/** The store on an open connection, which it closes. */
export function sqliteStore(connection: Connection): Store {
  const { db } = connection;
  const names = namesTable(db);
  const series = seriesTable(db, names);
  const runs = runTable(db);
  const revisions = revisionTable(db);
  const facts = factsTable(db, names);
  const alerts = alertTable(db, names);
  const cursors = subjectTexts(db, names, "cursors");
  const marks = subjectTexts(db, names, "marks");
  const rules = ruleTables(db, names);
  const box = outbox(db);
  const commands = commandTables(db);

  function apply(change: Change): void {
    names.begin();
    for (const name of change.series) series.put(name);
    runs.put(change.runs);
    revisions.put(change.runs);
    for (const one of change.facts) facts.put(one);
    for (const cursor of change.cursors) cursors.put(cursor);
    for (const mark of change.marks) marks.put(mark);
    for (const alert of change.removedAlerts) alerts.remove(alert);
    for (const alert of change.alerts) alerts.put(alert);
    for (const one of change.alertChanges) alerts.note(one);
    for (const name of change.removedRules) rules.remove(name);
    for (const closed of change.closed) rules.close(closed);
    for (const rule of change.rules) rules.put(rule);
    for (const version of change.versions) rules.putVersion(version);
    for (const one of change.ruleChanges) rules.note(one);
    box.put(change.notices);
    commands.carryOut(change.commands, systemClock().now());
    if (change.round !== null) rules.putRound(change.round);
  }

  return {
    load: () =>
      connection.read(() => ({
        alerts: alerts.all(),
        rules: rules.all(),
        series: series.all(),
        newest: runs.newest(),
        cursors: cursors.all(),
        marks: marks.all(),
      })),
    window: (wanted, from) => connection.read(() => runs.window(wanted, from)),
    rewind: async (wanted, now) => {
      for (let start = 0; start < wanted.length; start += REWIND_SLICE) {
        const slice = wanted.slice(start, start + REWIND_SLICE);
        await connection.write(() => runs.rewind(slice, now));
        await breathe();
      }
    },
    commit: (change) =>
      connection.write(
        () => apply(change),
        () => names.undo(),
      ),
    claim: (...asked) => connection.read(() => box.claim(...asked)),
    freeze: (message, now) => connection.write(() => box.freeze(message, now)),
    settle: (message, result) => connection.write(() => box.settle(message, result)),
    wake: (channel) => connection.write(() => box.wake(channel)),
    hold: (channel, notices, until) => connection.write(() => box.hold(channel, notices, until)),
    held: (channel, now) => connection.read(() => box.held(channel, now)),
    release: (channel, released) => connection.write(() => box.release(channel, released)),
    mark: (subject) => connection.read(() => marks.find(subject)),
    silences: (now) => connection.read(() => commands.silences(now)),
    commands: () => connection.read(() => commands.open()),
    backlog: () => connection.read(() => readBacklog(db)),
    taken: (ids) => connection.read(() => box.taken(ids)),
    owed: () => connection.read(() => box.owed()),
    prune: (before) => connection.read(() => prune(connection, before)),
    close: () => connection.read(() => connection.close()),
  };
}

/** What people have told the daemon; they write it beside it. */
function commandTables(db: Database) {
  const inForce = db.prepare<[number, number], SilenceRow>(
    `${SILENCES} WHERE ends_at > ? AND starts_at <= ? ORDER BY id`,
  );
  const open = db.prepare<[], Command>(
    `SELECT id, kind, rule, subject, author, comment, at FROM orders
     WHERE done_at IS NULL ORDER BY id`,
  );
  const done = db.prepare<[number, number]>("UPDATE orders SET done_at = ? WHERE id = ?");
  return {
    silences: (now: number) => inForce.all(now, now).map(silenceOf),
    open: () => open.all(),
    /** Inside a transaction. */
    carryOut(ids: readonly number[], at: number) {
      for (const id of ids) done.run(at, id);
    },
  };
}

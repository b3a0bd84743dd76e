import { setImmediate as breathe } from "node:timers/promises";
import { CHUNK, FEW, MANY_LISTS, OLD_FACTS, STEPS } from "../prune-steps.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./driver.ts";

/**
 * Deletes what ended before `before` in transactions of at most CHUNK rows, with a turn of the
 * event loop between them. Counts runs, rounds, messages, notices, changes of alerts and rules, silences
 * and commands.
 *
 * Runs: those whose `last` is earlier, except the newest of each series (that one is in a table
 * of its own). A run that ended before began before, so the key (first, series) bounds the
 * search; only runs that began before and reach beyond are looked at in vain.
 */
export async function prune(connection: Connection, before: number): Promise<number> {
  const { db } = connection;
  const endOfChunk = db.prepare<[number, number, number], { first: number; series: number }>(
    `SELECT first, series FROM runs WHERE (first, series) > (?, ?) AND first < ?
     ORDER BY first, series LIMIT 1 OFFSET ${CHUNK - 1}`,
  );
  const deleteRuns = db.prepare<[number, number, number, number, number]>(
    `DELETE FROM runs WHERE (first, series) > (?, ?) AND (first, series) <= (?, ?) AND last < ?`,
  );

  let deleted = 0;
  let from = { first: Number.MIN_SAFE_INTEGER, series: 0 };
  for (let more = true; more && !connection.isEnding(); await breathe()) {
    const end = endOfChunk.get(from.first, from.series, before);
    const to = end ?? { first: before, series: -1 };
    const { first, series } = from;
    deleted += await connection.write(
      () => deleteRuns.run(first, series, to.first, to.series, before).changes,
    );
    from = to;
    more = end !== undefined;
  }

  const steps = [deleteMessages(db), ...STEPS.map((sql) => deleting(db, sql))];
  for (const step of steps) {
    for (let changes = CHUNK; changes === CHUNK && !connection.isEnding(); await breathe()) {
      changes = await connection.write(() => step(before));
      deleted += changes;
    }
  }
  // The next start goes on with it.
  if (connection.isEnding()) return deleted;
  const few = FEW.map((sql) => deleting(db, sql));
  deleted += await connection.write(() => few.reduce((sum, step) => sum + step(before), 0));
  await connection.write(() => deleting(db, OLD_FACTS)(before));
  await connection.write(() => deleteRuleSets(db));
  return deleted;
}

/**
 * What rounds read that are no longer kept, and lists of rules that say nothing more: of no round that is kept,
 * and older than each rule's own row or, where there are many, than another list for each of its rules.
 */
function deleteRuleSets(db: Database): void {
  db.exec(
    `DELETE FROM closed_rounds WHERE written < (SELECT min(written) FROM rules);
     DELETE FROM closed_rounds
     WHERE (SELECT count(*) FROM closed_rounds) > ${MANY_LISTS} AND written NOT IN (
       SELECT max(written) FROM closed_rounds JOIN rule_sets ON hash = rule_set
       JOIN json_each(names) GROUP BY value
     );
     DELETE FROM rule_sets
     WHERE NOT EXISTS (SELECT 1 FROM rounds WHERE rounds.rule_set = rule_sets.hash)
       AND NOT EXISTS (SELECT 1 FROM closed_rounds WHERE closed_rounds.rule_set = rule_sets.hash);
     DELETE FROM round_reads
     WHERE NOT EXISTS (SELECT 1 FROM rounds WHERE rounds.reads = round_reads.id)`,
  );
}

/** Deletes and returns how many. */
type Step = (before: number) => number;

function deleting(db: Database, sql: string): Step {
  const statement = db.prepare<[{ readonly 1: number }]>(sql);
  return (before) => statement.run({ 1: before }).changes;
}

function deleteMessages(db: Database): Step {
  const settled = db
    .prepare<[number], number>(`SELECT seq FROM messages WHERE settled_at < ? LIMIT ${CHUNK}`)
    .pluck();
  const deleteOwed = db.prepare<[number]>("DELETE FROM owed WHERE message = ?");
  const deleteMessage = db.prepare<[number]>("DELETE FROM messages WHERE seq = ?");
  return (before) => {
    const messages = settled.all(before);
    for (const seq of messages) {
      deleteOwed.run(seq);
      deleteMessage.run(seq);
    }
    return messages.length;
  };
}

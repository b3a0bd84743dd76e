import { setImmediate as breathe } from "node:timers/promises";
import type { Connection } from "./connection.ts";
import type { Database } from "./driver.ts";

/** Rows that one transaction deletes or looks at; it takes a few milliseconds. */
const CHUNK = 5_000;

/**
 * Deletes what ended before `before` in transactions of at most CHUNK rows, with a turn of the
 * event loop between them. Counts runs, rounds, messages, notices, changes of alerts and rules, silences
 * and orders.
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

  // What refers to something goes before it: messages before the notices that they delivered.
  const steps = [
    deleteMessages(db),
    deleteNotices(db),
    deleteRounds(db),
    deleteChanges(db),
    deleteRevisions(db),
    deleteCached(db),
  ];
  for (const step of steps) {
    for (let changes = CHUNK; changes === CHUNK && !connection.isEnding(); await breathe()) {
      changes = await connection.write(() => step(before));
      deleted += changes;
    }
  }
  // The next start goes on with it.
  if (connection.isEnding()) return deleted;
  deleted += await connection.write(() => deleteCommands(db, before));
  await connection.write(() => deleteFacts(db, before));
  await connection.write(() => deleteRuleSets(db));
  return deleted;
}

/** What was so of subjects at other times, but for what held then: it may hold still. */
function deleteFacts(db: Database, before: number): void {
  db.prepare<[number, number]>(
    `DELETE FROM subject_facts WHERE at < ? AND EXISTS (
       SELECT 1 FROM subject_facts AS later
       WHERE later.subject = subject_facts.subject AND later.at > subject_facts.at AND later.at < ?)`,
  ).run(before, before);
}

/** Of rules that are due in ever other company there are many; finding those that count takes a while. */
const MANY_LISTS = 100;

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

/** Deletes at most CHUNK and returns how many. */
type Step = (before: number) => number;

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

function deleteNotices(db: Database): Step {
  const statement = db.prepare<[number]>(
    `DELETE FROM notices WHERE seq IN (
       SELECT seq FROM notices
       WHERE at < ? AND NOT EXISTS (SELECT 1 FROM owed WHERE owed.notice = notices.seq)
       LIMIT ${CHUNK})`,
  );
  return (before) => statement.run(before).changes;
}

/** What became of alerts, but for what an alert that is still watched was at that time. */
function deleteChanges(db: Database): Step {
  const statement = db.prepare<[number, number]>(
    `DELETE FROM alert_changes WHERE seq IN (
       SELECT seq FROM alert_changes AS old WHERE at < ? AND (
         EXISTS (SELECT 1 FROM alert_changes AS later WHERE later.rule = old.rule
           AND later.subject = old.subject AND later.seq > old.seq AND later.at < ?)
         OR NOT EXISTS (SELECT 1 FROM alerts WHERE alerts.rule = old.rule AND alerts.subject = old.subject)
       ) LIMIT ${CHUNK})`,
  );
  return (before) => statement.run(before, before).changes;
}

/** Silences that are over, orders that were carried out, edits of rules: people write them, so there are few. */
function deleteCommands(db: Database, before: number): number {
  const silences = db.prepare<[number]>("DELETE FROM silences WHERE ends_at < ?").run(before);
  const orders = db.prepare<[number]>("DELETE FROM orders WHERE done_at < ?").run(before);
  // Which version a rule has been since then is still asked for.
  const rules = db
    .prepare<[number]>(
      `DELETE FROM rule_changes WHERE at < ? AND EXISTS (
         SELECT 1 FROM rule_changes AS later
         WHERE later.rule = rule_changes.rule AND later.seq > rule_changes.seq)`,
    )
    .run(before);
  const deeds = db.prepare<[number]>("DELETE FROM audit WHERE at < ?").run(before);
  return silences.changes + orders.changes + rules.changes + deeds.changes;
}

function deleteRevisions(db: Database): Step {
  const statement = db.prepare<[number]>(
    `DELETE FROM revisions WHERE (at, series, first) IN (
       SELECT at, series, first FROM revisions WHERE at < ? LIMIT ${CHUNK})`,
  );
  return (before) => statement.run(before).changes;
}

/** Histories that were fetched long ago: a few large rows. */
function deleteCached(db: Database): Step {
  const statement = db.prepare<[number]>("DELETE FROM history_cache WHERE fetched_at < ?");
  return (before) => (statement.run(before).changes > 0 ? 1 : 0);
}

function deleteRounds(db: Database): Step {
  const statement = db.prepare<[number]>(
    `DELETE FROM rounds WHERE date IN (SELECT date FROM rounds WHERE date < ? LIMIT ${CHUNK})`,
  );
  return (before) => statement.run(before).changes;
}

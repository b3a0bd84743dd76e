import { setTimeout as delay } from "node:timers/promises";
import { CHUNK, FEW, MANY_LISTS, OLD_FACTS, STEPS } from "../prune-steps.ts";
import type { Connection } from "./connection.ts";
import { codeOf } from "./failure.ts";
import { dayOf, knownDays } from "./runs.ts";
import { type Session, STATEMENT_MS } from "./session.ts";

/**
 * Deletes what ended before `before`, in short transactions. Counts runs, rounds, messages, notices, changes of
 * alerts and rules, silences and commands. A day of runs of which all have ended goes as a whole. `dropped` is told
 * of each.
 */
export async function prune(
  connection: Connection,
  before: number,
  dropped: (day: number) => void,
): Promise<number> {
  let deleted = 0;
  for (const day of [...(await connection.read(knownDays, true))].toSorted((a, b) => a - b)) {
    if (day <= dayOf(before)) deleted += await pruneDay(connection, day, before, dropped);
  }
  for (const sql of [MESSAGES, ...STEPS]) {
    for (let changes = CHUNK; changes >= CHUNK; ) {
      changes = await connection.write("data", (session) => session.run(sql, [before]));
      deleted += changes;
    }
  }
  for (const sql of [...FEW, SLOT_ROUNDS]) {
    deleted += await connection.write("data", (session) => session.run(sql, [before]));
  }
  await connection.write("data", (session) => session.run(OLD_FACTS, [before]));
  await connection.write("data", deleteRuleSets, true);
  return deleted;
}

const DAY_MS = 86_400_000;

async function pruneDay(
  connection: Connection,
  day: number,
  before: number,
  dropped: (day: number) => void,
): Promise<number> {
  const [from, to] = [day * DAY_MS, (day + 1) * DAY_MS];
  const { ended, isOver, mayGrow } = await connection.write(
    "data",
    async (session) => {
      // The newest run of a series comes to the others of its day at any moment.
      const [newest] = await session.query<{ found: boolean }>(
        "SELECT EXISTS (SELECT 1 FROM newest WHERE first >= $1 AND first < $2) AS found",
        [from, to],
      );
      const [row] = await session.query<{ all: number; ended: number }>(
        `SELECT count(*) AS all, count(*) FILTER (WHERE last < $3) AS ended
         FROM runs WHERE first >= $1 AND first < $2`,
        [from, to, before],
      );
      const counted = row ?? { all: 0, ended: 0 };
      const known = {
        ended: counted.ended,
        isOver: counted.all === counted.ended && to <= before,
        mayGrow: newest?.found === true,
      };
      if (counted.ended > 0 && (known.mayGrow || !known.isOver)) {
        await session.run("DELETE FROM runs WHERE first >= $1 AND first < $2 AND last < $3", [
          from,
          to,
          before,
        ]);
      }
      return known;
    },
    true,
  );
  if (!isOver) return ended;
  for (let tries = 1; tries <= LOCK_TRIES; tries += 1) {
    if (await connection.write("data", (session) => dropDay(session, day, mayGrow))) {
      dropped(day);
      break;
    }
    await delay(LOCK_PAUSE_MS);
  }
  return ended;
}

/**
 * Dropping a day locks out all who read or write runs, and whoever waits for that lock holds up all who come later. So
 * nobody waits: where a backup or a commit is at it, it is tried again, and once more with the next pruning.
 */
const LOCK_TRIES = 20;
const LOCK_PAUSE_MS = 50;
/** Looking whether a day is empty locks everybody out for so long at most. */
const LOOK_MS = 500;

/** False: somebody is at the runs. `mustLook`: a run may have come since those of the day were counted. */
async function dropDay(session: Session, day: number, mustLook: boolean): Promise<boolean> {
  await session.query("SAVEPOINT unlocked");
  try {
    await session.query("LOCK TABLE ONLY runs IN ACCESS EXCLUSIVE MODE NOWAIT");
    if (!mustLook || (await isEmpty(session, day))) {
      await session.query("SELECT drop_day_of_runs($1)", [day]);
      return true;
    }
  } catch (error) {
    if (!GIVEN_UP.has(codeOf(error) ?? "")) throw error;
  }
  await session.query("ROLLBACK TO unlocked");
  return false;
}

async function isEmpty(session: Session, day: number): Promise<boolean> {
  await session.query(`SET LOCAL statement_timeout = ${LOOK_MS}`);
  const found = await session.query("SELECT 1 FROM runs WHERE first >= $1 AND first < $2 LIMIT 1", [
    day * DAY_MS,
    (day + 1) * DAY_MS,
  ]);
  await session.query(`SET LOCAL statement_timeout = ${STATEMENT_MS}`);
  return found.length === 0;
}

/** The lock is not to be had at once, or the statement took too long. */
const GIVEN_UP = new Set(["55P03", "57014"]);

const OLD_MESSAGE = `SELECT seq FROM messages WHERE settled_at < $1 ORDER BY seq LIMIT ${CHUNK}`;
/** Counted are the messages. */
const MESSAGES = `WITH old AS (${OLD_MESSAGE}),
  freed AS (DELETE FROM owed WHERE message IN (SELECT seq FROM old))
  DELETE FROM messages WHERE seq IN (SELECT seq FROM old)`;
/** A rule that is due more seldom has its last round with the others. */
const SLOT_ROUNDS = "DELETE FROM slot_rounds WHERE date < $1";

/**
 * What rounds read that are no longer kept, and lists of rules that say nothing more: of no round that is kept,
 * and older than each rule's own row or, where there are many, than another list for each of its rules.
 */
async function deleteRuleSets(session: Session): Promise<void> {
  await session.run("DELETE FROM closed_rounds WHERE written < (SELECT min(written) FROM rules)");
  await session.run(
    `DELETE FROM closed_rounds
     WHERE (SELECT count(*) FROM closed_rounds) > ${MANY_LISTS} AND written NOT IN (
       SELECT max(written) FROM closed_rounds JOIN rule_sets ON hash = rule_set,
         json_array_elements_text(names) AS one (name) GROUP BY one.name)`,
  );
  await session.run(
    `DELETE FROM rule_sets
     WHERE NOT EXISTS (SELECT 1 FROM rounds WHERE rounds.rule_set = rule_sets.hash)
       AND NOT EXISTS (SELECT 1 FROM closed_rounds WHERE closed_rounds.rule_set = rule_sets.hash)
       AND NOT EXISTS (SELECT 1 FROM slot_rounds WHERE slot_rounds.rule_set = rule_sets.hash)`,
  );
  await session.run(
    `DELETE FROM round_reads
     WHERE NOT EXISTS (SELECT 1 FROM rounds WHERE rounds.reads = round_reads.id)`,
  );
}

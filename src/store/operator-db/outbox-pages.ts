import type { Database } from "../sqlite/driver.ts";
import type { Access } from "./access.ts";
import type { StoredAttempt } from "./history.ts";
import { DROPPED, LETTERS, OF_CHANNEL } from "./outbox.ts";
import { entries, type OutboxEntry, owedEntries } from "./outbox-entries.ts";

/** The outbox a page at a time, however much is in it. */
export interface OutboxPages {
  /** What is still to be delivered, messages first, of one channel or of all (null). */
  open(channel: string | null, after: number, most: number): OutboxEntry[];
  /** Dead letters, the newest first. */
  dead(channel: string | null, after: number, most: number): OutboxEntry[];
  /** How many there are of either. */
  total(list: "open" | "dead"): number;
  /** Dead letters of a channel, or of all (null), but those that were dropped by hand. */
  letters(channel: string | null): number;
  /** Of each channel with a message that waits for a retry the first one. */
  stuck(): OutboxEntry[];
  /** By channel; one without anything is absent. */
  counts(): ReadonlyMap<string, OutboxCounts>;
  /** The newest send of each channel that is among the newest messages. */
  lastAttempts(): ReadonlyMap<string, StoredAttempt>;
}

export interface OutboxCounts {
  /** Notices that are still to be delivered, and those of them that a silence or a mute holds back. */
  readonly owed: number;
  readonly held: number;
  readonly dead: number;
}

/** Older messages say nothing of how a channel is. */
const RECENT_MESSAGES = 2_000;

export function outboxPagesOf(access: Access): OutboxPages {
  return {
    open: (channel, after, most) =>
      access.read((db) => {
        const found = entries(
          db,
          `WHERE settled_at IS NULL ${OF_CHANNEL} ORDER BY channel, seq LIMIT ? OFFSET ?`,
          channel,
          channel,
          most,
          after,
        );
        const left = most - found.length;
        if (left <= 0) return found;
        const messages = db
          .prepare<[string | null, string | null], number>(
            `SELECT count(*) FROM messages WHERE settled_at IS NULL ${OF_CHANNEL}`,
          )
          .pluck();
        const before = messages.get(channel, channel) ?? 0;
        return [...found, ...owedEntries(db, channel, Math.max(0, after - before), left)];
      }),
    dead: (channel, after, most) =>
      access.read((db) =>
        entries(
          db,
          `WHERE settled_at IS NOT NULL AND state = 'dead' ${OF_CHANNEL}
           ORDER BY settled_at DESC, seq DESC LIMIT ? OFFSET ?`,
          channel,
          channel,
          most,
          after,
        ),
      ),
    total: (list) => access.read((db) => countOf(db, TOTAL[list])),
    letters: (channel) =>
      access.read((db) =>
        countOf(db, `SELECT count(*) FROM messages WHERE ${LETTERS} ${OF_CHANNEL}`, [
          DROPPED,
          channel,
          channel,
        ]),
      ),
    stuck: () => access.read((db) => entries(db, STUCK)),
    counts: () => access.read(countsOf),
    lastAttempts: () =>
      access.read((db) => {
        const rows = db
          .prepare<[], StoredAttempt>(
            `SELECT recent.channel, number, at, outcome, answer, attempts.until
             FROM (SELECT seq, channel FROM messages ORDER BY seq DESC LIMIT ${RECENT_MESSAGES}) AS recent
               JOIN attempts ON attempts.message = recent.seq ORDER BY at`,
          )
          .all();
        return new Map(rows.map((row) => [row.channel, row]));
      }),
  };
}

/** In the words of both databases. */
export const TOTAL = {
  open: `SELECT (SELECT count(*) FROM messages WHERE settled_at IS NULL)
    + (SELECT count(*) FROM owed WHERE message IS NULL) AS count`,
  dead: "SELECT count(*) AS count FROM messages WHERE settled_at IS NOT NULL AND state = 'dead'",
};
export const STUCK = `WHERE seq IN (
  SELECT min(seq) FROM messages WHERE settled_at IS NULL AND state = 'waiting' GROUP BY channel)`;

function countOf(db: Database, sql: string, values: readonly (string | null)[] = []): number {
  return (
    db
      .prepare<(string | null)[], number>(sql)
      .pluck()
      .get(...values) ?? 0
  );
}

function countsOf(db: Database): ReadonlyMap<string, OutboxCounts> {
  const found = new Map<string, OutboxCounts>();
  const add = (sql: string, part: "owed" | "held" | "dead"): void => {
    for (const [channel, count] of db.prepare<[], [string, number]>(sql).raw().all()) {
      const known = found.get(channel) ?? { owed: 0, held: 0, dead: 0 };
      found.set(channel, { ...known, [part]: known[part] + count });
    }
  };
  add("SELECT channel, count(*) FROM owed WHERE message IS NULL GROUP BY channel", "owed");
  add(
    `SELECT messages.channel, count(*) FROM messages JOIN owed ON owed.message = messages.seq
     WHERE settled_at IS NULL GROUP BY messages.channel`,
    "owed",
  );
  add(
    `SELECT channel, count(*) FROM owed
     WHERE held_until IS NOT NULL AND message IS NULL GROUP BY channel`,
    "held",
  );
  add(
    `SELECT channel, count(*) FROM messages
     WHERE settled_at IS NOT NULL AND state = 'dead' GROUP BY channel`,
    "dead",
  );
  return found;
}

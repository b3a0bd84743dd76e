import type { StoredAttempt } from "./history.ts";
import { letters } from "./outbox.ts";
import { entries, type OutboxEntry, owedEntries } from "./outbox-entries.ts";
import { type Access, query, value, type Work } from "./work.ts";

/** The outbox a page at a time, however much is in it. */
export interface OutboxPages {
  /** What is still to be delivered, messages first, of one channel or of all (null). */
  open(channel: string | null, after: number, most: number): Promise<OutboxEntry[]>;
  /** Dead letters, the newest first. */
  dead(channel: string | null, after: number, most: number): Promise<OutboxEntry[]>;
  /** How many there are of either. */
  total(list: "open" | "dead"): Promise<number>;
  /** Dead letters of a channel, or of all (null), but those that were dropped by hand. */
  letters(channel: string | null): Promise<number>;
  /** Of each channel with a message that waits for a retry the first one. */
  stuck(): Promise<OutboxEntry[]>;
  /** By channel; one without anything is absent. */
  counts(): Promise<ReadonlyMap<string, OutboxCounts>>;
  /** The newest send of each channel that is among the newest messages. */
  lastAttempts(): Promise<ReadonlyMap<string, StoredAttempt>>;
}

export interface OutboxCounts {
  /** Notices that are still to be delivered, and those of them that a silence or a mute holds back. */
  readonly owed: number;
  readonly held: number;
  readonly dead: number;
}

export function outboxPagesOf(access: Access): OutboxPages {
  return {
    open: (...page) => access.read(open(...page)),
    dead: (...page) => access.read(entries(DEAD, page)),
    total: async (list) => (await access.read(value<number>(TOTAL[list]))) ?? 0,
    letters: (channel) => access.read(letters(channel)),
    stuck: () => access.read(entries(STUCK)),
    counts: () => access.read(counts()),
    lastAttempts: () => access.read(lastAttempts()),
  };
}

const OPEN = "WHERE settled_at IS NULL AND (CAST($1 AS text) IS NULL OR channel = $1)";

const DEAD = `WHERE settled_at IS NOT NULL AND state = 'dead'
    AND (CAST($1 AS text) IS NULL OR channel = $1)
  ORDER BY settled_at DESC, seq DESC LIMIT $3 OFFSET $2`;

const TOTAL = {
  open: `SELECT (SELECT count(*) FROM messages WHERE settled_at IS NULL)
    + (SELECT count(*) FROM owed WHERE message IS NULL) AS count`,
  dead: "SELECT count(*) AS count FROM messages WHERE settled_at IS NOT NULL AND state = 'dead'",
};

const STUCK = `WHERE seq IN (
  SELECT min(seq) FROM messages WHERE settled_at IS NULL AND state = 'waiting' GROUP BY channel)`;

function* open(channel: string | null, after: number, most: number): Work<OutboxEntry[]> {
  const found = yield* entries(`${OPEN} ORDER BY channel COLLATE "C", seq LIMIT $2 OFFSET $3`, [
    channel,
    most,
    after,
  ]);
  const left = most - found.length;
  if (left <= 0) return found;
  const sql = `SELECT count(*) AS count FROM messages ${OPEN}`;
  const messages = (yield* value<number>(sql, [channel])) ?? 0;
  return [...found, ...(yield* owedEntries(channel, Math.max(0, after - messages), left))];
}

interface PartCount {
  readonly channel: string;
  readonly part: keyof OutboxCounts;
  readonly count: number;
}

function* counts(): Work<ReadonlyMap<string, OutboxCounts>> {
  const rows = yield* query<PartCount>(
    `SELECT channel, 'owed' AS part, count(*) AS count FROM owed
     WHERE message IS NULL GROUP BY channel
     UNION ALL
     SELECT messages.channel, 'owed', count(*) FROM messages JOIN owed ON owed.message = messages.seq
     WHERE settled_at IS NULL GROUP BY messages.channel
     UNION ALL
     SELECT channel, 'held', count(*) FROM owed
     WHERE held_until IS NOT NULL AND message IS NULL GROUP BY channel
     UNION ALL
     SELECT channel, 'dead', count(*) FROM messages
     WHERE settled_at IS NOT NULL AND state = 'dead' GROUP BY channel`,
  );
  const found = new Map<string, OutboxCounts>();
  for (const { channel, part, count } of rows) {
    const known = found.get(channel) ?? { owed: 0, held: 0, dead: 0 };
    found.set(channel, { ...known, [part]: known[part] + count });
  }
  return found;
}

/** Older messages say nothing of how a channel is. */
const RECENT_MESSAGES = 2_000;

function* lastAttempts(): Work<ReadonlyMap<string, StoredAttempt>> {
  const rows = yield* query<StoredAttempt>(
    `SELECT recent.channel, number, at, outcome, answer, attempts.until
     FROM (SELECT seq, channel FROM messages ORDER BY seq DESC LIMIT ${RECENT_MESSAGES}) AS recent
       JOIN attempts ON attempts.message = recent.seq ORDER BY at`,
  );
  return new Map(rows.map((row) => [row.channel, row]));
}

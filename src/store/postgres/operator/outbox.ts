import { messageId } from "../../../base/text.ts";
import type { StoredAttempt } from "../../operator-db/history.ts";
import { DROPPED, type Outbox } from "../../operator-db/outbox.ts";
import {
  type MessageRow,
  type NoticeRow,
  noticeOf,
  type OutboxEntry,
  type OutboxNotice,
  type OwedRow,
  owedEntry,
} from "../../operator-db/outbox-entries.ts";
import {
  type OutboxCounts,
  type OutboxPages,
  STUCK,
  TOTAL,
} from "../../operator-db/outbox-pages.ts";
import type { Promised } from "../../operator-db/promised.ts";
import type { Session } from "../session.ts";
import type { ServerAccess } from "./access.ts";
import { noteDeed } from "./commands.ts";

const NOTICE = `notices.id, notices.kind, notices.rule, notices.subject, notices.at,
  notices.body ->> 'severity' AS severity, notices.body ->> 'headline' AS headline,
  coalesce(notices.body ->> 'labels', '{}') AS labels`;

/** The messages that `where` selects, in its order. */
async function entries(
  session: Session,
  where: string,
  values: readonly unknown[] = [],
): Promise<OutboxEntry[]> {
  const rows = await session.query<MessageRow>(
    `SELECT seq, id, channel, state, attempts, until, error, created_at AS since,
       settled_at AS "settledAt" FROM messages ${where}`,
    values,
  );
  const notices = await session.query<NoticeRow & { readonly message: number }>(
    `SELECT owed.message, ${NOTICE} FROM owed JOIN notices ON notices.seq = owed.notice
     WHERE owed.message = ANY($1::bigint[]) ORDER BY owed.message, owed.place`,
    [rows.map(({ seq }) => seq)],
  );
  const byMessage = new Map<number, OutboxNotice[]>();
  for (const { message, ...row } of notices) {
    byMessage.set(message, [...(byMessage.get(message) ?? []), noticeOf(row)]);
  }
  return rows.map(({ seq, attempts, ...row }) => ({
    ...row,
    // The send that comes next is counted before it is made.
    sends: row.settledAt === null ? attempts - 1 : attempts,
    notices: byMessage.get(seq) ?? [],
  }));
}

const OWED = `SELECT owed.channel, owed.held_until AS until, ${NOTICE}
  FROM owed JOIN notices ON notices.seq = owed.notice`;

/** The notices that are in no message, of one channel or of all (null). */
async function owedEntries(
  session: Session,
  channel: string | null,
  after: number,
  most: number,
): Promise<OutboxEntry[]> {
  const rows = await session.query<OwedRow>(
    `${OWED} WHERE owed.message IS NULL AND ($1::text IS NULL OR owed.channel = $1)
     ORDER BY owed.channel COLLATE "C", owed.notice LIMIT $2 OFFSET $3`,
    [channel, most, after],
  );
  return rows.map(owedEntry);
}

/** Those whose id begins so; an id is made of what it is about, so that all of them are looked through. */
async function owedOf(session: Session, id: string): Promise<OutboxEntry[]> {
  const all = await session.query<{ channel: string; id: string; notice: number }>(
    `SELECT owed.channel, notices.id, owed.notice FROM owed JOIN notices ON notices.seq = owed.notice
     WHERE owed.message IS NULL`,
  );
  const found = all.filter((one) => messageId(one.channel, [one.id]).startsWith(id));
  if (found.length === 0) return [];
  const rows = await session.query<OwedRow>(
    `${OWED} JOIN unnest($1::text[], $2::bigint[]) AS given (channel, notice)
       ON given.channel = owed.channel AND given.notice = owed.notice
     WHERE owed.message IS NULL ORDER BY owed.channel COLLATE "C", owed.notice`,
    [found.map(({ channel }) => channel), found.map(({ notice }) => notice)],
  );
  return rows.map(owedEntry);
}

const OPEN = `WHERE settled_at IS NULL AND ($1::text IS NULL OR channel = $1)
  ORDER BY channel COLLATE "C", seq LIMIT $2 OFFSET $3`;
const DEAD = `WHERE settled_at IS NOT NULL AND state = 'dead' AND ($1::text IS NULL OR channel = $1)
  ORDER BY settled_at DESC, seq DESC LIMIT $2 OFFSET $3`;
const WAKE = `UPDATE messages SET state = 'due', until = NULL
  WHERE settled_at IS NULL AND state = 'waiting'`;

export function outboxOf(access: ServerAccess): Promised<Outbox> {
  return {
    find: (id) =>
      access.read(async (session) => {
        const whole = await entries(session, "WHERE id = $1", [id]);
        if (whole.length > 0) return whole;
        // No index knows how an id begins.
        const found = [
          ...(await entries(session, "WHERE starts_with(id, $1) ORDER BY seq", [id])),
          ...(await owedOf(session, id)),
        ];
        const exact = found.find((entry) => entry.id === id);
        return exact === undefined ? found : [exact];
      }, true),
    body: (id) => access.value<string>("SELECT body FROM messages WHERE id = $1", [id]),
    retry: ({ channel, dead }, deed) =>
      access.write(async (session) => {
        const revived = dead ? await revive(session, LETTERS, [DROPPED, channel]) : 0;
        const due = await session.run(`${WAKE} AND ($1::text IS NULL OR channel = $1)`, [channel]);
        const done = { due, revived };
        await noteDeed(session, deed?.(done) ?? null);
        return done;
      }),
    retryOne: ({ id }, deed) =>
      access.write(async (session) => {
        if ((await stateOf(session, id)) === "sent") return false;
        if ((await session.run(`${WAKE} AND id = $1`, [id])) === 0) {
          await revive(session, "state = 'dead' AND id = $1", [id]);
        }
        await noteDeed(session, deed ?? null);
        return true;
      }),
    drop: (entry, now, deed) =>
      access.write(async (session) => {
        const isDone = await drop(session, entry, now);
        if (isDone) await noteDeed(session, deed ?? null);
        return isDone;
      }),
    dropDead: (channel, deed) =>
      access.write(async (session) => {
        const count = await session.run(`${LEAVE} AND channel = $2`, [DROPPED, channel]);
        if (count > 0) await noteDeed(session, deed?.(count) ?? null);
        return count;
      }),
  };
}

/** A dead letter that nobody retries with the others; what its receiver said stays with its sends. */
const LEAVE = `UPDATE messages SET error = $1
  WHERE state = 'dead' AND settled_at IS NOT NULL AND error IS DISTINCT FROM $1`;

async function stateOf(session: Session, id: string): Promise<string | null> {
  return await session.value<string>("SELECT state FROM messages WHERE id = $1", [id]);
}

/** The dead letters of a channel, or of all (null), that a retry of many is about. */
const LETTERS = `settled_at IS NOT NULL AND state = 'dead' AND error IS DISTINCT FROM $1
  AND ($2::text IS NULL OR channel = $2)`;

/**
 * Dead letters that `where` selects are due again; of those without a body, which never had one, the notices are
 * owed anew, and they are made again. Returns how many.
 */
async function revive(
  session: Session,
  where: string,
  values: readonly (string | null)[],
): Promise<number> {
  const empty = `${where} AND body = ''`;
  await session.run(
    `UPDATE owed SET message = NULL, place = NULL
     WHERE message IN (SELECT seq FROM messages WHERE ${empty})`,
    values,
  );
  const made = await session.run(`DELETE FROM messages WHERE ${empty}`, values);
  // The number of the send that comes next, as with a message that waited.
  const again = await session.run(
    `UPDATE messages
     SET state = 'due', until = NULL, settled_at = NULL, error = NULL, attempts = attempts + 1
     WHERE ${where}`,
    values,
  );
  return made + again;
}

async function forget(session: Session, id: string): Promise<boolean> {
  const sql = "DELETE FROM messages WHERE id = $1 AND state = 'dead' AND body = ''";
  return (await session.run(sql, [id])) > 0;
}

async function drop(
  session: Session,
  { id, channel, notices }: OutboxEntry,
  now: number,
): Promise<boolean> {
  await session.run(
    `INSERT INTO attempts (message, number, at, outcome)
     SELECT seq, attempts, $1, 'dropped' FROM messages WHERE id = $2 AND settled_at IS NULL
     ON CONFLICT (message, number) DO UPDATE SET at = excluded.at, outcome = excluded.outcome,
       answer = NULL, until = NULL`,
    [now, id],
  );
  const settled = await session.run(
    `UPDATE messages
     SET state = 'dead', settled_at = $1, error = $2, until = NULL, attempts = attempts - 1
     WHERE id = $3 AND settled_at IS NULL`,
    [now, DROPPED, id],
  );
  if (settled > 0) return true;
  if ((await session.run(`${LEAVE} AND id = $2`, [DROPPED, id])) > 0) return true;
  const [notice] = notices;
  if (notice === undefined || (await stateOf(session, id)) !== null) return false;
  const [made] = await session.query<{ seq: number }>(
    `INSERT INTO messages (id, channel, body, state, attempts, error, created_at, settled_at)
     VALUES ($1, $2, '', 'dead', 0, $3, $4, $4) RETURNING seq`,
    [id, channel, DROPPED, now],
  );
  const joined = await session.run(
    `UPDATE owed SET message = $1, place = 0, held_until = NULL
     WHERE notice = (SELECT seq FROM notices WHERE id = $2) AND channel = $3 AND message IS NULL`,
    [made?.seq, notice.id, channel],
  );
  if (joined > 0) return true;
  // The daemon has put it into another message meanwhile.
  await forget(session, id);
  return false;
}

/** Older messages say nothing of how a channel is. */
const RECENT_MESSAGES = 2_000;

export function outboxPagesOf(access: ServerAccess): Promised<OutboxPages> {
  return {
    open: (channel, after, most) =>
      access.read(async (session) => {
        const found = await entries(session, OPEN, [channel, most, after]);
        const left = most - found.length;
        if (left <= 0) return found;
        const open = await session.value<number>(
          `SELECT count(*) FROM messages
           WHERE settled_at IS NULL AND ($1::text IS NULL OR channel = $1)`,
          [channel],
        );
        const skipped = Math.max(0, after - (open ?? 0));
        return [...found, ...(await owedEntries(session, channel, skipped, left))];
      }),
    dead: (channel, after, most) =>
      access.read((session) => entries(session, DEAD, [channel, most, after])),
    total: async (list) => (await access.value<number>(TOTAL[list])) ?? 0,
    letters: async (channel) =>
      (await access.value<number>(`SELECT count(*) FROM messages WHERE ${LETTERS}`, [
        DROPPED,
        channel,
      ])) ?? 0,
    stuck: () => access.read((session) => entries(session, STUCK)),
    counts: async () => {
      const rows = await access.query<OutboxCounts & { readonly channel: string }>(
        `SELECT channel, sum(owed) AS owed, sum(held) AS held, sum(dead) AS dead FROM (
             SELECT channel, count(*) AS owed, count(held_until) AS held, 0 AS dead
             FROM owed WHERE message IS NULL GROUP BY channel
             UNION ALL
             SELECT messages.channel, count(*), 0, 0
             FROM messages JOIN owed ON owed.message = messages.seq
             WHERE settled_at IS NULL GROUP BY messages.channel
             UNION ALL
             SELECT channel, 0, 0, count(*) FROM messages
             WHERE settled_at IS NOT NULL AND state = 'dead' GROUP BY channel
           ) AS counted GROUP BY channel`,
      );
      return new Map(rows.map(({ channel, ...counts }) => [channel, counts]));
    },
    lastAttempts: async () => {
      const rows = await access.query<StoredAttempt>(
        `SELECT recent.channel, number, at, outcome, answer, attempts.until
           FROM (SELECT seq, channel FROM messages ORDER BY seq DESC LIMIT ${RECENT_MESSAGES}) AS recent
             JOIN attempts ON attempts.message = recent.seq ORDER BY at`,
      );
      return new Map(rows.map((row) => [row.channel, row]));
    },
  };
}

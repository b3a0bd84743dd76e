import type { Change, Message, Notice } from "../../model/index.ts";
import {
  backlogNotices,
  claimOfBodies,
  endOfSends,
  FIRST_SENDS_KEPT,
  LAST_SENDS_KEPT,
  type OpenMessage,
  type OwedNotice,
} from "../rows.ts";
import type { Backlog, Claim, Released, Settlement } from "../store.ts";
import { insert } from "./rows.ts";
import type { Session } from "./session.ts";
import { untold } from "./untold.ts";

/** What is owed to whom, and the messages on their way. Writing goes inside a transaction. */

const NOTICE = {
  id: "text",
  kind: "text",
  rule: "text",
  subject: "text",
  at: "bigint",
  body: "json",
};

/** `isShared`: other daemons write as well, and may have told the same. */
export async function putNotices(
  session: Session,
  given: Change["notices"],
  isShared = false,
): Promise<void> {
  const notices = isShared ? await untold(session, given) : given;
  if (notices.length === 0) return;
  const ids = await freeIds(
    session,
    notices.map(({ notice }) => notice.id),
  );
  const named = notices.map(({ notice, channels }, at) => {
    return { notice: { ...notice, id: ids[at] ?? notice.id }, channels };
  });
  await insert(
    session,
    { table: "notices", columns: NOTICE },
    named.map(({ notice }) => {
      const { id, kind, rule, subject, at } = notice;
      return [id, kind, rule, subject, at, JSON.stringify(notice)];
    }),
  );
  const owed = named.flatMap(({ notice, channels }) =>
    [...new Set(channels)].map((channel) => [notice.id, channel] as const),
  );
  if (owed.length === 0) return;
  await session.run(
    `INSERT INTO owed (notice, channel)
     SELECT notices.seq, given.channel FROM unnest($1::text[], $2::text[]) AS given (id, channel)
       JOIN notices ON notices.id = given.id`,
    [owed.map(([id]) => id), owed.map(([, channel]) => channel)],
  );
}

/**
 * A commit is all or nothing, so an id that is taken is another notice of the same date: the clock was set back in
 * between. It must not be lost.
 */
async function freeIds(session: Session, ids: readonly string[]): Promise<string[]> {
  const taken = new Set(await takenOf(session, ids));
  const found: string[] = [];
  for (const wanted of ids) {
    let id = wanted;
    for (let count = 2; taken.has(id); count += 1) {
      id = `${wanted}-${count}`;
      for (const one of taken.has(id) ? [] : await takenOf(session, [id])) taken.add(one);
    }
    taken.add(id);
    found.push(id);
  }
  return found;
}

export async function takenOf(session: Session, ids: readonly string[]): Promise<string[]> {
  const rows = await session.query<{ id: string }>(
    "SELECT id FROM notices WHERE id = ANY($1::text[])",
    [ids],
  );
  return rows.map(({ id }) => id);
}

export async function claimOf(
  session: Session,
  channel: string,
  now: number,
  most: number,
): Promise<Claim> {
  const [open] = await session.query<OpenMessage>(
    `SELECT seq, id, body, attempts, until FROM messages
     WHERE channel = $1 AND settled_at IS NULL ORDER BY seq LIMIT 1`,
    [channel],
  );
  if (open !== undefined) {
    const { seq, id, body, attempts, until } = open;
    if (until !== null && until > now) return { kind: "idle", until };
    const rows = await session.query<{ id: string }>(
      `SELECT notices.id FROM owed JOIN notices ON notices.seq = owed.notice
       WHERE owed.message = $1 ORDER BY owed.place`,
      [seq],
    );
    const notices = rows.map((row) => row.id);
    return { kind: "message", message: { id, channel, notices, body, attempts } };
  }
  const bodies = await session.query<{ body: string }>(
    `SELECT notices.body FROM owed JOIN notices ON notices.seq = owed.notice
     WHERE owed.channel = $1 AND owed.message IS NULL AND owed.held_until IS NULL
     ORDER BY owed.notice LIMIT $2`,
    [channel, most],
  );
  return claimOfBodies(
    bodies.map(({ body }) => body),
    bodies.length > 0 ? null : await endOfHold(session, channel),
  );
}

async function endOfHold(session: Session, channel: string): Promise<number | null> {
  return await session.value<number>(
    `SELECT min(held_until) AS until FROM owed
     WHERE channel = $1 AND held_until IS NOT NULL AND message IS NULL`,
    [channel],
  );
}

function noticeOf({ body }: { readonly body: string }): Notice {
  return JSON.parse(body) as Notice;
}

export async function freeze(
  session: Session,
  { id, channel, notices, body, attempts }: Message,
  now: number,
): Promise<void> {
  const [row] = await session.query<{ seq: number }>(
    `INSERT INTO messages (id, channel, body, state, attempts, created_at)
     VALUES ($1, $2, $3, 'due', $4, $5) RETURNING seq`,
    [id, channel, body, attempts, now],
  );
  const joined = await session.run(
    `UPDATE owed SET message = $1, place = given.place - 1
     FROM unnest($2::text[]) WITH ORDINALITY AS given (id, place)
       JOIN notices ON notices.id = given.id
     WHERE owed.notice = notices.seq AND owed.channel = $3 AND owed.message IS NULL`,
    [row?.seq, notices, channel],
  );
  if (joined !== notices.length) {
    throw new Error(`a notice of ${id} is not owed to ${channel} or in a message already`);
  }
}

/** The channel of a message; null: it is not there. */
export async function channelOf(session: Session, id: string): Promise<string | null> {
  return await session.value<string>("SELECT channel FROM messages WHERE id = $1", [id]);
}

export async function settle(session: Session, id: string, result: Settlement): Promise<void> {
  if (result.status === "waiting") {
    await putAttempt(session, id, result.at, "retry", result.error, result.until);
    await session.run(
      `DELETE FROM attempts USING messages
       WHERE messages.id = $1 AND attempts.message = messages.seq
         AND number = messages.attempts - ${LAST_SENDS_KEPT} AND number > ${FIRST_SENDS_KEPT}`,
      [id],
    );
    // The next send is counted now: a message that is claimed says which send is under way.
    await session.run(
      `UPDATE messages SET state = 'waiting', until = $1, error = $2, attempts = attempts + 1
       WHERE id = $3 AND settled_at IS NULL`,
      [result.until, result.error, id],
    );
    return;
  }
  const { answer, error } = endOfSends(result);
  await putAttempt(session, id, result.at, result.status, answer, null);
  await session.run(
    `UPDATE messages SET state = $1, settled_at = $2, error = $3, until = NULL
     WHERE id = $4 AND settled_at IS NULL`,
    [result.status, result.at, error, id],
  );
}

/** Before the message moves on: `attempts` is the number of the send that has ended. */
async function putAttempt(
  session: Session,
  id: string,
  at: number,
  outcome: string,
  answer: string | null,
  until: number | null,
): Promise<void> {
  await session.run(
    `INSERT INTO attempts (message, number, at, outcome, answer, until)
     SELECT seq, attempts, $1, $2, $3, $4 FROM messages WHERE id = $5 AND settled_at IS NULL
     ON CONFLICT (message, number) DO UPDATE SET at = excluded.at, outcome = excluded.outcome,
       answer = excluded.answer, until = excluded.until`,
    [at, outcome, answer, until, id],
  );
}

export async function wake(session: Session, channel: string): Promise<void> {
  await session.run(
    `UPDATE messages SET state = 'due', until = NULL
     WHERE channel = $1 AND settled_at IS NULL`,
    [channel],
  );
}

const OF_NOTICES = `FROM notices WHERE owed.notice = notices.seq AND notices.id = ANY($1::text[])
  AND owed.channel = $2`;

export async function hold(
  session: Session,
  channel: string,
  notices: readonly string[],
  until: number,
): Promise<void> {
  await session.run(`UPDATE owed SET held_until = $3 ${OF_NOTICES} AND owed.message IS NULL`, [
    notices,
    channel,
    until,
  ]);
}

export async function heldOf(session: Session, channel: string, now: number): Promise<Notice[]> {
  const end = await endOfHold(session, channel);
  if (end === null || end > now) return [];
  // Rule and subject are null in notices of no alert, and nulls are never equal.
  const rows = await session.query<{ body: string }>(
    `SELECT notices.body FROM owed JOIN notices ON notices.seq = owed.notice
     WHERE owed.channel = $1 AND owed.held_until IS NOT NULL AND owed.message IS NULL
       AND (coalesce(notices.rule, ''), coalesce(notices.subject, '')) IN (
         SELECT coalesce(its.rule, ''), coalesce(its.subject, '')
         FROM owed AS due JOIN notices AS its ON its.seq = due.notice
         WHERE due.channel = $1 AND due.held_until <= $2 AND due.message IS NULL)
     ORDER BY owed.notice`,
    [channel, now],
  );
  return rows.map(noticeOf);
}

export async function release(
  session: Session,
  channel: string,
  { keep, drop, add }: Released,
): Promise<void> {
  if (keep.length > 0) {
    await session.run(`UPDATE owed SET held_until = NULL ${OF_NOTICES}`, [keep, channel]);
  }
  if (drop.length > 0) {
    await session.run(
      `DELETE FROM owed USING notices WHERE owed.notice = notices.seq
       AND notices.id = ANY($1::text[]) AND owed.channel = $2 AND owed.message IS NULL`,
      [drop, channel],
    );
  }
  await putNotices(
    session,
    add.map((notice) => ({ notice, channels: [channel] })),
  );
}

export async function owedCounts(session: Session): Promise<Map<string, number>> {
  const rows = await session.query<{ channel: string; notices: number }>(
    `SELECT channel, sum(notices) AS notices FROM (
       SELECT channel, count(*) AS notices FROM owed WHERE message IS NULL GROUP BY channel
       UNION ALL
       SELECT messages.channel, count(*) FROM messages JOIN owed ON owed.message = messages.seq
       WHERE messages.settled_at IS NULL GROUP BY messages.channel
     ) AS counted GROUP BY channel`,
  );
  return new Map(rows.map(({ channel, notices }) => [channel, notices]));
}

interface MessageRow extends Message {
  readonly until: number | null;
}

/** Reads all that is owed; inside one transaction it is of one moment. */
export async function readBacklog(session: Session): Promise<Backlog> {
  const owed = await session.query<OwedNotice>(
    `SELECT notices.seq, notices.body, owed.channel, messages.id AS message,
       owed.held_until AS "heldUntil"
     FROM owed JOIN notices ON notices.seq = owed.notice
       LEFT JOIN messages ON messages.seq = owed.message
     WHERE owed.message IS NULL OR messages.settled_at IS NULL
     ORDER BY notices.seq, owed.channel COLLATE "C"`,
  );
  const messages = await session.query<MessageRow>(
    `SELECT id, channel, body, attempts, until,
       ARRAY(SELECT notices.id FROM owed JOIN notices ON notices.seq = owed.notice
             WHERE owed.message = messages.seq ORDER BY owed.place) AS notices
     FROM messages WHERE settled_at IS NULL ORDER BY seq`,
  );
  return {
    notices: backlogNotices(owed),
    messages: messages.map(({ until, ...message }) => ({ message, until })),
  };
}

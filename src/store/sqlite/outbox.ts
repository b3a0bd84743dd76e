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
import {
  type Backlog,
  type Claim,
  MOST_CLAIMED,
  type Released,
  type Settlement,
} from "../store.ts";
import type { Database } from "./driver.ts";

/** What is owed to whom, and the messages on their way. Writing goes inside a transaction. */
export function outbox(db: Database) {
  const insertNotice = db.prepare(
    `INSERT INTO notices (id, kind, rule, subject, at, body) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO NOTHING`,
  );
  const insertOwed = db.prepare<[channel: string, notice: string]>(
    `INSERT INTO owed (notice, channel) SELECT seq, ? FROM notices WHERE id = ?
     ON CONFLICT DO NOTHING`,
  );
  const findNotice = db.prepare<[string], number>("SELECT seq FROM notices WHERE id = ?").pluck();
  const oldestMessage = db.prepare<[string], OpenMessage>(
    `SELECT seq, id, body, attempts, until FROM messages
     WHERE channel = ? AND settled_at IS NULL ORDER BY seq LIMIT 1`,
  );
  const noticesOf = db
    .prepare<[number], string>(
      `SELECT notices.id FROM owed JOIN notices ON notices.seq = owed.notice
       WHERE owed.message = ? ORDER BY owed.place`,
    )
    .pluck();
  const openNotices = db
    .prepare<[string, number], string>(
      `SELECT notices.body FROM owed JOIN notices ON notices.seq = owed.notice
       WHERE owed.channel = ? AND owed.message IS NULL AND owed.held_until IS NULL
       ORDER BY owed.notice LIMIT ?`,
    )
    .pluck();
  const holdNotice = db.prepare<[number, string, string]>(
    `UPDATE owed SET held_until = ?
     WHERE notice = (SELECT seq FROM notices WHERE id = ?) AND channel = ? AND message IS NULL`,
  );
  const endOfHold = db
    .prepare<[string], number | null>(
      `SELECT min(held_until) FROM owed
       WHERE channel = ? AND held_until IS NOT NULL AND message IS NULL`,
    )
    .pluck();
  // Rule and subject are null in notices of no alert, and nulls are never equal. IN builds an index.
  const heldNotices = db
    .prepare<[string, string, number], string>(
      `SELECT notices.body FROM owed JOIN notices ON notices.seq = owed.notice
       WHERE owed.channel = ? AND owed.held_until IS NOT NULL AND owed.message IS NULL
         AND (ifnull(notices.rule, ''), ifnull(notices.subject, '')) IN (
           SELECT ifnull(its.rule, ''), ifnull(its.subject, '')
           FROM owed AS due JOIN notices AS its ON its.seq = due.notice
           WHERE due.channel = ? AND due.held_until <= ? AND due.message IS NULL)
       ORDER BY owed.notice`,
    )
    .pluck();
  const freeNotice = db.prepare<[string, string]>(
    `UPDATE owed SET held_until = NULL
     WHERE notice = (SELECT seq FROM notices WHERE id = ?) AND channel = ?`,
  );
  const dropNotice = db.prepare<[string, string]>(
    `DELETE FROM owed WHERE notice = (SELECT seq FROM notices WHERE id = ?) AND channel = ?
     AND message IS NULL`,
  );
  const insertMessage = db.prepare(
    `INSERT INTO messages (id, channel, body, state, attempts, created_at)
     VALUES (?, ?, ?, 'due', ?, ?)`,
  );
  const joinMessage = db.prepare(
    `UPDATE owed SET message = ?, place = ?
     WHERE notice = (SELECT seq FROM notices WHERE id = ?) AND channel = ? AND message IS NULL`,
  );
  const settleMessage = db.prepare(
    `UPDATE messages SET state = ?, settled_at = ?, error = ?, until = NULL
     WHERE id = ? AND settled_at IS NULL`,
  );
  // The next send is counted now: a message that is claimed says which send is under way.
  const postponeMessage = db.prepare(
    `UPDATE messages SET state = 'waiting', until = ?, error = ?, attempts = attempts + 1
     WHERE id = ? AND settled_at IS NULL`,
  );
  // Before the message moves on: `attempts` is the number of the send that has ended.
  const putAttempt = db.prepare<[number, string, string | null, number | null, string]>(
    `INSERT OR REPLACE INTO attempts (message, number, at, outcome, answer, until)
     SELECT seq, attempts, ?, ?, ?, ? FROM messages WHERE id = ? AND settled_at IS NULL`,
  );
  const dropAttempt = db.prepare<[string, string]>(
    `DELETE FROM attempts
     WHERE message = (SELECT seq FROM messages WHERE id = ?)
       AND number = (SELECT attempts - ${LAST_SENDS_KEPT} FROM messages WHERE id = ?)
       AND number > ${FIRST_SENDS_KEPT}`,
  );
  const wakeMessages = db.prepare(
    `UPDATE messages SET state = 'due', until = NULL
     WHERE channel = ? AND settled_at IS NULL`,
  );
  const owedCounts = db
    .prepare<[], [string, number]>(
      `SELECT channel, sum(notices) FROM (
         SELECT channel, count(*) AS notices FROM owed WHERE message IS NULL GROUP BY channel
         UNION ALL
         SELECT messages.channel, count(*) FROM messages JOIN owed ON owed.message = messages.seq
         WHERE messages.settled_at IS NULL GROUP BY messages.channel
       ) GROUP BY channel`,
    )
    .raw();

  function put(notices: Change["notices"]): void {
    for (const { notice, channels } of notices) {
      const { kind, rule, subject, at } = notice;
      // A commit is all or nothing, so an id that is taken is another notice of the same date:
      // the clock was set back in between. It must not be lost.
      let { id } = notice;
      for (let count = 2; ; count += 1) {
        const body = JSON.stringify({ ...notice, id });
        if (insertNotice.run(id, kind, rule, subject, at, body).changes > 0) break;
        id = `${notice.id}-${count}`;
      }
      for (const channel of channels) insertOwed.run(channel, id);
    }
  }

  return {
    put,

    claim(channel: string, now: number, most: number = MOST_CLAIMED): Claim {
      const open = oldestMessage.get(channel);
      if (open !== undefined) {
        const { seq, id, body, attempts, until } = open;
        if (until !== null && until > now) return { kind: "idle", until };
        const notices = noticesOf.all(seq);
        return { kind: "message", message: { id, channel, notices, body, attempts } };
      }
      const bodies = openNotices.all(channel, most);
      return claimOfBodies(bodies, bodies.length > 0 ? null : (endOfHold.get(channel) ?? null));
    },

    freeze({ id, channel, notices, body, attempts }: Message, now: number) {
      const seq = insertMessage.run(id, channel, body, attempts, now).lastInsertRowid;
      for (const [place, notice] of notices.entries()) {
        if (joinMessage.run(seq, place, notice, channel).changes === 0) {
          throw new Error(`notice ${notice} is not owed to ${channel} or in a message already`);
        }
      }
    },

    settle(id: string, result: Settlement) {
      if (result.status === "waiting") {
        putAttempt.run(result.at, "retry", result.error, result.until, id);
        dropAttempt.run(id, id);
        postponeMessage.run(result.until, result.error, id);
      } else {
        const { answer, error } = endOfSends(result);
        putAttempt.run(result.at, result.status, answer, null, id);
        settleMessage.run(result.status, result.at, error, id);
      }
    },

    wake: (channel: string) => void wakeMessages.run(channel),
    hold(channel: string, notices: readonly string[], until: number) {
      for (const notice of notices) holdNotice.run(until, notice, channel);
    },

    held(channel: string, now: number) {
      const end = endOfHold.get(channel);
      if (end === null || end === undefined || end > now) return [];
      return heldNotices.all(channel, channel, now).map((body) => JSON.parse(body) as Notice);
    },

    release(channel: string, { keep, drop, add }: Released) {
      for (const notice of keep) freeNotice.run(notice, channel);
      for (const notice of drop) dropNotice.run(notice, channel);
      put(add.map((notice) => ({ notice, channels: [channel] })));
    },

    taken: (ids: readonly string[]) =>
      new Set(ids.filter((id) => findNotice.get(id) !== undefined)),
    owed: () => new Map(owedCounts.all()),
  };
}

interface MessageRow {
  readonly id: string;
  readonly channel: string;
  readonly body: string;
  readonly attempts: number;
  readonly until: number | null;
  /** The ids of its notices in their order, as JSON. */
  readonly notices: string;
}

/** Reads all that is owed; inside one transaction it is of one moment. */
export function readBacklog(db: Database): Backlog {
  const owed = db.prepare<[], OwedNotice>(
    `SELECT notices.seq, notices.body, owed.channel, messages.id AS message,
       owed.held_until AS heldUntil
     FROM owed JOIN notices ON notices.seq = owed.notice
       LEFT JOIN messages ON messages.seq = owed.message
     WHERE owed.message IS NULL OR messages.settled_at IS NULL
     ORDER BY notices.seq, owed.channel`,
  );
  const messages = db.prepare<[], MessageRow>(
    `SELECT id, channel, body, attempts, until,
       (SELECT json_group_array(id) FROM (
          SELECT notices.id FROM owed JOIN notices ON notices.seq = owed.notice
          WHERE owed.message = messages.seq ORDER BY owed.place)) AS notices
     FROM messages WHERE settled_at IS NULL ORDER BY seq`,
  );
  return db.transaction(() => ({
    notices: backlogNotices(owed.all()),
    messages: messages.all().map(({ until, notices, ...message }) => ({
      message: { ...message, notices: JSON.parse(notices) as string[] },
      until,
    })),
  }))();
}

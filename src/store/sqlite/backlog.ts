import type { Notice } from "../../model/index.ts";
import type { Backlog, BacklogNotice } from "../store.ts";
import type { Database } from "./driver.ts";

interface OwedRow {
  readonly seq: number;
  readonly body: string;
  readonly channel: string;
  readonly message: string | null;
  readonly heldUntil: number | null;
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
  const owed = db.prepare<[], OwedRow>(
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
    notices: noticesOf(owed.all()),
    messages: messages.all().map(({ until, notices, ...message }) => ({
      message: { ...message, notices: JSON.parse(notices) as string[] },
      until,
    })),
  }))();
}

function noticesOf(rows: readonly OwedRow[]): BacklogNotice[] {
  const bySeq = new Map<number, OwedRow[]>();
  for (const row of rows) {
    const others = bySeq.get(row.seq);
    if (others === undefined) bySeq.set(row.seq, [row]);
    else others.push(row);
  }
  return [...bySeq.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const owed = all.map(({ channel, message, heldUntil }) => ({ channel, message, heldUntil }));
    return [{ notice: JSON.parse(first.body) as Notice, owed }];
  });
}

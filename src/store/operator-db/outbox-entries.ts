import { messageId } from "../../base/text.ts";
import type { Database } from "../sqlite/driver.ts";

/** A message on its way, or a notice that is in none yet, as a person looks at it. */
export interface OutboxEntry {
  /** The message's id; of a notice that is in none, the id that it will have if it goes alone. */
  readonly id: string;
  readonly channel: string;
  /**
   * `owed`: in no message yet; `held`: nor will it be, as long as a silence or a mute holds it back; `due`:
   * sent next or right now; `waiting`: for a retry.
   */
  readonly state: "owed" | "held" | "due" | "waiting" | "sent" | "dead";
  /** Sends that have ended. */
  readonly sends: number;
  /** When it was written down, epoch milliseconds; of a notice the date of its round. */
  readonly since: number;
  /** When it is tried again or, if held, looked at anew; null: as soon as its turn comes, or never. */
  readonly until: number | null;
  readonly settledAt: number | null;
  /** What went wrong last. */
  readonly error: string | null;
  /** One at least, in their order in the message. */
  readonly notices: readonly OutboxNotice[];
}

export interface OutboxNotice {
  readonly id: string;
  readonly kind: string;
  readonly severity: string;
  readonly rule: string | null;
  readonly subject: string | null;
  readonly at: number;
  readonly headline: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A notice as both databases give it. */
export interface NoticeRow extends Omit<OutboxNotice, "labels"> {
  /** As JSON. */
  readonly labels: string;
}

/** A message as both databases give it. */
export interface MessageRow {
  readonly seq: number;
  readonly id: string;
  readonly channel: string;
  readonly state: Exclude<OutboxEntry["state"], "owed" | "held">;
  readonly attempts: number;
  readonly until: number | null;
  readonly error: string | null;
  readonly since: number;
  readonly settledAt: number | null;
}

const MESSAGE = `SELECT seq, id, channel, state, attempts, until, error, created_at AS since,
  settled_at AS settledAt FROM messages`;

const NOTICE = `notices.id, notices.kind, notices.rule, notices.subject, notices.at,
  json_extract(notices.body, '$.severity') AS severity,
  json_extract(notices.body, '$.headline') AS headline,
  json_extract(notices.body, '$.labels') AS labels`;

/** A notice that is in no message, as both databases give it. */
export interface OwedRow extends NoticeRow {
  readonly channel: string;
  readonly until: number | null;
}

/** The messages that `where` selects, in its order. */
export function entries(
  db: Database,
  where: string,
  ...given: (string | number | null)[]
): OutboxEntry[] {
  const noticesOf = db.prepare<[number], NoticeRow>(
    `SELECT ${NOTICE} FROM owed JOIN notices ON notices.seq = owed.notice
     WHERE owed.message = ? ORDER BY owed.place`,
  );
  return db
    .prepare<(string | number | null)[], MessageRow>(`${MESSAGE} ${where}`)
    .all(...given)
    .map(({ seq, attempts, ...row }) => ({
      ...row,
      // The send that comes next is counted before it is made.
      sends: row.settledAt === null ? attempts - 1 : attempts,
      notices: noticesOf.all(seq).map(noticeOf),
    }));
}

/** The notices that are in no message, of one channel or of all (null). */
export function owedEntries(
  db: Database,
  channel: string | null,
  after: number,
  most: number,
): OutboxEntry[] {
  const owed = db.prepare<[string | null, string | null, number, number], OwedRow>(
    `${OWED} WHERE owed.message IS NULL AND (? IS NULL OR owed.channel = ?)
     ORDER BY owed.channel, owed.notice LIMIT ? OFFSET ?`,
  );
  return owed.all(channel, channel, most, after).map(owedEntry);
}

const OWED = `SELECT owed.channel, owed.held_until AS until, ${NOTICE}
  FROM owed JOIN notices ON notices.seq = owed.notice`;

/** Those whose id begins so; an id is made of what it is about, so that all of them are looked through. */
export function owedOf(db: Database, id: string): OutboxEntry[] {
  const all = db.prepare<[], [channel: string, id: string, notice: number]>(
    `SELECT owed.channel, notices.id, owed.notice FROM owed JOIN notices ON notices.seq = owed.notice
     WHERE owed.message IS NULL ORDER BY owed.channel, owed.notice`,
  );
  const one = db.prepare<[string, number], OwedRow>(
    `${OWED} WHERE owed.message IS NULL AND owed.channel = ? AND owed.notice = ?`,
  );
  const found: [string, number][] = [];
  for (const [channel, notice, seq] of all.raw().iterate()) {
    if (messageId(channel, [notice]).startsWith(id)) found.push([channel, seq]);
  }
  return found.flatMap((its) => one.all(...its)).map(owedEntry);
}

export function owedEntry({ channel, until, ...notice }: OwedRow): OutboxEntry {
  return {
    id: messageId(channel, [notice.id]),
    channel,
    state: until === null ? "owed" : "held",
    sends: 0,
    since: notice.at,
    until,
    settledAt: null,
    error: null,
    notices: [noticeOf(notice)],
  };
}

export function noticeOf({ labels, ...notice }: NoticeRow): OutboxNotice {
  return { ...notice, labels: JSON.parse(labels) as Record<string, string> };
}

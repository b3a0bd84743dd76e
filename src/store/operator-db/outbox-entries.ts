import { groupBy } from "../../base/group-by.ts";
import { messageId } from "../../base/text.ts";
import { query, type Work } from "./work.ts";

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

interface NoticeRow extends Omit<OutboxNotice, "labels"> {
  /** As JSON. */
  readonly labels: string;
}

interface MessageRow extends Omit<OutboxEntry, "state" | "sends" | "notices"> {
  readonly seq: number;
  readonly state: Exclude<OutboxEntry["state"], "owed" | "held">;
  readonly attempts: number;
}

/** A notice that is in no message. */
interface OwedRow extends NoticeRow {
  readonly channel: string;
  readonly until: number | null;
}

const NOTICE = `notices.id, notices.kind, notices.rule, notices.subject, notices.at,
  notices.body ->> 'severity' AS severity, notices.body ->> 'headline' AS headline,
  coalesce(notices.body ->> 'labels', '{}') AS labels`;

/** The messages that `where` selects, in its order. */
export function* entries(where: string, values: readonly unknown[] = []): Work<OutboxEntry[]> {
  const rows = yield* query<MessageRow>(
    `SELECT seq, id, channel, state, attempts, until, error, created_at AS since,
       settled_at AS "settledAt" FROM messages ${where}`,
    values,
  );
  const notices = yield* query<NoticeRow & { readonly message: number }>(
    `SELECT owed.message, ${NOTICE} FROM owed JOIN notices ON notices.seq = owed.notice
     WHERE owed.message = ANY($1) ORDER BY owed.message, owed.place`,
    [rows.map(({ seq }) => seq)],
  );
  const byMessage = groupBy(notices, ({ message }) => message);
  return rows.map(({ seq, attempts, ...row }) => ({
    ...row,
    // The send that comes next is counted before it is made.
    sends: row.settledAt === null ? attempts - 1 : attempts,
    notices: (byMessage.get(seq) ?? []).map(noticeOf),
  }));
}

/** The notices that are in no message, of one channel or of all (null). */
export function* owedEntries(
  channel: string | null,
  after: number,
  most: number,
): Work<OutboxEntry[]> {
  const rows = yield* query<OwedRow>(
    `${OWED} WHERE owed.message IS NULL AND (CAST($1 AS text) IS NULL OR owed.channel = $1)
     ORDER BY owed.channel COLLATE "C", owed.notice LIMIT $2 OFFSET $3`,
    [channel, most, after],
  );
  return rows.map(owedEntry);
}

const OWED = `SELECT owed.channel, owed.held_until AS until, ${NOTICE}
  FROM owed JOIN notices ON notices.seq = owed.notice`;

/** Those whose id begins so; an id is made of what it is about, so that all of them are looked through. */
export function* owedOf(id: string): Work<OutboxEntry[]> {
  const all = yield* query<{ channel: string; id: string; notice: number }>(
    `SELECT owed.channel, notices.id, owed.notice FROM owed JOIN notices ON notices.seq = owed.notice
     WHERE owed.message IS NULL`,
  );
  const found = all.filter((one) => messageId(one.channel, [one.id]).startsWith(id));
  const rows = yield* query<OwedRow>(
    `${OWED} WHERE owed.message IS NULL AND owed.notice = ANY($1)
     ORDER BY owed.channel COLLATE "C", owed.notice`,
    [found.map(({ notice }) => notice)],
  );
  return rows.map(owedEntry).filter((entry) => entry.id.startsWith(id));
}

function owedEntry({ channel, until, ...notice }: OwedRow): OutboxEntry {
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

function noticeOf(row: NoticeRow): OutboxNotice {
  const { id, kind, rule, subject, at, severity, headline, labels } = row;
  const named = JSON.parse(labels) as Record<string, string>;
  return { id, kind, rule, subject, at, severity, headline, labels: named };
}

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

interface NoticeRow extends Omit<OutboxNotice, "labels"> {
  /** As JSON. */
  readonly labels: string;
}

/** Reads the outbox; its methods go inside one transaction, so that they see one moment. */
export interface OutboxView {
  open(): OutboxEntry[];
  dead(): OutboxEntry[];
  find(id: string): OutboxEntry[];
  body(id: string): string | null;
}

interface MessageRow {
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

interface OwedRow extends NoticeRow {
  readonly channel: string;
  readonly until: number | null;
}

export function outboxView(db: Database): OutboxView {
  const openMessages = db.prepare<[], MessageRow>(
    `${MESSAGE} WHERE settled_at IS NULL ORDER BY channel, seq`,
  );
  const deadMessages = db.prepare<[], MessageRow>(
    `${MESSAGE} WHERE settled_at IS NOT NULL AND state = 'dead'
     ORDER BY settled_at DESC, seq DESC`,
  );
  const messagesLike = db.prepare<[string, string], MessageRow>(
    `${MESSAGE} WHERE substr(id, 1, length(?)) = ? ORDER BY seq`,
  );
  const noticesOf = db.prepare<[number], NoticeRow>(
    `SELECT ${NOTICE} FROM owed JOIN notices ON notices.seq = owed.notice
     WHERE owed.message = ? ORDER BY owed.place`,
  );
  const owed = db.prepare<[], OwedRow>(
    `SELECT owed.channel, owed.held_until AS until, ${NOTICE} FROM owed JOIN notices ON notices.seq = owed.notice
     WHERE owed.message IS NULL ORDER BY owed.channel, owed.notice`,
  );
  const bodyOf = db.prepare<[string], string>("SELECT body FROM messages WHERE id = ?").pluck();

  const entryOf = ({ seq, attempts, ...row }: MessageRow): OutboxEntry => ({
    ...row,
    // The send that comes next is counted before it is made.
    sends: row.settledAt === null ? attempts - 1 : attempts,
    notices: noticesOf.all(seq).map(noticeOf),
  });
  const owedEntries = (): OutboxEntry[] =>
    owed.all().map(({ channel, until: end, ...notice }) => ({
      id: messageId(channel, [notice.id]),
      channel,
      state: end === null ? "owed" : "held",
      sends: 0,
      since: notice.at,
      until: end,
      settledAt: null,
      error: null,
      notices: [noticeOf(notice)],
    }));

  return {
    open: () =>
      [...openMessages.all().map(entryOf), ...owedEntries()].toSorted((a, b) =>
        a.channel < b.channel ? -1 : a.channel > b.channel ? 1 : 0,
      ),
    dead: () => deadMessages.all().map(entryOf),
    find(id) {
      const found = [
        ...messagesLike.all(id, id).map(entryOf),
        ...owedEntries().filter((entry) => entry.id.startsWith(id)),
      ];
      const exact = found.find((entry) => entry.id === id);
      return exact === undefined ? found : [exact];
    },
    body: (id) => bodyOf.get(id) ?? null,
  };
}

function noticeOf({ labels, ...notice }: NoticeRow): OutboxNotice {
  return { ...notice, labels: JSON.parse(labels) as Record<string, string> };
}

import type { AlertState, Command, Notice } from "../../model/index.ts";
import type { Database, Statement } from "../sqlite/driver.ts";
import type { Access } from "./access.ts";

/** What happened, as it was written down: states of alerts, notices and their deliveries. Dates are epoch milliseconds. */
export interface History {
  /** The changes of one alert in [from, to], oldest first, and before them the newest that came earlier. */
  states(rule: string, subject: string, from: number, to: number): readonly StoredState[];
  /** The changes of one alert at or before `to`, the newest first. */
  statesBefore(rule: string, subject: string, to: number, most: number): readonly StoredState[];
  /** The changes of all alerts from `from` on, oldest first. */
  statesSince(from: number): readonly StateSince[];
  /** The date of the oldest change that is kept; null: there is none. */
  knownFrom(): number | null;
  /** The notices that a filter selects, the newest first. */
  notices(filter: NoticeFilter): readonly StoredNotice[];
  /** What people ordered of one alert at or before `to`, the newest first. */
  commands(rule: string, subject: string, to: number, most: number): readonly Command[];
  /** The comment of the newest acknowledgement of an alert; null: none was given. */
  ackComment(rule: string, subject: string): string | null;
}

/** What an alert was from a round on. */
export interface StoredState {
  readonly at: number;
  readonly state: AlertState;
  /** People were told that it has no data. */
  readonly noData: boolean;
  /** The value that decided, exact text; null: there was none. */
  readonly value: string | null;
}

export interface StateSince {
  readonly rule: string;
  readonly subject: string;
  readonly at: number;
  readonly state: AlertState;
  /** What it was before; null: it had no state. */
  readonly before: AlertState | null;
}

export interface NoticeFilter {
  readonly rule?: string | undefined;
  readonly subject?: string | undefined;
  readonly channel?: string | undefined;
  readonly severity?: string | undefined;
  readonly kind?: string | undefined;
  /** A part of its first line, letter case aside. */
  readonly text?: string | undefined;
  readonly from: number;
  readonly to: number;
  /** Only what comes after it in the list. */
  readonly after?: { readonly at: number; readonly seq: number } | undefined;
  readonly most: number;
}

export interface StoredNotice {
  /** Its place in the order of commits. */
  readonly seq: number;
  readonly notice: Notice;
  /** By channel. */
  readonly deliveries: readonly StoredDelivery[];
}

export interface StoredDelivery {
  readonly channel: string;
  /** `owed`: in no message yet; `held`: a silence or a mute holds it back. */
  readonly state: "owed" | "held" | "due" | "waiting" | "sent" | "dead";
  /** The id of the message that it is in; null: in none yet. */
  readonly message: string | null;
  readonly until: number | null;
  readonly settledAt: number | null;
  readonly error: string | null;
  /** Oldest first; of sends before format 5 nothing was kept. */
  readonly attempts: readonly StoredAttempt[];
}

export interface StoredAttempt {
  readonly channel: string;
  readonly number: number;
  readonly at: number;
  readonly outcome: "sent" | "retry" | "dead" | "dropped";
  /** What came back; null: nothing to be said. */
  readonly answer: string | null;
  readonly until: number | null;
}

export function historyOf(access: Access): History {
  // A page asks for those of many alerts.
  let before: Statement<[string, string, number], StateRow> | null = null;
  let within: Statement<[string, string, number, number], StateRow> | null = null;
  return {
    states: (rule, subject, from, to) =>
      access.read((db) => {
        before ??= db.prepare(`${STATES} AND at < ? ORDER BY seq DESC LIMIT 1`);
        within ??= db.prepare(`${STATES} AND at BETWEEN ? AND ? ORDER BY seq`);
        const rows = [...before.all(rule, subject, from), ...within.all(rule, subject, from, to)];
        return rows.map(stateOf);
      }),
    statesBefore: (rule, subject, to, most) =>
      access.read((db) =>
        db
          .prepare<[string, string, number, number], StateRow>(
            `${STATES} AND at <= ? ORDER BY seq DESC LIMIT ?`,
          )
          .all(rule, subject, to, most)
          .map(stateOf),
      ),
    statesSince: (from) =>
      access.read((db) =>
        db
          .prepare<[number], StateSince>(
            `SELECT rules.text AS rule, subjects.text AS subject, at, state,
               (SELECT state FROM alert_changes AS earlier
                WHERE earlier.rule = one.rule AND earlier.subject = one.subject
                  AND earlier.seq < one.seq ORDER BY earlier.seq DESC LIMIT 1) AS before
             FROM alert_changes AS one JOIN names AS rules ON rules.id = one.rule
               JOIN names AS subjects ON subjects.id = one.subject
             WHERE at >= ? ORDER BY at, seq`,
          )
          .all(from),
      ),
    knownFrom: () =>
      access.read(
        (db) =>
          db.prepare<[], number | null>("SELECT min(at) FROM alert_changes").pluck().get() ?? null,
      ),
    notices: (filter) => access.read((db) => findNotices(db, filter)),
    commands: (rule, subject, to, most) =>
      access.read((db) =>
        db
          .prepare<[string, string, number, number], Command>(
            `SELECT id, kind, rule, subject, author, comment, at FROM orders
             WHERE rule = ? AND (subject IS NULL OR subject = ?) AND at <= ?
             ORDER BY at DESC, id DESC LIMIT ?`,
          )
          .all(rule, subject, to, most),
      ),
    ackComment: (rule, subject) =>
      access.read(
        (db) =>
          db
            .prepare<[string, string], string | null>(
              `SELECT comment FROM orders
               WHERE kind = 'ack' AND rule = ? AND (subject IS NULL OR subject = ?)
               ORDER BY id DESC LIMIT 1`,
            )
            .pluck()
            .get(rule, subject) ?? null,
      ),
  };
}

interface StateRow extends Omit<StoredState, "noData"> {
  readonly noData: number;
}

const STATES = `SELECT at, state, no_data AS noData, value FROM alert_changes
  WHERE rule = (SELECT id FROM names WHERE text = ?)
    AND subject = (SELECT id FROM names WHERE text = ?)`;

function stateOf({ noData, ...row }: StateRow): StoredState {
  return { ...row, noData: noData === 1 };
}

interface NoticeRow {
  readonly seq: number;
  readonly body: string;
}

function findNotices(db: Database, filter: NoticeFilter): readonly StoredNotice[] {
  const { rule, subject, channel, severity, kind, text, from, to, after, most } = filter;
  const where: string[] = ["notices.at BETWEEN @from AND @to"];
  if (rule !== undefined) where.push("notices.rule = @rule");
  if (subject !== undefined) where.push("notices.subject = @subject");
  if (kind !== undefined) where.push("notices.kind = @kind");
  if (severity !== undefined) where.push("json_extract(body, '$.severity') = @severity");
  if (text !== undefined) where.push("instr(lower(json_extract(body, '$.headline')), @text) > 0");
  if (channel !== undefined) {
    where.push(
      "EXISTS (SELECT 1 FROM owed WHERE owed.notice = notices.seq AND channel = @channel)",
    );
  }
  if (after !== undefined) where.push("(notices.at, notices.seq) < (@at, @seq)");
  const rows = db
    .prepare<[Record<string, unknown>], NoticeRow>(
      `SELECT seq, body FROM notices WHERE ${where.join(" AND ")}
       ORDER BY notices.at DESC, notices.seq DESC LIMIT @most`,
    )
    .all({
      rule,
      subject,
      channel,
      severity,
      kind,
      text: text?.toLowerCase(),
      from,
      to,
      at: after?.at,
      seq: after?.seq,
      most,
    });
  const deliveries = deliveriesOf(
    db,
    rows.map(({ seq }) => seq),
  );
  return rows.map(({ seq, body }) => ({
    seq,
    notice: JSON.parse(body) as Notice,
    deliveries: deliveries.get(seq) ?? [],
  }));
}

/** What became of a notice at a channel, as both databases give it. */
export interface DeliveryRow {
  readonly notice: number;
  readonly channel: string;
  readonly heldUntil: number | null;
  readonly seq: number | null;
  readonly message: string | null;
  readonly state: StoredDelivery["state"] | null;
  readonly until: number | null;
  readonly settledAt: number | null;
  readonly error: string | null;
}

/** What became of notices at their channels, by the places of the notices: two queries, however many they are. */
export function deliveriesOf(
  db: Database,
  notices: readonly number[],
): Map<number, StoredDelivery[]> {
  const rows = db
    .prepare<[string], DeliveryRow>(
      `SELECT owed.notice, owed.channel, owed.held_until AS heldUntil, messages.seq,
         messages.id AS message, messages.state, messages.until, messages.settled_at AS settledAt,
         messages.error
       FROM owed LEFT JOIN messages ON messages.seq = owed.message
       WHERE owed.notice IN (SELECT value FROM json_each(?)) ORDER BY owed.notice, owed.channel`,
    )
    .all(JSON.stringify(notices));
  const attempts = attemptsOf(
    db,
    rows.flatMap(({ seq }) => (seq === null ? [] : [seq])),
  );
  return byNotice(rows, attempts);
}

/** What became of each notice; `attempts` by the place of their message. */
export function byNotice(
  rows: readonly DeliveryRow[],
  attempts: ReadonlyMap<number, readonly StoredAttempt[]>,
): Map<number, StoredDelivery[]> {
  const found = new Map<number, StoredDelivery[]>();
  for (const { notice, channel, heldUntil, seq, message, state, until, ...row } of rows) {
    const all = found.get(notice) ?? [];
    found.set(notice, all);
    all.push({
      ...row,
      channel,
      message,
      state: state ?? (heldUntil === null ? "owed" : "held"),
      until: until ?? heldUntil,
      attempts: seq === null ? [] : (attempts.get(seq) ?? []),
    });
  }
  return found;
}

/** By the place of the message. */
function attemptsOf(db: Database, messages: readonly number[]): Map<number, StoredAttempt[]> {
  const rows = db
    .prepare<[string], StoredAttempt & { readonly message: number }>(
      `SELECT attempts.message, messages.channel, number, at, outcome, answer, attempts.until
       FROM attempts JOIN messages ON messages.seq = attempts.message
       WHERE attempts.message IN (SELECT value FROM json_each(?)) ORDER BY attempts.message, number`,
    )
    .all(JSON.stringify([...new Set(messages)]));
  const found = new Map<number, StoredAttempt[]>();
  for (const { message, ...attempt } of rows) {
    const all = found.get(message) ?? [];
    found.set(message, all);
    all.push(attempt);
  }
  return found;
}

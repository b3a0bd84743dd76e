import { groupBy } from "../../base/group-by.ts";
import type { AlertState, Command, Notice } from "../../model/index.ts";
import { type Access, query, value, type Work } from "./work.ts";

/** What happened, as it was written down: states of alerts, notices and their deliveries. Dates are epoch milliseconds. */
export interface History {
  /** The changes of one alert in [from, to], oldest first, and before them the newest that came earlier. */
  states(rule: string, subject: string, from: number, to: number): Promise<readonly StoredState[]>;
  /** The changes of one alert at or before `to`, the newest first. */
  statesBefore(
    rule: string,
    subject: string,
    to: number,
    most: number,
  ): Promise<readonly StoredState[]>;
  /** The changes of all alerts from `from` on, oldest first. */
  statesSince(from: number): Promise<readonly StateSince[]>;
  /** The date of the oldest change that is kept; null: there is none. */
  knownFrom(): Promise<number | null>;
  /** The notices that a filter selects, the newest first. */
  notices(filter: NoticeFilter): Promise<readonly StoredNotice[]>;
  /** The commands about one alert that people gave at or before `to`, the newest first. */
  commands(rule: string, subject: string, to: number, most: number): Promise<readonly Command[]>;
  /** The comment of the newest acknowledgement of an alert; null: none was given. */
  ackComment(rule: string, subject: string): Promise<string | null>;
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
  return {
    states: (...asked) => access.read(states(...asked)),
    statesBefore: (...asked) => access.read(statesBefore(...asked)),
    statesSince: (from) => access.read(query<StateSince>(SINCE, [from])),
    knownFrom: () => access.read(value<number>("SELECT min(at) AS first FROM alert_changes")),
    notices: (filter) => access.read(findNotices(filter)),
    commands: (...asked) => access.read(query<Command>(COMMANDS, asked)),
    ackComment: (...asked) => access.read(value<string>(ACK_COMMENT, asked)),
  };
}

const SINCE = `SELECT rules.text AS rule, subjects.text AS subject, at, state,
    (SELECT state FROM alert_changes AS earlier
     WHERE earlier.rule = one.rule AND earlier.subject = one.subject
       AND earlier.seq < one.seq ORDER BY earlier.seq DESC LIMIT 1) AS before
  FROM alert_changes AS one JOIN names AS rules ON rules.id = one.rule
    JOIN names AS subjects ON subjects.id = one.subject
  WHERE at >= $1 ORDER BY at, seq`;

const COMMANDS = `SELECT id, kind, rule, subject, author, comment, at FROM orders
  WHERE rule = $1 AND (subject IS NULL OR subject = $2) AND at <= $3
  ORDER BY at DESC, id DESC LIMIT $4`;

const ACK_COMMENT = `SELECT comment FROM orders
  WHERE kind = 'ack' AND rule = $1 AND (subject IS NULL OR subject = $2)
  ORDER BY id DESC LIMIT 1`;

const STATES = `SELECT at, state, no_data AS "noData", value FROM alert_changes
  WHERE rule = (SELECT id FROM names WHERE text = $1)
    AND subject = (SELECT id FROM names WHERE text = $2)`;

interface StateRow extends Omit<StoredState, "noData"> {
  readonly noData: number;
}

function* states(rule: string, subject: string, from: number, to: number): Work<StoredState[]> {
  const its = [rule, subject, from];
  const before = yield* query<StateRow>(`${STATES} AND at < $3 ORDER BY seq DESC LIMIT 1`, its);
  const within = yield* query<StateRow>(`${STATES} AND at BETWEEN $3 AND $4 ORDER BY seq`, [
    ...its,
    to,
  ]);
  return [...before, ...within].map(stateOf);
}

function* statesBefore(...asked: Parameters<History["statesBefore"]>): Work<StoredState[]> {
  const sql = `${STATES} AND at <= $3 ORDER BY seq DESC LIMIT $4`;
  return (yield* query<StateRow>(sql, asked)).map(stateOf);
}

function stateOf({ noData, ...row }: StateRow): StoredState {
  return { ...row, noData: noData === 1 };
}

function* findNotices(filter: NoticeFilter): Work<StoredNotice[]> {
  const { rule, subject, channel, severity, kind, text, from, to, after, most } = filter;
  const values: unknown[] = [];
  const given = (one: unknown): string => `$${values.push(one)}`;
  const where = [`notices.at BETWEEN ${given(from)} AND ${given(to)}`];
  if (rule !== undefined) where.push(`notices.rule = ${given(rule)}`);
  if (subject !== undefined) where.push(`notices.subject = ${given(subject)}`);
  if (kind !== undefined) where.push(`notices.kind = ${given(kind)}`);
  if (severity !== undefined) where.push(`body ->> 'severity' = ${given(severity)}`);
  if (text !== undefined) {
    where.push(`strpos(lower(body ->> 'headline'), ${given(text.toLowerCase())}) > 0`);
  }
  if (channel !== undefined) {
    where.push(
      `EXISTS (SELECT 1 FROM owed WHERE owed.notice = notices.seq AND channel = ${given(channel)})`,
    );
  }
  if (after !== undefined) {
    where.push(`(notices.at, notices.seq) < (${given(after.at)}, ${given(after.seq)})`);
  }
  return yield* noticesOf(
    `WHERE ${where.join(" AND ")} ORDER BY notices.at DESC, notices.seq DESC LIMIT ${given(most)}`,
    values,
  );
}

/** The notices that `where` selects, in its order, and what became of them at their channels: three queries. */
export function* noticesOf(where: string, values: readonly unknown[]): Work<StoredNotice[]> {
  const rows = yield* query<{ readonly seq: number; readonly body: string }>(
    `SELECT seq, body FROM notices ${where}`,
    values,
  );
  const deliveries = yield* deliveriesOf(rows.map(({ seq }) => seq));
  return rows.map(({ seq, body }) => ({
    seq,
    notice: JSON.parse(body) as Notice,
    deliveries: deliveries.get(seq) ?? [],
  }));
}

interface DeliveryRow extends Omit<StoredDelivery, "state" | "attempts"> {
  readonly notice: number;
  readonly heldUntil: number | null;
  readonly seq: number | null;
  readonly state: StoredDelivery["state"] | null;
}

/** By the places of the notices. */
function* deliveriesOf(notices: readonly number[]): Work<Map<number, StoredDelivery[]>> {
  const rows = yield* query<DeliveryRow>(
    `SELECT owed.notice, owed.channel, owed.held_until AS "heldUntil", messages.seq,
       messages.id AS message, messages.state, messages.until, messages.settled_at AS "settledAt",
       messages.error
     FROM owed LEFT JOIN messages ON messages.seq = owed.message
     WHERE owed.notice = ANY($1) ORDER BY owed.notice, owed.channel COLLATE "C"`,
    [notices],
  );
  const attempts = groupBy(
    yield* query<StoredAttempt & { readonly message: number }>(
      `SELECT attempts.message, messages.channel, number, at, outcome, answer, attempts.until
       FROM attempts JOIN messages ON messages.seq = attempts.message
       WHERE attempts.message = ANY($1) ORDER BY attempts.message, number`,
      [[...new Set(rows.flatMap(({ seq }) => (seq === null ? [] : [seq])))]],
    ),
    ({ message }) => message,
  );
  const found = new Map<number, StoredDelivery[]>();
  for (const { notice, heldUntil, seq, state, until, ...row } of rows) {
    const its = seq === null ? [] : (attempts.get(seq) ?? []);
    const delivery = {
      ...row,
      state: state ?? (heldUntil === null ? ("owed" as const) : ("held" as const)),
      until: until ?? heldUntil,
      attempts: its.map(({ message: _its, ...attempt }) => attempt),
    };
    found.set(notice, [...(found.get(notice) ?? []), delivery]);
  }
  return found;
}

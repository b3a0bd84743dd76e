import type { Command, Notice } from "../../../model/index.ts";
import {
  byNotice,
  type DeliveryRow,
  type History,
  type NoticeFilter,
  type StateSince,
  type StoredAttempt,
  type StoredDelivery,
  type StoredNotice,
  type StoredState,
} from "../../operator-db/history.ts";
import type { Promised } from "../../operator-db/promised.ts";
import type { Session } from "../session.ts";
import type { ServerAccess } from "./access.ts";

const STATES = `SELECT at, state, no_data AS "noData", value FROM alert_changes
  WHERE rule = (SELECT id FROM names WHERE text = $1)
    AND subject = (SELECT id FROM names WHERE text = $2)`;

interface StateRow extends Omit<StoredState, "noData"> {
  readonly noData: number;
}

function stateOf({ noData, ...row }: StateRow): StoredState {
  return { ...row, noData: noData === 1 };
}

export function historyOf(access: ServerAccess): Promised<History> {
  return {
    states: (rule, subject, from, to) =>
      access.read(async (session) => {
        const before = await session.query<StateRow>(
          `${STATES} AND at < $3 ORDER BY seq DESC LIMIT 1`,
          [rule, subject, from],
        );
        const within = await session.query<StateRow>(
          `${STATES} AND at BETWEEN $3 AND $4 ORDER BY seq`,
          [rule, subject, from, to],
        );
        return [...before, ...within].map(stateOf);
      }),
    statesBefore: async (rule, subject, to, most) => {
      const rows = await access.query<StateRow>(
        `${STATES} AND at <= $3 ORDER BY seq DESC LIMIT $4`,
        [rule, subject, to, most],
      );
      return rows.map(stateOf);
    },
    statesSince: (from) =>
      access.query<StateSince>(
        `SELECT rules.text AS rule, subjects.text AS subject, at, state,
             (SELECT state FROM alert_changes AS earlier
              WHERE earlier.rule = one.rule AND earlier.subject = one.subject
                AND earlier.seq < one.seq ORDER BY earlier.seq DESC LIMIT 1) AS before
           FROM alert_changes AS one JOIN names AS rules ON rules.id = one.rule
             JOIN names AS subjects ON subjects.id = one.subject
           WHERE at >= $1 ORDER BY at, seq`,
        [from],
      ),
    knownFrom: () => access.value<number>("SELECT min(at) AS first FROM alert_changes"),
    notices: (filter) => access.read((session) => findNotices(session, filter)),
    commands: (rule, subject, to, most) =>
      access.query<Command>(
        `SELECT id, kind, rule, subject, author, comment, at FROM orders
           WHERE rule = $1 AND (subject IS NULL OR subject = $2) AND at <= $3
           ORDER BY at DESC, id DESC LIMIT $4`,
        [rule, subject, to, most],
      ),
    ackComment: (rule, subject) =>
      access.value<string>(
        `SELECT comment FROM orders
           WHERE kind = 'ack' AND rule = $1 AND (subject IS NULL OR subject = $2)
           ORDER BY id DESC LIMIT 1`,
        [rule, subject],
      ),
  };
}

async function findNotices(
  session: Session,
  { rule, subject, channel, severity, kind, text, from, to, after, most }: NoticeFilter,
): Promise<readonly StoredNotice[]> {
  const values: unknown[] = [from, to];
  const given = (value: unknown): string => `$${values.push(value)}`;
  const where = ["notices.at BETWEEN $1 AND $2"];
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
  const rows = await session.query<{ seq: number; body: string }>(
    `SELECT seq, body FROM notices WHERE ${where.join(" AND ")}
     ORDER BY notices.at DESC, notices.seq DESC LIMIT ${given(most)}`,
    values,
  );
  const deliveries = await deliveriesOf(
    session,
    rows.map(({ seq }) => seq),
  );
  return rows.map(({ seq, body }) => ({
    seq,
    notice: JSON.parse(body) as Notice,
    deliveries: deliveries.get(seq) ?? [],
  }));
}

/** What became of notices at their channels, by the places of the notices. */
export async function deliveriesOf(
  session: Session,
  notices: readonly number[],
): Promise<Map<number, StoredDelivery[]>> {
  const rows = await session.query<DeliveryRow>(
    `SELECT owed.notice, owed.channel, owed.held_until AS "heldUntil", messages.seq,
       messages.id AS message, messages.state, messages.until, messages.settled_at AS "settledAt",
       messages.error
     FROM owed LEFT JOIN messages ON messages.seq = owed.message
     WHERE owed.notice = ANY($1::bigint[]) ORDER BY owed.notice, owed.channel COLLATE "C"`,
    [notices],
  );
  const attempts = new Map<number, StoredAttempt[]>();
  for (const { message, ...attempt } of await session.query<
    StoredAttempt & { readonly message: number }
  >(
    `SELECT attempts.message, messages.channel, number, at, outcome, answer, attempts.until
     FROM attempts JOIN messages ON messages.seq = attempts.message
     WHERE attempts.message = ANY($1::bigint[]) ORDER BY attempts.message, number`,
    [rows.flatMap(({ seq }) => (seq === null ? [] : [seq]))],
  )) {
    attempts.set(message, [...(attempts.get(message) ?? []), attempt]);
  }
  return byNotice(rows, attempts);
}

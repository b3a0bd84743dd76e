import type { Command, Silence } from "../../../model/index.ts";
import type { Audit, Deed, StoredDeed } from "../../operator-db/audit.ts";
import type { AlertCommands, CommandedAlert, SilenceTable } from "../../operator-db/commands.ts";
import type { Promised } from "../../operator-db/promised.ts";
import { type SilenceRow, silenceOf } from "../../rows.ts";
import { insert } from "../rows.ts";
import type { Session } from "../session.ts";
import type { ServerAccess } from "./access.ts";

export function auditOf(access: ServerAccess): Promised<Audit> {
  return {
    find: ({ rule, subject, before, most }) =>
      access.query<StoredDeed>(
        // What was about all of a rule was about each of its subjects.
        `SELECT id, at, author, via, action, rule, subject, about, comment, count FROM audit
           WHERE ($1::text IS NULL OR rule = $1) AND ($2::text IS NULL OR subject IS NULL OR subject = $2)
             AND ($3::bigint IS NULL OR id < $3) ORDER BY id DESC LIMIT $4`,
        [rule ?? null, subject ?? null, before ?? null, most],
      ),
    note: (deed) => access.write((session) => noteDeed(session, deed)),
  };
}

/** Inside a transaction. */
export async function noteDeed(session: Session, deed: Deed | null): Promise<void> {
  if (deed === null) return;
  const { at, author, via, action, rule, subject, about, comment, count } = deed;
  await session.run(
    `INSERT INTO audit (at, author, via, action, rule, subject, about, comment, count)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [at, author, via, action, rule, subject, about, comment, count],
  );
}

interface AlertRow extends Omit<CommandedAlert, "acked" | "spent"> {
  readonly by: string | null;
  readonly at: number | null;
  readonly once: string | null;
}

const ALERTS = `SELECT subjects.text AS subject, alerts.label, alerts.state, alerts.told_state AS told,
    life -> 'acked' ->> 'by' AS by, (life -> 'acked' ->> 'at')::bigint AS at, life ->> 'once' AS once
  FROM alerts JOIN names AS rules ON rules.id = alerts.rule
    JOIN names AS subjects ON subjects.id = alerts.subject
  WHERE rules.text = $1 ORDER BY subjects.text COLLATE "C"`;

const ORDER = {
  kind: "text",
  rule: "text",
  subject: "text",
  author: "text",
  comment: "text",
  at: "bigint",
};

export function alertCommands(access: ServerAccess): Promised<AlertCommands> {
  return {
    of: async (rule) => {
      const rows = await access.query<AlertRow>(ALERTS, [rule]);
      return rows.map(({ by, at, once, ...row }) => {
        const acked = by === null || at === null ? null : { by, at };
        return { ...row, acked, spent: once === "spent" };
      });
    },
    give: (commands: readonly Omit<Command, "id">[], deed) =>
      access.write(async (session) => {
        await noteDeed(session, deed ?? null);
        await insert(
          session,
          { table: "orders", columns: ORDER },
          commands.map(({ kind, rule, subject, author, comment, at }) => [
            kind,
            rule,
            subject,
            author,
            comment,
            at,
          ]),
        );
      }),
  };
}

export const SILENCES = `SELECT id, rule, subjects, labels, starts_at AS "startsAt", ends_at AS "endsAt", author,
  comment, created_at AS "createdAt" FROM silences`;

export function silenceTable(access: ServerAccess): Promised<SilenceTable> {
  return {
    all: () =>
      access.read(async (session) =>
        (await session.query<SilenceRow>(`${SILENCES} ORDER BY id`)).map(silenceOf),
      ),
    labels: async (rule) => {
      const rows = await access.query<{ subject: string; label: string }>(
        `SELECT subjects.text AS subject, alerts.label
           FROM alerts JOIN names AS rules ON rules.id = alerts.rule
             JOIN names AS subjects ON subjects.id = alerts.subject
           WHERE ($1::text IS NULL OR rules.text = $1) AND alerts.label IS NOT NULL`,
        [rule],
      );
      return new Map(rows.map(({ subject, label }) => [subject, label]));
    },
    add: (silences: readonly Omit<Silence, "id">[], deed) =>
      access.write(async (session) => {
        await noteDeed(session, deed ?? null);
        const ids: number[] = [];
        for (const { rule, subjects, labels, startsAt, endsAt, ...one } of silences) {
          const [row] = await session.query<{ id: number }>(
            `INSERT INTO silences (rule, subjects, labels, starts_at, ends_at, author, comment, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
            [
              rule,
              subjects === null ? null : JSON.stringify(subjects),
              JSON.stringify(labels),
              startsAt,
              endsAt,
              one.author,
              one.comment,
              one.createdAt,
            ],
          );
          if (row !== undefined) ids.push(row.id);
        }
        return ids;
      }),
    expire: (id, now, deed) =>
      access.write(async (session) => {
        // One that has not begun yet never does.
        const ended = await session.run(
          `UPDATE silences SET ends_at = $2, starts_at = least(starts_at, $2)
           WHERE id = $1 AND ends_at > $2`,
          [id, now],
        );
        if (ended === 0) return false;
        await noteDeed(session, deed ?? null);
        await session.run(
          "UPDATE owed SET held_until = $1 WHERE held_until > $1 AND message IS NULL",
          [now],
        );
        return true;
      }),
  };
}

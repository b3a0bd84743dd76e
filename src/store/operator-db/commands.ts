import type { Alert, Command, NotificationState, Silence } from "../../model/index.ts";
import { SILENCES, type SilenceRow, silenceOf } from "../rows.ts";
import { type Deed, noteDeed } from "./audit.ts";
import { type Access, insert, query, run, type Work } from "./work.ts";

/** What one needs to know of an alert to give a command about it. */
export interface CommandedAlert {
  /** The subject's key. */
  readonly subject: string;
  readonly label: string | null;
  readonly state: Alert["state"];
  /** What people believe. */
  readonly told: Alert["lastNotified"]["state"];
  readonly acked: NotificationState["acked"];
  /** `once`, and it is over. */
  readonly completed: boolean;
}

/** Commands to the daemon about its alerts. */
export interface AlertCommands {
  /** The alerts of a rule as the daemon has left them, by their subjects' keys. */
  of(rule: string): Promise<CommandedAlert[]>;
  /** Writes all of the commands down, with who gave them, or none. */
  give(commands: readonly Omit<Command, "id">[], deed?: Deed | null): Promise<void>;
}

export function alertCommands(access: Access): AlertCommands {
  return {
    of: (rule) => access.read(commandedOf(rule)),
    give: (commands, deed) => access.write(give(commands, deed ?? null)),
  };
}

interface AlertRow extends Omit<CommandedAlert, "acked" | "completed"> {
  readonly life: string | null;
}

function* commandedOf(rule: string): Work<CommandedAlert[]> {
  const rows = yield* query<AlertRow>(
    `SELECT subjects.text AS subject, alerts.label, alerts.state, alerts.told_state AS told, life
     FROM alerts JOIN names AS rules ON rules.id = alerts.rule
       JOIN names AS subjects ON subjects.id = alerts.subject
     WHERE rules.text = $1 ORDER BY subjects.text COLLATE "C"`,
    [rule],
  );
  return rows.map(({ subject, label, state, told, life }) => {
    const kept = (life === null ? {} : JSON.parse(life)) as Partial<NotificationState>;
    return {
      subject,
      label,
      state,
      told,
      acked: kept.acked ?? null,
      completed: kept.once === "spent",
    };
  });
}

const COLUMNS = {
  kind: "text",
  rule: "text",
  subject: "text",
  author: "text",
  comment: "text",
  at: "bigint",
} as const;

function* give(commands: readonly Omit<Command, "id">[], deed: Deed | null): Work<void> {
  yield* noteDeed(deed);
  const rows = commands.map(
    ({ kind, rule, subject, author, comment, at }) =>
      [kind, rule, subject, author, comment, at] as const,
  );
  yield* insert({ table: "orders", columns: COLUMNS, rows });
}

/** The silences of a database. */
export interface SilenceTable {
  /** All that are kept, the newest last. */
  all(): Promise<Silence[]>;
  /** What the chain calls the subjects of a rule's alerts, or of every rule's (null), by their keys. */
  labels(rule: string | null): Promise<ReadonlyMap<string, string>>;
  /** Writes them down, or none; a daemon that runs sees them with the next notice. Returns their ids. */
  add(silences: readonly Omit<Silence, "id">[], deed?: Deed | null): Promise<number[]>;
  /**
   * Ends one at `now`, and makes the daemon look anew at all that is held back, within a minute.
   * False: it has already ended, or there is none.
   */
  expire(id: number, now: number, deed?: Deed | null): Promise<boolean>;
}

export function silenceTable(access: Access): SilenceTable {
  return {
    all: () => access.read(all()),
    labels: (rule) => access.read(labels(rule)),
    add: (silences, deed) => access.write(add(silences, deed ?? null)),
    expire: (id, now, deed) => access.write(expire(id, now, deed ?? null)),
  };
}

function* all(): Work<Silence[]> {
  return (yield* query<SilenceRow>(`${SILENCES} ORDER BY id`)).map(silenceOf);
}

function* labels(rule: string | null): Work<ReadonlyMap<string, string>> {
  const rows = yield* query<{ readonly subject: string; readonly label: string }>(
    `SELECT subjects.text AS subject, alerts.label
     FROM alerts JOIN names AS rules ON rules.id = alerts.rule
       JOIN names AS subjects ON subjects.id = alerts.subject
     WHERE (CAST($1 AS text) IS NULL OR rules.text = $1) AND alerts.label IS NOT NULL`,
    [rule],
  );
  return new Map(rows.map(({ subject, label }) => [subject, label]));
}

function* add(silences: readonly Omit<Silence, "id">[], deed: Deed | null): Work<number[]> {
  yield* noteDeed(deed);
  const ids: number[] = [];
  for (const { rule, subjects, startsAt, endsAt, author, comment, createdAt, ...one } of silences) {
    const keys = subjects === null ? null : JSON.stringify(subjects);
    const [row] = yield* query<{ readonly id: number }>(
      `INSERT INTO silences (rule, subjects, labels, starts_at, ends_at, author, comment, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
      [rule, keys, JSON.stringify(one.labels), startsAt, endsAt, author, comment, createdAt],
    );
    if (row !== undefined) ids.push(row.id);
  }
  return ids;
}

function* expire(id: number, now: number, deed: Deed | null): Work<boolean> {
  // One that has not begun yet never does.
  const ended = yield* run(
    `UPDATE silences SET ends_at = $2, starts_at = CASE WHEN starts_at < $2 THEN starts_at ELSE $2 END
     WHERE id = $1 AND ends_at > $2`,
    [id, now],
  );
  if (ended === 0) return false;
  yield* noteDeed(deed);
  yield* run("UPDATE owed SET held_until = $1 WHERE held_until > $1 AND message IS NULL", [now]);
  return true;
}

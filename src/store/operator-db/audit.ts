import type { Database } from "../sqlite/driver.ts";
import type { Access } from "./access.ts";

/** What somebody does, as it is written down in the transaction that does it. */
export interface Deed {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly author: string;
  /** Where it was said. */
  readonly via: "command" | "page" | "api" | "chat";
  /** Such as `ack`, `silence`, `retry`. */
  readonly action: string;
  readonly rule: string | null;
  /** The subject's key; null: several, or none. */
  readonly subject: string | null;
  /** What it is about, in words. */
  readonly about: string;
  readonly comment: string | null;
  /** How many alerts, silences or messages it is about. */
  readonly count: number;
}

export interface StoredDeed extends Deed {
  readonly id: number;
}

export interface DeedFilter {
  readonly rule?: string | undefined;
  readonly subject?: string | undefined;
  /** Only what was done before that one. */
  readonly before?: number | undefined;
  readonly most: number;
}

/** What was done by whom. */
export interface Audit {
  /** The newest first. */
  find(filter: DeedFilter): StoredDeed[];
  /** Writes down what leaves no other trace in the database, such as a test message. */
  note(deed: Deed): void;
}

export function auditOf(access: Access): Audit {
  return {
    find: (filter) => access.read((db) => (hasAudit(db) ? find(db, filter) : [])),
    note: (deed) => access.write((db) => noteDeed(db, deed)),
  };
}

/** Inside a transaction. A database that only an earlier daemon has opened keeps no audit yet. */
export function noteDeed(db: Database, deed: Deed | null): void {
  if (deed === null || !hasAudit(db)) return;
  db.prepare<Deed>(
    `INSERT INTO audit (at, author, via, action, rule, subject, about, comment, count)
     VALUES (@at, @author, @via, @action, @rule, @subject, @about, @comment, @count)`,
  ).run(deed);
}

function hasAudit(db: Database): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'audit'").get() !== undefined;
}

function find(db: Database, { rule, subject, before, most }: DeedFilter): StoredDeed[] {
  const where = [
    ...(rule === undefined ? [] : ["rule = @rule"]),
    // What was about all of a rule was about each of its subjects.
    ...(subject === undefined ? [] : ["(subject IS NULL OR subject = @subject)"]),
    ...(before === undefined ? [] : ["id < @before"]),
  ];
  const condition = where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`;
  return db
    .prepare<[Record<string, unknown>], StoredDeed>(
      `SELECT id, at, author, via, action, rule, subject, about, comment, count
       FROM audit ${condition} ORDER BY id DESC LIMIT @most`,
    )
    .all({ rule, subject, before, most });
}

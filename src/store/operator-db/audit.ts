import { type Access, hasTable, insert, query, type Work } from "./work.ts";

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
  find(filter: DeedFilter): Promise<StoredDeed[]>;
  /** Writes down what leaves no other trace in the database, such as a test message. */
  note(deed: Deed): Promise<void>;
}

export function auditOf(access: Access): Audit {
  return {
    find: (filter) => access.read(find(filter)),
    note: (deed) => access.write(noteDeed(deed)),
  };
}

const COLUMNS = {
  at: "bigint",
  author: "text",
  via: "text",
  action: "text",
  rule: "text",
  subject: "text",
  about: "text",
  comment: "text",
  count: "integer",
} as const;

/** A database that only an earlier daemon has opened keeps no audit yet. */
export function* noteDeed(deed: Deed | null): Work<void> {
  if (deed === null || !(yield* hasTable("audit"))) return;
  const { at, author, via, action, rule, subject, about, comment, count } = deed;
  const row = [at, author, via, action, rule, subject, about, comment, count];
  yield* insert({ table: "audit", columns: COLUMNS, rows: [row] });
}

function* find({ rule, subject, before, most }: DeedFilter): Work<StoredDeed[]> {
  if (!(yield* hasTable("audit"))) return [];
  const values: unknown[] = [];
  const given = (one: unknown): string => `$${values.push(one)}`;
  const where = ["true"];
  if (rule !== undefined) where.push(`rule = ${given(rule)}`);
  // What was about all of a rule was about each of its subjects.
  if (subject !== undefined) where.push(`(subject IS NULL OR subject = ${given(subject)})`);
  if (before !== undefined) where.push(`id < ${given(before)}`);
  return yield* query(
    `SELECT id, at, author, via, action, rule, subject, about, comment, count
     FROM audit WHERE ${where.join(" AND ")} ORDER BY id DESC LIMIT ${given(most)}`,
    values,
  );
}

import type { Access } from "./access.ts";

/** An alert that something was told of. */
export interface ToldAlert {
  readonly rule: string;
  /** The subject's key. */
  readonly subject: string;
}

const TOLD = `SELECT rule, subject FROM notices WHERE id = ?
  UNION
  SELECT rule, subject FROM messages JOIN owed ON owed.message = messages.seq
    JOIN notices ON notices.seq = owed.notice WHERE messages.id = ?`;

/** The alerts that a notice, or a message of several, is about; none where it is of none, or too old. */
export function toldBy(access: Access, id: string): ToldAlert[] {
  return access.read((db) =>
    db
      .prepare<[string, string], { rule: string | null; subject: string | null }>(TOLD)
      .all(id, id)
      .flatMap(({ rule, subject }) =>
        rule === null || subject === null ? [] : [{ rule, subject }],
      ),
  );
}

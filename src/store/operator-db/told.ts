import { query, type Work } from "./work.ts";

/** An alert that something was told of. */
export interface ToldAlert {
  readonly rule: string;
  /** The subject's key. */
  readonly subject: string;
}

/** The alerts that a notice, or a message of several, is about; none where it is of none, or too old. */
export function toldBy(id: string): Work<ToldAlert[]> {
  return query(
    `SELECT rule, subject FROM notices
     WHERE id = $1 AND rule IS NOT NULL AND subject IS NOT NULL
     UNION
     SELECT rule, subject FROM messages JOIN owed ON owed.message = messages.seq
       JOIN notices ON notices.seq = owed.notice
     WHERE messages.id = $1 AND rule IS NOT NULL AND subject IS NOT NULL`,
    [id],
  );
}

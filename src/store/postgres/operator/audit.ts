import type { Audit, Deed, StoredDeed } from "../../operator-db/audit.ts";
import type { Promised } from "../../operator-db/promised.ts";
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

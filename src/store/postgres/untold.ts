import { HOUR } from "../../base/duration.ts";
import type { Change, Notice } from "../../model/index.ts";
import type { Session } from "./session.ts";

/** What the subject of a notice about a family of endpoints begins with. */
const FAMILY = "family:";

/**
 * Without what other daemons have told: what two of them say in the same words, of a source at the same time, or of a
 * family of endpoints within an hour, is one notice. Inside a transaction.
 */
export async function untold(
  session: Session,
  notices: Change["notices"],
): Promise<Change["notices"]> {
  if (notices.length === 0) return notices;
  const rows = await session.query<{ id: string; body: string }>(
    "SELECT id, body FROM notices WHERE id = ANY($1::text[])",
    [notices.map(({ notice }) => notice.id)],
  );
  const told = new Map(rows.map(({ id, body }) => [id, body]));
  const others = notices.filter(({ notice }) => {
    const body = told.get(notice.id);
    const isOfSource = notice.kind === "source_down" || notice.kind === "source_up";
    return body === undefined || (!isOfSource && body !== JSON.stringify(notice));
  });
  const news: Change["notices"][number][] = [];
  for (const one of others) if (!(await isToldOfFamily(session, one.notice))) news.push(one);
  return news;
}

/** Whether another daemon has told by now what this one has to tell of a family of endpoints. */
async function isToldOfFamily(
  session: Session,
  { kind, subject, headline, at }: Notice,
): Promise<boolean> {
  if (kind !== "self" || subject?.startsWith(FAMILY) !== true) return false;
  // Several find it in the same round: the next one looks when this one has written it.
  await session.query("SELECT pg_advisory_xact_lock(hashtextextended('tickwatch families', 0))");
  const [last] = await session.query<{ body: string }>(
    "SELECT body FROM notices WHERE at > $1 AND kind = $2 AND subject = $3 ORDER BY seq DESC LIMIT 1",
    [at - HOUR, kind, subject],
  );
  return last !== undefined && (JSON.parse(last.body) as Notice).headline === headline;
}

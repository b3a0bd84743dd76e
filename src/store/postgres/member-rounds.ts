import type { GroupReads, RoundRecord, Unread } from "../../model/index.ts";
import type { Session } from "./session.ts";

/** What other members have written of a round. */
export type OthersRound = Omit<RoundRecord, "date">;

/**
 * The round of a date as all members of the cluster have it: `stored` is what is written by now, `before` what this
 * one had written of it, and `now` what it has of it. Pure.
 */
export function joinedRound(
  stored: OthersRound,
  before: RoundRecord | null,
  now: RoundRecord,
): RoundRecord {
  const own = new Set(before?.unread.map(textOf) ?? []);
  const namedOf = ({ reads, rules }: Pick<RoundRecord, "reads" | "rules">): GroupReads[] =>
    (reads?.groups ?? []).map((one) => named(one, rules));
  const groups = new Set(before === null ? [] : namedOf(before).map(textOf));
  const unread: Unread[] = stored.unread.filter((one) => !own.has(textOf(one)));
  const others = namedOf(stored).filter((one) => !groups.has(textOf(one)));
  const rules = [...new Set([...stored.rules, ...now.rules])].toSorted();
  const reads = stored.reads ?? now.reads;
  return {
    date: now.date,
    rules,
    requests: stored.requests - (before?.requests ?? 0) + now.requests,
    subjects: stored.subjects - (before?.subjects ?? 0) + now.subjects,
    failures: { ...stored.failures, ...now.failures },
    failed: stored.failed - (before?.failed ?? 0) + now.failed,
    unread: [...unread, ...now.unread],
    ...(reads === undefined
      ? {}
      : {
          reads: {
            openedAt: Math.max(reads.openedAt, now.reads?.openedAt ?? reads.openedAt),
            groups: [...others, ...namedOf(now)],
          },
        }),
    tookMs: Math.max(stored.tookMs, now.tookMs),
  };
}

/** "All of the round" were all of one member's. */
function named(group: GroupReads, rules: readonly string[]): GroupReads {
  return group.rules === null ? { ...group, rules } : group;
}

function textOf(value: unknown): string {
  return JSON.stringify(value);
}

interface RoundRow {
  readonly names: string;
  readonly requests: number;
  readonly subjects: number;
  readonly failed: number;
  readonly failures: string;
  readonly tookMs: number;
  readonly reads: string | null;
}

/** Inside a transaction: what is written of a round, which nobody else changes until its end; null: nothing. */
export async function storedRound(session: Session, date: number): Promise<OthersRound | null> {
  await session.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [
    `tickwatch round ${date}`,
  ]);
  const [row] = await session.query<RoundRow>(
    `SELECT rule_sets.names, requests, subjects, failed, failures, took_ms AS "tookMs",
       round_reads.reads
     FROM rounds JOIN rule_sets ON hash = rule_set
       LEFT JOIN round_reads ON round_reads.id = rounds.reads
     WHERE date = $1`,
    [date],
  );
  if (row === undefined) return null;
  const { unread = [], ...reads } = JSON.parse(row.reads ?? "{}") as Partial<
    NonNullable<RoundRecord["reads"]> & { readonly unread: readonly Unread[] }
  >;
  const { openedAt, groups } = reads;
  return {
    rules: JSON.parse(row.names) as string[],
    requests: row.requests,
    subjects: row.subjects,
    failed: row.failed,
    failures: JSON.parse(row.failures) as RoundRecord["failures"],
    tookMs: row.tookMs,
    unread,
    ...(openedAt === undefined || groups === undefined ? {} : { reads: { openedAt, groups } }),
  };
}

import type { Change, RoundRecord, RuleState } from "../../model/index.ts";
import { hashOf, readsText } from "../rows.ts";
import { joinedRound, storedRound } from "./member-rounds.ts";
import type { Names } from "./names.ts";
import { insert, lastOfEach, replacing } from "./rows.ts";
import type { Session } from "./session.ts";

const RULE = {
  name: "integer",
  version: "text",
  started_at: "bigint",
  last_round: "bigint",
  written: "bigint",
};
const CLOSED = { rule_set: "text", date: "bigint", written: "bigint" };
const SLOT_ROUND = { slot: "smallint", ...CLOSED };
const ROUND = {
  date: "bigint",
  rule_set: "text",
  requests: "integer",
  subjects: "integer",
  failed: "integer",
  failures: "text",
  took_ms: "double precision",
  reads: "integer",
};

/** So many rounds may still grow. */
const MOST_OPEN_ROUNDS = 50;

/**
 * Rules, their versions and their rounds. `written`: what was written last, so that what comes is later; null: several
 * daemons write, and the server counts.
 */
export function ruleTables(names: Names, written: number | null) {
  const hashes = new WeakMap<readonly string[], string>();
  // Of several daemons none knows the last round of all slots.
  const conflict =
    written === null
      ? `(name) DO UPDATE SET version = excluded.version,
           started_at = coalesce(excluded.started_at, rules.started_at)`
      : replacing(["name"], RULE);
  let last = written ?? 0;
  /** What this member of a cluster has written of rounds, and what it is about to. */
  const own = new Map<number, RoundRecord>();
  let open: RoundRecord | null = null;

  /** So many numbers, each greater than all that were written. */
  async function numbers(session: Session, count: number): Promise<number[]> {
    if (count === 0) return [];
    if (written !== null) {
      last += count;
      return Array.from({ length: count }, (_, at) => last - count + at + 1);
    }
    const rows = await session.query<{ next: number }>(
      "SELECT nextval('written_rows') AS next FROM generate_series(1, $1::integer)",
      [count],
    );
    return rows.map(({ next }) => next);
  }

  async function withOthers(session: Session, round: RoundRecord): Promise<RoundRecord> {
    if (written !== null) return round;
    const stored = await storedRound(session, round.date);
    open = round;
    return stored === null ? round : joinedRound(stored, own.get(round.date) ?? null, round);
  }

  /** The hashes of lists, which are kept from now on. */
  async function setsOf(
    session: Session,
    lists: readonly (readonly string[])[],
  ): Promise<string[]> {
    const found = lists.map((rules) => {
      const hash = hashes.get(rules) ?? hashOf(JSON.stringify(rules));
      hashes.set(rules, hash);
      return [hash, rules] as const;
    });
    await insert(
      session,
      {
        table: "rule_sets",
        columns: { hash: "text", names: "json" },
        conflict: "(hash) DO NOTHING",
      },
      found.map(([hash, rules]) => [hash, JSON.stringify(rules)]),
    );
    return found.map(([hash]) => hash);
  }

  return {
    /** The transaction was committed, or not (false). */
    end(isDone: boolean) {
      if (open !== null && isDone) {
        own.set(open.date, open);
        const [oldest] = own.keys();
        if (oldest !== undefined && own.size > MOST_OPEN_ROUNDS) own.delete(oldest);
      }
      open = null;
    },
    /** Inside a transaction: all that a change says of them, in the order that counts. */
    async put(
      session: Session,
      { removedRules, closed, rules, versions, ruleChanges, round: given }: Change,
    ) {
      const round = given === null ? null : await withOthers(session, given);
      if (removedRules.length > 0) {
        await session.run("DELETE FROM rules WHERE name = ANY($1::integer[])", [
          removedRules.map((name) => names.idOf(name)),
        ]);
      }
      const lists = [...closed.map((one) => one.rules), ...(round === null ? [] : [round.rules])];
      const sets = await setsOf(session, lists);
      // Rounds that the others have closed meanwhile count for a rule that is new.
      const order = await numbers(session, closed.length + (written === null ? 0 : rules.length));
      const rounds = closed.map(({ date }, i) => [sets[i] ?? "", date, order[i] ?? 0] as const);
      await insert(
        session,
        { table: "closed_rounds", columns: CLOSED, conflict: replacing(["rule_set"], CLOSED) },
        lastOfEach(rounds, ([set]) => set),
      );
      const bySlot = closed.flatMap(({ slots = [] }, i) => {
        const [set, date, number] = rounds[i] ?? ["", 0, 0];
        return slots.map((slot) => [slot, set, date, number] as const);
      });
      await insert(
        session,
        {
          table: "slot_rounds",
          columns: SLOT_ROUND,
          conflict: replacing(["slot", "rule_set"], SLOT_ROUND),
        },
        lastOfEach(bySlot, ([slot, set]) => `${slot} ${set}`),
      );
      const states = rules.map(
        ({ name, version, startedAt, lastRound }, i) =>
          [names.idOf(name), version, startedAt, lastRound, order[closed.length + i] ?? 0] as const,
      );
      await insert(
        session,
        { table: "rules", columns: RULE, conflict },
        lastOfEach(states, ([name]) => name),
      );
      await insert(
        session,
        {
          table: "rule_versions",
          columns: { version: "text", source: "text" },
          conflict: "(version) DO NOTHING",
        },
        versions.map(({ version, source }) => [version, source]),
      );
      await insert(
        session,
        { table: "rule_changes", columns: { rule: "integer", at: "bigint", version: "text" } },
        ruleChanges.map(({ rule, at, version }) => [names.idOf(rule), at, version]),
      );
      if (round === null) return;
      const { date, requests, subjects, failed, failures, tookMs } = round;
      await insert(
        session,
        { table: "rounds", columns: ROUND, conflict: replacing(["date"], ROUND) },
        [
          [
            date,
            sets.at(-1) ?? "",
            requests,
            subjects,
            failed,
            JSON.stringify(failures),
            tookMs,
            await idOfReads(session, readsText(round)),
          ],
        ],
      );
    },
  };
}

/** What a round read is mostly what the one before it did: the same is kept once. */
async function idOfReads(session: Session, text: string): Promise<number | null> {
  const hash = hashOf(text);
  await session.run(
    "INSERT INTO round_reads (hash, reads) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING",
    [hash, text],
  );
  return await session.value<number>("SELECT id FROM round_reads WHERE hash = $1", [hash]);
}

export async function lastWritten(session: Session): Promise<number> {
  const written = await session.value<number>(
    `SELECT greatest(coalesce((SELECT max(written) FROM rules), 0),
       coalesce((SELECT max(written) FROM closed_rounds), 0))`,
  );
  return written ?? 0;
}

/** By rule the date of the last round that closed in each slot. */
export async function lastRoundsOfSlots(
  session: Session,
): Promise<ReadonlyMap<string, ReadonlyMap<number, number>>> {
  const rows = await session.query<{ name: string; slot: number; date: number }>(
    `SELECT DISTINCT ON (one.name, slot) one.name, slot, slot_rounds.date
     FROM slot_rounds JOIN rule_sets ON hash = rule_set,
       json_array_elements_text(rule_sets.names) AS one (name)
       JOIN names ON names.text = one.name JOIN rules ON rules.name = names.id
     WHERE slot_rounds.written > rules.written
     ORDER BY one.name, slot, slot_rounds.written DESC`,
  );
  const found = new Map<string, Map<number, number>>();
  for (const { name, slot, date } of rows) {
    const slots = found.get(name) ?? new Map<number, number>();
    found.set(name, slots.set(slot, date));
  }
  return found;
}

export async function allRules(session: Session): Promise<RuleState[]> {
  return await session.query<RuleState>(
    `SELECT name, version, started_at AS "startedAt", last_round AS "lastRound" FROM rule_states`,
  );
}

import type { Change, RuleState } from "../../model/index.ts";
import { hashOf, readsText } from "../rule-rows.ts";
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

/** Rules, their versions and their rounds. */
export interface RuleTables {
  /** Inside a transaction: all that a change says of them, in the order that counts. */
  put(session: Session, change: Change): Promise<void>;
}

/** `written`: what was written last, so that what comes is later. */
export function ruleTables(names: Names, written: number): RuleTables {
  const hashes = new WeakMap<readonly string[], string>();
  let last = written;
  const next = (): number => {
    last += 1;
    return last;
  };

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
    async put(session, { goneRules, closed, rules, versions, ruleChanges, round }) {
      if (goneRules.length > 0) {
        await session.run("DELETE FROM rules WHERE name = ANY($1::integer[])", [
          goneRules.map((name) => names.idOf(name)),
        ]);
      }
      const lists = [...closed.map((one) => one.rules), ...(round === null ? [] : [round.rules])];
      const sets = await setsOf(session, lists);
      const rounds = closed.map(({ date }, at) => [sets[at] ?? "", date, next()] as const);
      await insert(
        session,
        { table: "closed_rounds", columns: CLOSED, conflict: replacing(["rule_set"], CLOSED) },
        lastOfEach(rounds, ([set]) => set),
      );
      const states = rules.map(
        ({ name, version, startedAt, lastRound }) =>
          [names.idOf(name), version, startedAt, lastRound, next()] as const,
      );
      await insert(
        session,
        { table: "rules", columns: RULE, conflict: replacing(["name"], RULE) },
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
  const [row] = await session.query<{ id: number }>("SELECT id FROM round_reads WHERE hash = $1", [
    hash,
  ]);
  return row?.id ?? null;
}

export async function lastWritten(session: Session): Promise<number> {
  const [row] = await session.query<{ written: number }>(
    `SELECT greatest(coalesce((SELECT max(written) FROM rules), 0),
       coalesce((SELECT max(written) FROM closed_rounds), 0)) AS written`,
  );
  return row?.written ?? 0;
}

export async function allRules(session: Session): Promise<RuleState[]> {
  return await session.query<RuleState>(
    `SELECT name, version, started_at AS "startedAt", last_round AS "lastRound" FROM rule_states`,
  );
}

import { createHash } from "node:crypto";
import type { RoundRecord, RuleState } from "../../model.ts";
import type { Database } from "./driver.ts";
import type { Names } from "./names.ts";

/** Rules, their versions and their rounds. Writing goes inside a transaction. */
export interface RuleTables {
  put(rule: RuleState): void;
  remove(name: string): void;
  putVersion(version: { readonly version: string; readonly source: string }): void;
  /** A round of the same date is replaced. */
  putRound(round: RoundRecord): void;
  all(): RuleState[];
}

export function ruleTables(db: Database, names: Names): RuleTables {
  const put = db.prepare("INSERT OR REPLACE INTO rules VALUES (?, ?, ?, ?)");
  const remove = db.prepare<[number]>("DELETE FROM rules WHERE name = ?");
  const all = db
    .prepare<[], [number, string, number | null, number | null]>(
      "SELECT name, version, started_at, last_round FROM rules",
    )
    .raw();
  const putVersion = db.prepare(
    "INSERT INTO rule_versions (version, source) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );
  const putSet = db.prepare(
    "INSERT INTO rule_sets (hash, names) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );
  const putRound = db.prepare(
    `INSERT OR REPLACE INTO rounds (date, rule_set, requests, subjects, failed, failures, took_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  return {
    put: (rule) =>
      void put.run(names.idOf(rule.name), rule.version, rule.startedAt, rule.lastRound),
    remove: (name) => void remove.run(names.idOf(name)),
    putVersion: ({ version, source }) => void putVersion.run(version, source),
    putRound({ date, rules, requests, subjects, failed, failures, tookMs }) {
      const list = JSON.stringify(rules);
      const hash = createHash("sha256").update(list).digest("hex");
      putSet.run(hash, list);
      putRound.run(date, hash, requests, subjects, failed, JSON.stringify(failures), tookMs);
    },
    all: () =>
      all.all().map(([name, version, startedAt, lastRound]) => ({
        name: names.textOf(name),
        version,
        startedAt,
        lastRound,
      })),
  };
}

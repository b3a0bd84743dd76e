import type { RuleState } from "../../model/index.ts";
import { type Loaded, NOTHING_LOADED } from "../store.ts";
import { alertsOf } from "./alerts.ts";
import { query, type Work } from "./work.ts";

/** What a daemon runs, as its database has it at one moment. */
export interface LoadedView {
  /** What a start with another configuration would find, without samples and cursors. */
  readonly loaded: Loaded;
  /** The rules that are watched as canonical text, by their names. */
  readonly sources: ReadonlyMap<string, string>;
  /** Requests of rounds since `from` (epoch milliseconds), and the date of the first of them; null: there was none. */
  readonly requests: { readonly count: number; readonly first: number } | null;
}

/** The rounds of `from` and later are counted. */
export function* loadedView(from: number): Work<LoadedView> {
  const rules = yield* query<RuleState & { readonly source: string | null }>(
    `SELECT name, states.version, started_at AS "startedAt", last_round AS "lastRound", source
     FROM rule_states AS states
       LEFT JOIN rule_versions ON rule_versions.version = states.version
     ORDER BY name COLLATE "C"`,
  );
  const marks = yield* query<{ readonly subject: string; readonly value: string }>(
    "SELECT names.text AS subject, value FROM marks JOIN names ON names.id = subject",
  );
  const [rounds] = yield* query<{ readonly count: number | null; readonly first: number | null }>(
    "SELECT sum(requests) AS count, min(date) AS first FROM rounds WHERE date >= $1",
    [from],
  );
  const { count = null, first = null } = rounds ?? {};
  return {
    loaded: {
      ...NOTHING_LOADED,
      alerts: yield* alertsOf(null),
      rules: rules.map(({ source: _text, ...rule }) => rule),
      marks: new Map(marks.map(({ subject, value }) => [subject, value])),
    },
    sources: new Map(rules.map(({ name, source }) => [name, source ?? ""])),
    requests: count === null || first === null ? null : { count, first },
  };
}

import { ALERT_COLUMNS } from "../rows.ts";

/** A table that both databases have by the same name, with the columns that are moved. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Those that hold the number of a name: each database gives its own numbers. */
  readonly names: readonly string[];
}

function table(name: string, columns: string, names = ""): Table {
  return { name, columns: columns.split(" "), names: names.split(" ").filter((one) => one !== "") };
}

/** Every table that says something, in an order in which what refers to another comes after it. */
export const TABLES: readonly Table[] = [
  table("names", "id text"),
  table("series", "id subject metric", "subject"),
  // In the order of series and dates, before the newest: SQLite chains them.
  table("runs", "series first last value"),
  table("newest", "series first last value"),
  table("revisions", "at series first value"),
  table("subject_facts", "subject at facts", "subject"),
  { name: "alerts", columns: ALERT_COLUMNS, names: ["rule", "subject"] },
  table(
    "alert_changes",
    "seq rule subject at state told_state no_data value alert",
    "rule subject",
  ),
  table("rules", "name version started_at last_round written", "name"),
  table("rule_versions", "version source"),
  table("rule_changes", "seq rule at version", "rule"),
  table("rule_sets", "hash names"),
  table("round_reads", "id hash reads"),
  table("rounds", "date rule_set requests subjects failed failures took_ms unread reads"),
  table("closed_rounds", "rule_set date written"),
  table("notices", "seq id kind rule subject at body"),
  table("messages", "seq id channel body state attempts until error created_at settled_at"),
  table("owed", "notice channel message place held_until"),
  table("attempts", "message number at outcome answer until"),
  table("cursors", "subject value", "subject"),
  table("marks", "subject value", "subject"),
  table("silences", "id rule subjects labels starts_at ends_at author comment created_at"),
  table("orders", "id kind rule subject author comment at done_at"),
  table("audit", "id at author via action rule subject about comment count"),
  table("history_cache", "key first last fetched_at body"),
];

export type Value = string | number | null | Buffer;

/** Rows of a table, values in the order of its columns. */
export type Rows = readonly (readonly Value[])[];

/** One moment of a database, a page of rows at a time. */
export interface Source {
  read(table: Table): AsyncIterable<Rows>;
}

/** An empty database that is filled in one transaction. */
export interface Target extends Source {
  write(table: Table, rows: Rows): Promise<void>;
  /** Nothing more is written. */
  finish(): Promise<void>;
}

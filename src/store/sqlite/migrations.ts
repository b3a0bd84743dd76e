import { BASELINE } from "./baseline.ts";

export interface Migration {
  /** The format of a database to which it was applied: its `user_version`. */
  readonly format: number;
  readonly sql: string;
}

/**
 * The steps that make the tables, each from the format before it, in the order of their formats. One
 * that was released is never edited (a test holds the hash of each): what changes is a step more.
 * The first makes the oldest format that is still upgraded.
 */
export const MIGRATIONS: readonly Migration[] = [{ format: 4, sql: BASELINE }];

export const OLDEST_FORMAT = MIGRATIONS[0]?.format ?? 0;
export const NEWEST_FORMAT = MIGRATIONS.at(-1)?.format ?? 0;

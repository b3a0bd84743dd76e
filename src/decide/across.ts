import { createHash } from "node:crypto";
import { chainName } from "../base/chains.ts";
import { formatTime } from "../base/clock.ts";
import { add, compare, Decimal } from "../base/decimal.ts";
import type { Description, Reading, Row } from "../kinds/kind.ts";
import type { Rule, Subject, Value } from "../model/index.ts";

export type Across = NonNullable<Rule["across"]>;

/**
 * The subject of a rule with `across`: all of its subjects together. Another set of subjects is another subject with
 * samples of its own, because adding a chain is not a mint. The alert stays the same.
 */
export function acrossSubject(kind: string, across: Across, members: readonly Subject[]): Subject {
  const keys = members.map(({ key }) => key).toSorted();
  const set = createHash("sha256").update(keys.join("\n")).digest("hex").slice(0, 16);
  const chains = new Set(members.map(({ chainId }) => chainId));
  const [only = 0] = chains.size === 1 ? chains : [];
  return { key: `across:${across}:${kind}:${set}`, kind, chainId: only, ids: {}, name: null };
}

/** The watch kind of a combined subject; null: a single subject. */
export function acrossKind(key: string): string | null {
  if (!key.startsWith("across:")) return null;
  const [, , kind, set] = key.split(":");
  return set !== undefined ? (kind ?? null) : null;
}

/** How a combined subject combines its values; null: a single subject. */
export function acrossOf(key: string): Across | null {
  if (acrossKind(key) === null) return null;
  const word = key.split(":")[1] ?? "";
  return word === "sum" || word === "min" || word === "max" ? word : null;
}

/**
 * The readings of all members as one: the sum, the minimum or the maximum of their values. In a round in which any
 * member has no value the whole has none, so that a chain that did not answer never looks like a fall. The
 * newest bucket is the newest of any member.
 */
export class AcrossReading implements Reading {
  readonly rows: readonly Row[];
  readonly absent = false;
  readonly unanswered: Reading["unanswered"];
  readonly closed = false;

  constructor(
    across: Across,
    bucketed: boolean,
    private readonly members: readonly Subject[],
    private readonly readings: readonly Reading[],
  ) {
    this.unanswered = readings.find(({ unanswered }) => unanswered !== null)?.unanswered ?? null;
    this.rows = bucketed ? bucketRows(across, readings) : [stateRow(across, readings)];
  }

  get trouble(): string | null {
    for (const [index, { trouble }] of this.readings.entries()) {
      const member = this.members[index];
      if (trouble === null || member === undefined) continue;
      return `${chainName(member.chainId)}: ${trouble}`;
    }
    return this.#laggard();
  }

  /** Bucketed kinds: the members without the newest bucket. */
  #laggard(): string | null {
    const newest = this.rows.at(-1)?.date ?? null;
    if (newest === null) return null;
    const index = this.readings.findIndex(({ rows }) => rows.every(({ date }) => date !== newest));
    const member = this.members[index];
    return member === undefined
      ? null
      : `${chainName(member.chainId)}: nothing from ${formatTime(newest)} on`;
  }

  marks(): [] {
    return [];
  }

  decimals(metric: string): number | null {
    return common(this.readings.map((reading) => reading.decimals(metric)));
  }

  describe(): Description {
    const parts = this.readings.map((reading) => reading.describe());
    return {
      label:
        common(this.members.map(({ name }) => name)) ??
        common(parts.map(({ label }) => label)) ??
        `${this.members.length} subjects`,
      chain: chainsInWords(this.members),
      link: null,
      range: null,
      unit: (metric) => common(parts.map((part) => part.unit(metric))) ?? "",
    };
  }
}

function stateRow(across: Across, readings: readonly Reading[]): Row {
  const rows = readings.map((reading) => reading.rows[0]);
  return { date: null, value: (metric) => fold(across, rows, metric) };
}

/**
 * One row for each bucket of any member. A bucket that one member lacks has no value: an older bucket that all
 * members have does not replace it.
 */
function bucketRows(across: Across, readings: readonly Reading[]): Row[] {
  const members = readings.map(({ rows }) => new Map(rows.map((row) => [row.date ?? 0, row])));
  // Nothing is known of a member that did not answer.
  if (members.some((rows) => rows.size === 0)) return [];
  const dates = [...new Set(members.flatMap((rows) => [...rows.keys()]))].toSorted((a, b) => a - b);
  return dates.map((date) => {
    const rows = members.map((one) => one.get(date));
    return { date, value: (metric) => fold(across, rows, metric) };
  });
}

function fold(across: Across, rows: readonly (Row | undefined)[], metric: string): Decimal | null {
  return combined(
    across,
    rows.map((row) => row?.value(metric) ?? null),
  );
}

/** The sum, the minimum or the maximum of the members' values; null if any has none. */
export function combined(across: Across, values: readonly (Value | null)[]): Decimal | null {
  let result: Decimal | null = null;
  for (const value of values) {
    if (!(value instanceof Decimal)) return null;
    result = result === null ? value : COMBINE[across](result, value);
  }
  return result;
}

const COMBINE: Readonly<Record<Across, (a: Decimal, b: Decimal) => Decimal>> = {
  sum: add,
  min: (a, b) => (compare(a, b) <= 0 ? a : b),
  max: (a, b) => (compare(a, b) >= 0 ? a : b),
};

/** The value that all members share; null if they differ. */
export function common<T>(values: readonly (T | null)[]): T | null {
  const [first = null] = values;
  return values.every((value) => value === first) ? first : null;
}

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/** `Ethereum`, or `two chains`. */
export function chainsInWords(members: readonly Subject[]): string {
  const chains = new Set(members.map(({ chainId }) => chainId));
  const [only] = chains;
  if (only !== undefined && chains.size === 1) return chainName(only);
  return `${NUMBERS[chains.size] ?? chains.size} chains`;
}

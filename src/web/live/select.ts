import { isAcked } from "../../decide/notification-state.ts";
import { decodeCursor, encodeCursor } from "../api/cursor.ts";
import type { AlertQuery } from "../api/schemas/queries.ts";
import type { Row } from "./row.ts";

/** A page of alerts: those that a filter selects, in an order, after a cursor. */
export interface Page {
  readonly rows: readonly Row[];
  readonly total: number;
  readonly next: string | null;
}

/** Looks at all alerts once: 100,000 take some 20 ms, and nothing is kept. Throws ProblemError for a cursor of another list. */
export function selectRows(rows: readonly Row[], query: AlertQuery): Page {
  const fits = filterOf(query);
  const keyOf = query.sort === "distance" ? distanceKey : urgencyKey;
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor, 2);
  const best = new Best(query.limit, keyOf);
  let total = 0;
  for (const row of rows) {
    if (!fits(row)) continue;
    total += 1;
    best.offer(row, after);
  }
  const found = best.rows;
  const last = found.at(-1);
  const next = last === undefined || !best.hasMore ? null : encodeCursor([keyOf(last), last.index]);
  return { rows: found, total, next };
}

/** The same by rule: the first `most` of each, and how many it has. A page holds whole rules. */
export function selectByRule(
  rows: readonly Row[],
  query: AlertQuery,
  most: number,
): Page & { readonly rules: { readonly rule: string; readonly total: number }[] } {
  const fits = filterOf(query);
  const keyOf = query.sort === "distance" ? distanceKey : urgencyKey;
  const [after = -1] = query.cursor === undefined ? [] : decodeCursor(query.cursor, 1);
  const groups = new Map<number, { readonly best: Best; total: number }>();
  let total = 0;
  for (const row of rows) {
    if (!fits(row)) continue;
    total += 1;
    if (row.rule <= after) continue;
    const group = groups.get(row.rule) ?? { best: new Best(most, keyOf), total: 0 };
    groups.set(row.rule, group);
    group.total += 1;
    group.best.offer(row, null);
  }
  const found: Row[] = [];
  const rules: { readonly rule: string; readonly total: number }[] = [];
  let last = after;
  for (const [place, { best, total: own }] of groups) {
    if (found.length > 0 && found.length + best.rows.length > query.limit) {
      return { rows: found, total, next: encodeCursor([last]), rules };
    }
    found.push(...best.rows);
    const [one] = best.rows;
    if (one !== undefined) rules.push({ rule: one.memory.watched.rule.name, total: own });
    last = place;
  }
  return { rows: found, total, next: null, rules };
}

/** The first of them by urgency. */
export function mostUrgent(rows: readonly Row[], limit: number): readonly Row[] {
  const best = new Best(limit, urgencyKey);
  for (const row of rows) best.offer(row, null);
  return best.rows;
}

/** The first of them by how far they are past their limit. */
export function furthest(rows: readonly Row[], limit: number): readonly Row[] {
  const best = new Best(limit, ({ ratio }) => -(ratio ?? 0));
  for (const row of rows) best.offer(row, null);
  return best.rows;
}

const urgencyKey = ({ urgency }: Row): number => urgency;

/** By rule, the nearest first; what has no distance comes last. */
const distanceKey = ({ rule, ratio }: Row): number =>
  rule * 4_096 + (ratio === null ? 2_048 : 1_024 - ratio);

/** Keeps the first `limit` of what it is offered, in their order. */
class Best {
  readonly rows: Row[] = [];
  hasMore = false;
  readonly #keys: number[] = [];

  constructor(
    private readonly limit: number,
    private readonly keyOf: (row: Row) => number,
  ) {}

  offer(row: Row, after: readonly number[] | null): void {
    const key = this.keyOf(row);
    if (after !== null) {
      const [afterKey = 0, afterIndex = 0] = after;
      if (key < afterKey || (key === afterKey && row.index <= afterIndex)) return;
    }
    const last = this.#keys.length - 1;
    // Rows come in the order of their index, which decides between equal keys.
    if (last + 1 === this.limit) {
      this.hasMore = true;
      if (key >= (this.#keys[last] ?? 0)) return;
      this.rows.pop();
      this.#keys.pop();
    }
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#keys[middle] ?? 0) <= key) low = middle + 1;
      else high = middle;
    }
    this.rows.splice(low, 0, row);
    this.#keys.splice(low, 0, key);
  }
}

type Filter = (row: Row) => boolean;

function filterOf(query: AlertQuery): Filter {
  const filters: Filter[] = [];
  const { state, severity, acked, rule, subject, kind, label, q } = query;
  if (state !== undefined) filters.push(placeFilter(state));
  if (severity !== undefined)
    filters.push(({ memory }) => memory.watched.rule.severity === severity);
  if (acked !== undefined) {
    filters.push(({ memory: { alert } }) => {
      return (alert !== null && isAcked(alert)) === (acked === "yes");
    });
  }
  if (rule !== undefined) filters.push(({ memory }) => memory.watched.rule.name === rule);
  if (subject !== undefined) filters.push(({ memory }) => memory.subject.key === subject);
  if (kind !== undefined) filters.push(({ memory }) => memory.watched.rule.kind === kind);
  if (label !== undefined) {
    const [name = "", ...rest] = label.split("=");
    const value = rest.join("=");
    filters.push(({ memory }) => {
      const { labels } = memory.watched.rule;
      return Object.hasOwn(labels, name) && labels[name] === value;
    });
  }
  const words = (q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length > 0) filters.push((row) => words.every((word) => row.words.includes(word)));
  return (row) => filters.every((one) => one(row));
}

function placeFilter(state: NonNullable<AlertQuery["state"]>): Filter {
  switch (state) {
    case "pending":
    case "recovering":
      return ({ memory }) => memory.alert?.state === state;
    case "firing":
      return ({ memory }) =>
        memory.alert?.state === "firing" || memory.alert?.state === "recovering";
    default:
      return ({ place }) => place === state;
  }
}

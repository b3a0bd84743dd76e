import { isMap, listOf } from "../../base/json.ts";
import {
  type GroupReads,
  isRecordName,
  type RoundReads,
  type ScopeRead,
  type Unread,
} from "../../model/index.ts";

/** What a round wrote down of what it read beside the samples. */
export interface RoundTold {
  /** Subjects of which it read too little, by their keys. */
  readonly unread: ReadonlyMap<string, Unread>;
  /** Null: it is of before this was written down. */
  readonly reads: RoundReads | null;
}

export const NOTHING_TOLD: RoundTold = { unread: new Map(), reads: null };

/** Reads what a round wrote down; what is not as it should be is left out. */
export function toldFrom(text: string): RoundTold {
  const told: unknown = JSON.parse(text);
  if (!isMap(told)) return NOTHING_TOLD;
  const { openedAt, groups, unread } = told;
  return {
    unread: byKey(listOf(unread).flatMap(unreadOne)),
    reads:
      typeof openedAt === "number" ? { openedAt, groups: listOf(groups).flatMap(groupFrom) } : null,
  };
}

/** `[["gas:1"], ["v4_position:1:dexa:42", "in_range"]]`, as it was written before. */
export function unreadFrom(text: string): RoundTold {
  const unread = listOf(JSON.parse(text)).flatMap((one) => {
    const [subject, ...metrics] = textsOf(one);
    return subject === undefined
      ? []
      : [{ subject, metrics: metrics.length === 0 ? null : metrics }];
  });
  return { unread: byKey(unread), reads: null };
}

function byKey(all: readonly Unread[]): ReadonlyMap<string, Unread> {
  return new Map(all.map((one) => [one.subject, one]));
}

function unreadOne(value: unknown): Unread[] {
  if (!isMap(value) || typeof value.subject !== "string") return [];
  const { subject, metrics, unanswered, absent, trouble } = value;
  return [
    {
      subject,
      metrics: metrics === null ? null : textsOf(metrics),
      ...(isRecordName(unanswered) ? { unanswered } : {}),
      ...(absent === true ? { absent } : {}),
      ...(typeof trouble === "string" ? { trouble } : {}),
    },
  ];
}

function groupFrom(value: unknown): GroupReads[] {
  if (!isMap(value)) return [];
  const { rules, scopes, rebased } = value;
  const read: Record<string, ScopeRead> = {};
  for (const [key, one] of Object.entries(isMap(scopes) ? scopes : {})) {
    if (!isMap(one)) continue;
    const { refused, detail } = one;
    read[key] = {
      answered: one.answered === true,
      failed: one.failed === true,
      refused: refused === 2 || refused === 1 ? refused : 0,
      byKey: one.byKey === true,
      detail: typeof detail === "string" ? detail : null,
    };
  }
  const since: Record<string, number> = {};
  for (const [key, one] of Object.entries(isMap(rebased) ? rebased : {})) {
    if (typeof one === "number") since[key] = one;
  }
  return [{ rules: rules === null ? null : textsOf(rules), scopes: read, rebased: since }];
}

function textsOf(value: unknown): string[] {
  return listOf(value).filter((one) => typeof one === "string");
}

import type { Notice } from "../model/index.ts";
import type { Backlog, BacklogNotice } from "./store.ts";

/** Of the sends of one message so many are remembered, the first and the last ones. */
export const FIRST_SENDS_KEPT = 20;
export const LAST_SENDS_KEPT = 100;

/** A notice as it is owed to one channel. */
export interface OwedNotice {
  readonly seq: number;
  readonly body: string;
  readonly channel: string;
  readonly message: string | null;
  readonly heldUntil: number | null;
}

/** Of rows that are in the order of notices. */
export function backlogNotices(rows: readonly OwedNotice[]): BacklogNotice[] {
  const bySeq = new Map<number, OwedNotice[]>();
  for (const row of rows) {
    const others = bySeq.get(row.seq);
    if (others === undefined) bySeq.set(row.seq, [row]);
    else others.push(row);
  }
  return [...bySeq.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const owed = all.map(({ channel, message, heldUntil }) => ({ channel, message, heldUntil }));
    return [{ notice: JSON.parse(first.body) as Notice, owed }];
  });
}

/** What of it is owed to these channels. */
export function backlogOf(
  { notices, messages }: Backlog,
  isMeant: (channel: string) => boolean,
): Backlog {
  return {
    messages: messages.filter(({ message }) => isMeant(message.channel)),
    notices: notices.flatMap(({ notice, owed }) => {
      const meant = owed.filter(({ channel }) => isMeant(channel));
      return meant.length === 0 ? [] : [{ notice, owed: meant }];
    }),
  };
}

import { cleanText } from "../base/text.ts";
import type { Outbox, Retried, Selection } from "../store/operator-db/outbox.ts";
import type { OutboxEntry } from "../store/operator-db/outbox-entries.ts";
import { type Actor, deedOf } from "./actor.ts";

/** Makes many messages due at once. */
export function retryMany(
  selection: Selection,
  actor: Actor,
  now: number,
  outbox: Outbox,
): Promise<Retried> {
  return outbox.retry(selection, ({ due, revived }) => {
    const whose = selection.channel ?? "all channels";
    const about = `${due} waiting and ${revived} dead messages of ${whose}`;
    return deedOf(actor, { action: "retry", about, count: due + revived, at: now });
  });
}

/** Makes one message due. False: it was delivered. */
export function retryMessage(
  entry: OutboxEntry,
  actor: Actor,
  now: number,
  outbox: Outbox,
): Promise<boolean> {
  return outbox.retryOne(entry, deedOf(actor, { action: "retry", ...aboutEntry(entry), at: now }));
}

/** Gives all dead letters of a channel up for good; returns how many. */
export function dropDead(
  channel: string,
  actor: Actor,
  now: number,
  outbox: Outbox,
): Promise<number> {
  return outbox.dropDead(channel, (count) => {
    const about = `${count} dead messages of ${channel}`;
    return deedOf(actor, { action: "drop", about: cleanText(about, 500), count, at: now });
  });
}

/** Gives one message up. False: it is delivered or dropped already. */
export function dropMessage(
  entry: OutboxEntry,
  actor: Actor,
  now: number,
  outbox: Outbox,
): Promise<boolean> {
  const deed = deedOf(actor, { action: "drop", ...aboutEntry(entry), at: now });
  return outbox.drop(entry, now, deed);
}

function aboutEntry({ id, channel, notices }: OutboxEntry): {
  readonly about: string;
  readonly count: number;
  readonly rule: string | null;
  readonly subject: string | null;
} {
  const [first] = notices;
  const others = notices.length > 1 ? ` and ${notices.length - 1} more` : "";
  const about = `${id} for ${channel}: ${first?.headline ?? "no notice"}${others}`;
  const isOne = notices.length === 1;
  return {
    about: cleanText(about, 500),
    count: 1,
    rule: isOne ? (first?.rule ?? null) : null,
    subject: isOne ? (first?.subject ?? null) : null,
  };
}

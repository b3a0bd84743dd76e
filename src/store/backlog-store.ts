import { setImmediate as breathe } from "node:timers/promises";
import { type Change, NO_CHANGE } from "../model/index.ts";
import { memoryStores } from "./sqlite/store.ts";
import type { Backlog, Store } from "./store.ts";

/** Notices that go into memory in one transaction: it takes some milliseconds. */
const NOTICES_AT_ONCE = 500;

/** A store in memory that owes the same. */
export async function storeWith({ notices, messages }: Backlog): Promise<Store> {
  const store = (await memoryStores())();
  for (let from = 0; from < notices.length; from += NOTICES_AT_ONCE) {
    const some = notices.slice(from, from + NOTICES_AT_ONCE);
    const owed = some.map((one) => ({
      notice: one.notice,
      channels: one.owed.map(({ channel }) => channel),
    }));
    await store.commit({ ...NO_CHANGE, notices: owed });
    await breathe();
  }
  for (const { message, until } of messages) {
    const waits = until !== null;
    // Whoever is to wait counts the send that comes next.
    await store.freeze(waits ? { ...message, attempts: message.attempts - 1 } : message, 0);
    if (waits) await store.settle(message.id, { status: "waiting", at: 0, until, error: "" });
  }
  for (const { notice, owed } of notices) {
    for (const { channel, heldUntil } of owed) {
      if (heldUntil !== null) await store.hold(channel, [notice.id], heldUntil);
    }
  }
  return store;
}

/**
 * Changes without what was sent meanwhile: whoever delivers to a channel that is not ours does not send it again.
 * `backlog`: what is still owed.
 */
export function withoutSent(
  changes: readonly Change[],
  { notices: open }: Backlog,
  isOurs: (channel: string) => boolean,
): readonly Change[] {
  const owed = new Set(
    open.flatMap(({ notice, owed: to }) => to.map(({ channel }) => `${notice.id} ${channel}`)),
  );
  return changes.map((change) => ({
    ...change,
    notices: change.notices.map(({ notice, channels }) => ({
      notice,
      channels: channels.filter((name) => isOurs(name) || owed.has(`${notice.id} ${name}`)),
    })),
  }));
}

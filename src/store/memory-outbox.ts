import type { Change, Message, Notice } from "../model.ts";
import { type Claim, MOST_CLAIMED, type Settlement } from "./store.ts";

/** What is owed to whom, in memory; the same behaviour as the tables of sqlite/outbox.ts. */
export interface MemoryOutbox {
  put(notices: Change["notices"]): void;
  claim(channel: string, now: number): Claim;
  freeze(message: Message): void;
  settle(id: string, result: Settlement): void;
  wake(channel: string): void;
  owed(): Map<string, number>;
  prune(before: number): number;
}

interface Kept {
  readonly notice: Notice;
  /** By channel: the message that the notice is in; null while it is in none. */
  readonly owed: Map<string, string | null>;
}

interface Sending {
  message: Message;
  until: number | null;
  settledAt: number | null;
}

export function memoryOutbox(): MemoryOutbox {
  /** By id, in the order of commit. */
  const notices = new Map<string, Kept>();
  /** By id, in the order of freezing. */
  const messages = new Map<string, Sending>();

  function* open(channel: string): Generator<Sending> {
    for (const sending of messages.values()) {
      if (sending.message.channel === channel && sending.settledAt === null) yield sending;
    }
  }

  return {
    put(added) {
      for (const { notice, channels } of added) {
        let { id } = notice;
        for (let count = 2; notices.has(id); count += 1) id = `${notice.id}-${count}`;
        const owed = new Map(channels.map((channel) => [channel, null]));
        notices.set(id, { notice: { ...notice, id }, owed });
      }
    },

    claim(channel, now) {
      for (const { message, until } of open(channel)) {
        if (until !== null && until > now) return { kind: "idle", until };
        return { kind: "message", message };
      }
      const owing: Notice[] = [];
      for (const { notice, owed } of notices.values()) {
        if (owed.get(channel) === null) owing.push(notice);
        if (owing.length === MOST_CLAIMED) break;
      }
      const [first, ...rest] = owing;
      if (first === undefined) return { kind: "idle", until: null };
      return { kind: "notices", notices: [first, ...rest] };
    },

    freeze(message) {
      if (messages.has(message.id)) throw new Error(`message ${message.id} is there already`);
      const owing = message.notices.map((id) => notices.get(id)?.owed);
      if (owing.some((owed) => owed?.get(message.channel) !== null)) {
        throw new Error(`a notice is not owed to ${message.channel} or in a message already`);
      }
      for (const owed of owing) owed?.set(message.channel, message.id);
      messages.set(message.id, { message, until: null, settledAt: null });
    },

    settle(id, result) {
      const sending = messages.get(id);
      if (sending === undefined || sending.settledAt !== null) return;
      if (result.status === "waiting") {
        const { message } = sending;
        sending.message = { ...message, attempts: message.attempts + 1 };
        sending.until = result.until;
      } else sending.settledAt = result.at;
    },

    wake(channel) {
      for (const sending of open(channel)) sending.until = null;
    },

    owed() {
      const counts = new Map<string, number>();
      for (const { owed } of notices.values()) {
        for (const [channel, id] of owed) {
          const settled = id !== null && messages.get(id)?.settledAt !== null;
          if (!settled) counts.set(channel, (counts.get(channel) ?? 0) + 1);
        }
      }
      return counts;
    },

    prune(before) {
      let deleted = 0;
      for (const [id, { message, settledAt }] of messages) {
        if (settledAt === null || settledAt >= before) continue;
        for (const notice of message.notices) notices.get(notice)?.owed.delete(message.channel);
        messages.delete(id);
        deleted++;
      }
      for (const [id, { notice, owed }] of notices) {
        if (notice.at >= before || owed.size > 0) continue;
        notices.delete(id);
        deleted++;
      }
      return deleted;
    },
  };
}

import type { Change, Message, Notice } from "../../src/model/index.ts";
import {
  type Backlog,
  type Claim,
  MOST_CLAIMED,
  type Released,
  type Settlement,
} from "../../src/store/store.ts";

/** What is owed to whom. */
export interface ReferenceOutbox {
  put(notices: Change["notices"]): void;
  claim(channel: string, now: number, most?: number): Claim;
  freeze(message: Message): void;
  settle(id: string, result: Settlement): void;
  wake(channel: string): void;
  hold(channel: string, notices: readonly string[], until: number): void;
  held(channel: string, now: number): Notice[];
  release(channel: string, released: Released): void;
  taken(ids: readonly string[]): Set<string>;
  owed(): Map<string, number>;
  backlog(): Backlog;
  prune(before: number): number;
}

interface Kept {
  readonly notice: Notice;
  /** By channel: the message that the notice is in; null while it is in none. */
  readonly owed: Map<string, string | null>;
  /** By channel: until when it is held back; absent: it is not. */
  readonly held: Map<string, number>;
}

interface Sending {
  message: Message;
  until: number | null;
  settledAt: number | null;
}

export function referenceOutbox(): ReferenceOutbox {
  /** By id, in the order of commit. */
  const notices = new Map<string, Kept>();
  /** By id, in the order of freezing. */
  const messages = new Map<string, Sending>();

  function* open(channel: string): Generator<Sending> {
    for (const sending of messages.values()) {
      if (sending.message.channel === channel && sending.settledAt === null) yield sending;
    }
  }

  function put(added: Change["notices"]): void {
    for (const { notice, channels } of added) {
      let { id } = notice;
      for (let count = 2; notices.has(id); count += 1) id = `${notice.id}-${count}`;
      const owed = new Map(channels.map((channel) => [channel, null]));
      notices.set(id, { notice: { ...notice, id }, owed, held: new Map() });
    }
  }

  return {
    put,

    claim(channel, now, most = MOST_CLAIMED) {
      for (const { message, until } of open(channel)) {
        if (until !== null && until > now) return { kind: "idle", until };
        return { kind: "message", message };
      }
      const owing: Notice[] = [];
      let until: number | null = null;
      for (const { notice, owed, held } of notices.values()) {
        const end = held.get(channel);
        if (owed.get(channel) !== null) continue;
        if (end !== undefined) until = Math.min(until ?? end, end);
        else owing.push(notice);
        if (owing.length === most) break;
      }
      const [first, ...rest] = owing;
      if (first === undefined)
        return until === null ? { kind: "idle", until } : { kind: "idle", until, held: true };
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

    hold(channel, ids, until) {
      for (const id of ids) {
        const kept = notices.get(id);
        if (kept?.owed.get(channel) === null) kept.held.set(channel, until);
      }
    },

    held(channel, now) {
      const waiting = [...notices.values()].filter(({ held }) => held.has(channel));
      const due = waiting.filter(({ held }) => (held.get(channel) ?? now) <= now);
      return waiting
        .map(({ notice }) => notice)
        .filter(({ rule, subject }) =>
          due.some(({ notice }) => notice.rule === rule && notice.subject === subject),
        );
    },

    release(channel, { keep, drop, add }) {
      for (const id of keep) notices.get(id)?.held.delete(channel);
      for (const id of drop) {
        const kept = notices.get(id);
        kept?.held.delete(channel);
        if (kept?.owed.get(channel) === null) kept.owed.delete(channel);
      }
      put(add.map((notice) => ({ notice, channels: [channel] })));
    },

    taken: (ids) => new Set(ids.filter((id) => notices.has(id))),

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

    backlog() {
      const isOpen = (id: string): boolean => messages.get(id)?.settledAt === null;
      const owing = [...notices.values()].map(({ notice, owed, held }) => ({
        notice,
        owed: [...owed].flatMap(([channel, message]) =>
          message === null || isOpen(message)
            ? [{ channel, message, heldUntil: held.get(channel) ?? null }]
            : [],
        ),
      }));
      const sending = [...messages.values()].filter(({ settledAt }) => settledAt === null);
      return {
        notices: owing.filter(({ owed }) => owed.length > 0),
        messages: sending.map(({ message, until }) => ({ message, until })),
      };
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

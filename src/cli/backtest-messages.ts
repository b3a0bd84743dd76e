import { setImmediate as immediate } from "node:timers/promises";
import { createLogger } from "../base/log.ts";
import type { Channel } from "../channels/channel.ts";
import { startDelivery } from "../delivery/deliver.ts";
import {
  type AddressedNotice,
  NO_CHANGE,
  type Notice,
  type Rule,
  type Setup,
} from "../model/index.ts";
import { createManualClock } from "../replay/manual-clock.ts";
import { memoryStores } from "../store/sqlite/store.ts";

/** What one channel would have been sent. */
export interface ChannelCount {
  readonly channel: string;
  readonly messages: number;
  /** Notices that were sent, in those messages. */
  readonly notices: number;
  /** Notices that a mute held back and that were dropped by its end. */
  readonly dropped: number;
}

/** More notices than this are not sent one by one: who gets so many needs no exact count. */
const MOST_NOTICES = 20_000;

/**
 * Sends notices through the delivery itself, on a clock of the past and to channels that only count: routes, mutes
 * and digests are those of the setup. Null: there are too many to count. Throws StoreError `no_driver`.
 */
export async function countMessages(
  notices: readonly AddressedNotice[],
  rules: readonly Rule[],
  setup: Setup,
  digests: ReadonlySet<string>,
  until: number,
): Promise<readonly ChannelCount[] | null> {
  const counts = new Map(
    setup.channels.map(({ name }) => [name, { messages: 0, notices: 0, dropped: 0 }]),
  );
  const mutes = new Map(rules.map((rule) => [rule.name, rule.mutes]));
  const digesting = new Set(
    setup.channels.filter(({ kind }) => digests.has(kind)).map(({ name }) => name),
  );
  // What no digest and no mute may hold back is a message of its own.
  const isFree = ({ rule, about }: Notice, channel: string): boolean =>
    about === undefined &&
    !digesting.has(channel) &&
    (mutes.get(rule ?? "")?.get(channel) ?? []).length === 0;
  const waiting: AddressedNotice[] = [];
  for (const { notice, channels: to } of notices) {
    const others = to.filter((channel) => {
      const count = isFree(notice, channel) ? counts.get(channel) : undefined;
      if (count === undefined) return true;
      count.messages += 1;
      count.notices += 1;
      return false;
    });
    if (others.length > 0) waiting.push({ notice, channels: others });
  }
  if (waiting.length > MOST_NOTICES) return null;
  const [first] = waiting;
  if (first !== undefined) {
    const store = (await memoryStores())();
    const clock = createManualClock(first.notice.at);
    const channels = new Map(
      setup.channels.map(({ name, kind }) => [name, counting(digests.has(kind))]),
    );
    const delivery = startDelivery({
      store,
      channels,
      clock,
      mutesOf: (rule) => mutes.get(rule),
      log: createLogger({ level: "silent", stream: { write: () => true } }),
      groupWaitMs: setup.groupWaitMs,
      onEvent: (event) => {
        if (event.kind === "trouble") return;
        const { channel } = event.kind === "ended" ? event.message : event;
        const count = counts.get(channel);
        if (count === undefined) return;
        if (event.kind === "dropped") count.dropped += event.count;
        else if (event.status === "sent") {
          count.messages += 1;
          count.notices += event.message.notices.length;
        }
      },
    });
    for (const batch of byDate(waiting)) {
      const at = batch[0]?.notice.at ?? until;
      await passUntil(at);
      await store.commit({ ...NO_CHANGE, notices: batch });
      delivery.poke();
    }
    await passUntil(until + setup.groupWaitMs);
    await delivery.stop();
    await store.close();

    /** Lets time pass, from one wake-up to the next as long as something is owed. */
    async function passUntil(end: number): Promise<void> {
      for (;;) {
        await Promise.race([delivery.idle(), turns()]);
        const owed = [...(await store.owed()).values()].some((count) => count > 0);
        // Where nothing is owed nobody need be woken: over a year a loop looks half a million times.
        if (!owed) return await clock.set(end);
        const next = clock.next();
        if (next === null || next > end) break;
        await clock.advance(Math.max(0, next - clock.now()));
      }
      await clock.advance(Math.max(0, end - clock.now()));
    }
  }
  return Array.from(counts, ([channel, count]) => ({ channel, ...count }));
}

/** Long enough for what a loop does until it waits for time to pass. */
async function turns(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await immediate();
}

function counting(digests: boolean): Channel {
  return {
    ...(digests ? { digests: true } : {}),
    render: ({ headline }) => headline,
    send: () => Promise.resolve({ status: "sent" }),
    close: () => Promise.resolve(),
  };
}

function* byDate(notices: readonly AddressedNotice[]): Generator<readonly AddressedNotice[]> {
  let batch: AddressedNotice[] = [];
  for (const one of notices.toSorted((a, b) => a.notice.at - b.notice.at)) {
    if (batch.length > 0 && batch[0]?.notice.at !== one.notice.at) {
      yield batch;
      batch = [];
    }
    batch.push(one);
  }
  if (batch.length > 0) yield batch;
}

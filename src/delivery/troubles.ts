import type { Clock } from "../base/clock.ts";
import { MINUTE } from "../base/duration.ts";
import { asMap } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import { CHANNELS_MARK, NO_CHANGE } from "../model/index.ts";
import type { Store } from "../store/store.ts";
import type { ChannelTrouble, OnDeliveryEvent } from "./event.ts";

/** A channel that delivers nothing for so long is told of, as one that rejects is at once. */
const UNREACHABLE_MS = 15 * MINUTE;
/** What is over sooner is not even written down. */
const KEPT_MS = MINUTE;

/** How one channel fares. */
export interface ChannelTroubles {
  /** A send failed. `rejects`: the channel itself refuses everything. */
  failed(reason: string, rejects: boolean): Promise<void>;
  /** The channel took a message, or at least looked at it. */
  worked(): Promise<void>;
  /** Something waits for a retry: tells of what has lasted for long enough. */
  review(): Promise<void>;
  /** The elapsed time at which there is something to tell; null: there is nothing. */
  due(): number | null;
}

export interface TroublesParts {
  readonly store: Store;
  /** That of the outbox. */
  readonly clock: Clock;
  readonly log: Log;
  readonly onEvent: OnDeliveryEvent;
  /** The channels that other daemons deliver to; absent, or undefined: there are no others. */
  readonly elsewhere?: () => ReadonlySet<string> | undefined;
}

export interface Troubles {
  /** Reads what an earlier run has left of these channels. */
  load(channels: readonly string[]): Promise<void>;
  of(channel: string): ChannelTroubles;
  /** It is no longer configured: it is nobody's trouble. */
  forget(channel: string): Promise<void>;
  /** Another daemon delivers to it from now on: what is known of it is left to that one. */
  leave(channel: string): void;
}

interface Known {
  trouble: ChannelTrouble;
  /** When it began, in elapsed time. */
  readonly begun: number;
  kept: boolean;
}

/**
 * Which channels reject what they are sent or cannot be reached, and whether people know. It is written
 * down, so that a restart neither repeats nor forgets it, and `status` can show it.
 */
export function createTroubles({
  store,
  clock,
  log,
  onEvent,
  elsewhere = () => undefined,
}: TroublesParts): Troubles {
  const known = new Map<string, Known>();

  /** What others have written down of their channels. */
  async function others(): Promise<[string, ChannelTrouble][]> {
    const theirs = elsewhere();
    if (theirs === undefined) return [];
    const all = troublesFromText(await store.mark(CHANNELS_MARK));
    return [...all].filter(([name]) => theirs.has(name));
  }

  async function keep(): Promise<void> {
    const lasting = [...known].filter(([, one]) => one.kept);
    try {
      const own = lasting.map(([name, one]): [string, ChannelTrouble] => [name, one.trouble]);
      const value = troublesToText(new Map([...(await others()), ...own]));
      await store.commit({ ...NO_CHANGE, marks: [{ subject: CHANNELS_MARK, value }] });
    } catch (error) {
      // It is known here all the same; only a restart would not know it.
      log.error({ err: error }, "cannot record the state of a channel");
    }
  }

  function of(channel: string): ChannelTroubles {
    async function tell(one: Known): Promise<void> {
      one.trouble = { ...one.trouble, told: true };
      one.kept = true;
      await keep();
      onEvent({ kind: "trouble", channel, trouble: one.trouble, isNews: true });
    }
    async function review(): Promise<void> {
      const one = known.get(channel);
      if (one === undefined || one.trouble.told) return;
      const age = clock.elapsed() - one.begun;
      if (age >= UNREACHABLE_MS) return tell(one);
      if (age < KEPT_MS || one.kept) return;
      one.kept = true;
      await keep();
    }
    return {
      async failed(reason, rejects) {
        const fresh: Known = {
          trouble: { since: clock.now(), reason, rejects, told: false },
          begun: clock.elapsed(),
          kept: false,
        };
        const one = known.get(channel) ?? fresh;
        known.set(channel, one);
        const before = one.trouble;
        one.trouble = { ...before, reason, rejects };
        if (rejects && !before.told) return tell(one);
        // What is shown is what it says now.
        if (one.kept && (before.reason !== reason || before.rejects !== rejects)) await keep();
        await review();
      },
      async worked() {
        const one = known.get(channel);
        if (one === undefined) return;
        known.delete(channel);
        if (one.kept) await keep();
        if (one.trouble.told) onEvent({ kind: "trouble", channel, trouble: null, isNews: true });
      },
      review,
      due() {
        const one = known.get(channel);
        if (one === undefined || one.trouble.told) return null;
        return one.begun + UNREACHABLE_MS;
      },
    };
  }

  return {
    async load(channels) {
      const left = troublesFromText(await store.mark(CHANNELS_MARK));
      for (const [channel, trouble] of left) {
        if (!channels.includes(channel) || known.has(channel)) continue;
        // Of a clock that was set meanwhile nobody knows how long it lasts.
        const begun = clock.elapsed() - Math.max(0, clock.now() - trouble.since);
        known.set(channel, { trouble, begun, kept: true });
        if (trouble.told) onEvent({ kind: "trouble", channel, trouble, isNews: false });
      }
      // Who is no longer configured is nobody's trouble.
      const own = [...left.keys()].filter((name) => elsewhere()?.has(name) !== true);
      if (own.length > known.size) await keep();
    },
    of,
    async forget(channel) {
      const one = known.get(channel);
      known.delete(channel);
      if (one?.kept === true) await keep();
    },
    leave: (channel) => void known.delete(channel),
  };
}

/** For the mark `CHANNELS_MARK`. */
export function troublesToText(troubles: ReadonlyMap<string, ChannelTrouble>): string {
  return JSON.stringify(Object.fromEntries(troubles));
}

/** Reads what was written down; anything else is as if there were nothing. */
export function troublesFromText(text: string | null): ReadonlyMap<string, ChannelTrouble> {
  const found = new Map<string, ChannelTrouble>();
  const read: unknown = text === null ? null : JSON.parse(text);
  for (const [channel, value] of Object.entries(asMap(read) ?? {})) {
    const { since, reason, rejects, told } = asMap(value) ?? {};
    if (typeof since !== "number" || typeof reason !== "string") continue;
    found.set(channel, { since, reason, rejects: rejects === true, told: told === true });
  }
  return found;
}

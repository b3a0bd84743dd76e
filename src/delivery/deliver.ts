import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Channel } from "../channels/channel.ts";
import type { Store } from "../store/store.ts";
import { type ChannelLoop, startLoop } from "./channel-loop.ts";
import type { OnDeliveryEvent } from "./event.ts";
import { UTC } from "./localize.ts";
import type { Mutes } from "./suppress/hold.ts";
import { createTroubles } from "./troubles.ts";

/** To whom is delivered, and how: what a reload may change. */
export interface Receivers {
  /** By the name that rules use. They are not closed by the delivery. */
  readonly channels: ReadonlyMap<string, Channel>;
  /** Those that other daemons deliver to; absent: none. */
  readonly elsewhere?: ReadonlySet<string>;
  /** By channel: the time zone in which its notices tell times; UTC where none is given. */
  readonly zones?: ReadonlyMap<string, string>;
  /** So long, in milliseconds, notices wait for others that go with them; 0, or absent: none does. */
  readonly groupWaitMs?: number;
}

export interface DeliveryParts extends Receivers {
  readonly store: Store;
  /** A clock of real time: the outbox's waits are those of HTTP and SMTP. */
  readonly clock: Clock;
  /** The clock on which the rules live, and silences and mutes with them; absent: `clock`. */
  readonly holdClock?: Clock;
  /** `mutes` of a rule, by its name; absent: nobody mutes anything. */
  readonly mutesOf?: (rule: string) => Mutes | undefined;
  readonly log: Log;
  readonly onEvent?: OnDeliveryEvent;
  /** Until then what people are told is gathered, to go as one message a channel; absent: at once. */
  readonly begun?: Promise<void>;
  /** Chance for the waits, 0 ≤ x < 1; Math.random if absent. */
  readonly random?: () => number;
}

export interface Delivery {
  /** There may be something to send, for one channel or for all; cheap, and safe at any time. */
  poke(channel?: string): void;
  /**
   * Resolves once every channel's loop has looked since the last poke and found nothing that is
   * due. What waits for a retry does not count as due.
   */
  idle(): Promise<void>;
  /**
   * Delivers to these channels from now on. Whoever is the same as before goes on undisturbed; one that is
   * gone, or another under the same name, ends after the message in flight, before the next one begins.
   * Resolves once those have ended: they can be closed. What is queued stays queued.
   */
  follow(receivers: Receivers): Promise<void>;
  /**
   * Starts no further send, gives what is under way 3 s of real time and then breaks it off: it is
   * sent again after the next start. The store is not used any more once this resolves.
   */
  stop(): Promise<void>;
}

const STOP_GRACE_MS = 3_000;

/**
 * Delivers what the store owes: at least once, in order for each channel, one loop a channel, so
 * that a slow or dead one holds up no other.
 */
export function startDelivery(parts: DeliveryParts): Delivery {
  const { store, clock, log } = parts;
  const onEvent = parts.onEvent ?? (() => {});
  const random = parts.random ?? Math.random;
  let receivers: Receivers = parts;
  const isElsewhere = (channel: string): boolean => receivers.elsewhere?.has(channel) === true;
  const known = createTroubles({
    store,
    clock,
    log,
    onEvent,
    elsewhere: () => receivers.elsewhere,
  });
  const load = (channels: readonly string[]): Promise<void> =>
    known.load(channels).catch((error: unknown) => {
      log.error({ err: error }, "cannot read or write the outbox");
    });
  const loaded = load([...parts.channels.keys()]);
  const loops = new Map<string, ChannelLoop>();
  /** The ends of loops that were replaced or removed, by their channels. */
  const endings = new Map<string, Promise<void>>();
  let stopping = false;

  function begin(
    name: string,
    channel: Channel,
    begun: Promise<void> | null,
    ready = loaded,
  ): void {
    const troubles = ready.then(() => known.of(name));
    const loop = startLoop({
      name,
      channel,
      zone: zoneOf(receivers, name),
      store,
      clock,
      holdClock: parts.holdClock ?? clock,
      mutesOf: parts.mutesOf ?? (() => undefined),
      log,
      random,
      groupWaitMs: () => receivers.groupWaitMs ?? 0,
      begun,
      troubles,
      onEvent,
    });
    loops.set(name, loop);
  }
  for (const [name, one] of parts.channels) begin(name, one, parts.begun ?? null);

  const strangers = new Set<string>();
  const reportStranger = (channel: string): void => {
    if (strangers.has(channel) || isElsewhere(channel)) return;
    strangers.add(channel);
    log.warn({ channel }, "notices are queued for a channel that is not configured");
  };
  const lookForStrangers = async (): Promise<void> => {
    try {
      for (const name of (await store.owed()).keys()) {
        if (!receivers.channels.has(name)) reportStranger(name);
      }
    } catch (error) {
      log.error({ err: error }, "cannot read or write the outbox");
    }
  };
  let looked = lookForStrangers();

  function end(name: string, loop: ChannelLoop): void {
    loops.delete(name);
    const over = loop.stop(STOP_GRACE_MS).then(async () => {
      endings.delete(name);
      const next = receivers.channels.get(name);
      if (isElsewhere(name)) known.leave(name);
      else if (next === undefined) await known.forget(name);
      // Only now, since two loops would send the same message.
      else if (!stopping) begin(name, next, null);
    });
    endings.set(name, over);
  }

  return {
    poke(channel) {
      if (channel === undefined) for (const loop of loops.values()) loop.poke();
      else if (receivers.channels.has(channel)) loops.get(channel)?.poke();
      else reportStranger(channel);
    },
    async idle() {
      await Promise.all([...loops.values()].map((loop) => loop.idle()));
    },
    async follow(next) {
      const before = receivers;
      receivers = next;
      for (const [name, loop] of Array.from(loops)) {
        const isSame =
          before.channels.get(name) === next.channels.get(name) &&
          zoneOf(before, name) === zoneOf(next, name);
        if (isSame) loop.review();
        else end(name, loop);
      }
      const taken = [...next.channels.keys()].filter((name) => before.elsewhere?.has(name));
      // Together: each alone would take what is known of the others for nobody's.
      const ready = taken.length === 0 ? loaded : load(taken);
      for (const [name, channel] of next.channels) {
        strangers.delete(name);
        // One that is ending begins anew by itself.
        if (!loops.has(name) && !endings.has(name)) begin(name, channel, null, ready);
      }
      await Promise.all(endings.values());
      looked = lookForStrangers();
      await looked;
    },
    async stop() {
      stopping = true;
      await Promise.all([...loops.values()].map((loop) => loop.stop(STOP_GRACE_MS)));
      await Promise.all(endings.values());
      await looked;
    },
  };
}

function zoneOf({ zones }: Receivers, channel: string): string {
  return zones?.get(channel) ?? UTC;
}

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Channel, Outcome } from "../channels/channel.ts";
import type { Message } from "../model/index.ts";
import type { Store } from "../store/store.ts";
import { type ChannelLoop, startLoop } from "./channel-loop.ts";
import { UTC } from "./localize.ts";
import type { Mutes } from "./suppress/hold.ts";
import { createTroubles, type OnTrouble } from "./troubles.ts";

export interface DeliveryParts {
  readonly store: Store;
  /** By the name that rules use. They are not closed by the delivery. */
  readonly channels: ReadonlyMap<string, Channel>;
  /** By channel: the time zone in which its notices tell times; UTC where none is given. */
  readonly zones?: ReadonlyMap<string, string>;
  /** A clock of real time: the outbox's waits are those of HTTP and SMTP. */
  readonly clock: Clock;
  /** The clock on which the rules live, and silences and mutes with them; absent: `clock`. */
  readonly holdClock?: Clock;
  /** `mutes` of a rule, by its name; absent: nobody mutes anything. */
  readonly mutesOf?: (rule: string) => Mutes | undefined;
  readonly log: Log;
  /** Called after a message was sent and that was written down. */
  readonly onDelivered?: (message: Message) => void;
  /** So long, in milliseconds, notices wait for others that go with them; 0, or absent: none does. */
  readonly groupWaitMs?: number;
  /** Until then what people are told is gathered, to go as one message a channel; absent: at once. */
  readonly begun?: Promise<void>;
  readonly onTrouble?: OnTrouble;
  /** A send through a channel has ended, for those who count. */
  readonly onOutcome?: (channel: string, status: Outcome["status"]) => void;
  /** So many notices for a channel came to nothing while a silence or a mute held them back. */
  readonly onDropped?: (channel: string, count: number) => void;
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
  const { store, channels, clock, log } = parts;
  const onDelivered = parts.onDelivered ?? (() => {});
  const random = parts.random ?? Math.random;
  const onTrouble = parts.onTrouble ?? (() => {});
  const known = createTroubles({ store, clock, log, onTrouble });
  const loaded = known.load([...channels.keys()]).catch((error: unknown) => {
    log.error({ err: error }, "cannot read or write the outbox");
  });
  const loops = new Map<string, ChannelLoop>();
  for (const [name, channel] of channels) {
    const troubles = loaded.then(() => known.of(name));
    const groupWaitMs = parts.groupWaitMs ?? 0;
    const holdClock = parts.holdClock ?? clock;
    const mutesOf = parts.mutesOf ?? (() => undefined);
    const begun = parts.begun ?? null;
    const common = {
      begun,
      store,
      clock,
      holdClock,
      mutesOf,
      log,
      random,
      groupWaitMs,
      onDelivered,
    };
    const onOutcome = (status: Outcome["status"]): void => parts.onOutcome?.(name, status);
    const onDropped = (count: number): void => parts.onDropped?.(name, count);
    const zone = parts.zones?.get(name) ?? UTC;
    const more = { ...common, troubles, onOutcome, onDropped };
    loops.set(name, startLoop({ name, channel, zone, ...more }));
  }
  const strangers = new Set<string>();
  const reportStranger = (channel: string): void => {
    if (strangers.has(channel)) return;
    strangers.add(channel);
    log.warn({ channel }, "notices are queued for a channel that is not configured");
  };
  const lookForStrangers = async (): Promise<void> => {
    try {
      for (const [name, count] of await store.owed()) {
        if (count > 0 && !channels.has(name)) reportStranger(name);
      }
    } catch (error) {
      log.error({ err: error }, "cannot read or write the outbox");
    }
  };
  const looked = lookForStrangers();

  return {
    poke(channel) {
      if (channel === undefined) for (const loop of loops.values()) loop.poke();
      else if (loops.has(channel)) loops.get(channel)?.poke();
      else reportStranger(channel);
    },
    async idle() {
      await Promise.all([...loops.values()].map((loop) => loop.idle()));
    },
    async stop() {
      await Promise.all([...loops.values()].map((loop) => loop.stop(STOP_GRACE_MS)));
      await looked;
    },
  };
}

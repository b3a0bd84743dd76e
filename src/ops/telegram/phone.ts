import { type Clock, systemClock } from "../../base/clock.ts";
import { SECOND } from "../../base/duration.ts";
import type { Log } from "../../base/log.ts";
import type { HttpClient } from "../../channels/channel.ts";
import { httpClient } from "../../channels/http-channel.ts";
import { telegramCommands } from "../../channels/telegram.ts";
import type { Setup, StorePlace } from "../../model/index.ts";
import type { Memory } from "../../poll/memory.ts";
import type { Store } from "../../store/store.ts";
import { OwnDb } from "../../web/read/own-db.ts";
import type { DaemonState } from "../daemon-view.ts";
import { isSame } from "../reload/setup-parts.ts";
import { type BotAddress, createBot } from "./bot.ts";
import { type Poller, startPoller } from "./poller.ts";

export interface PhoneParts {
  readonly memory: () => Memory;
  /** Reads what other daemons watch as it is now; absent: there are none. Throws StoreError. */
  readonly refresh?: () => Promise<void>;
  /** As it is at the moment. */
  readonly setup: () => Setup;
  readonly state: DaemonState;
  readonly store: Store;
  /** Whether this daemon reads what is written to the bot of that channel; default: of any. */
  readonly reads?: (channel: string) => boolean;
  /** Carries out at once what was ordered. */
  readonly carryOut: () => Promise<void>;
  /** The path of the database; null: it is in memory alone. */
  readonly place: StorePlace | null;
  /** The daemon's own clock. */
  readonly clock: Clock;
  /** Real time; default: the system's. */
  readonly real?: Clock;
  readonly log: Log;
}

/** Commands from a phone, while any chat of the configuration may give some. */
export interface Phone {
  /** Reads what the chats of another configuration write. */
  follow(setup: Setup): Promise<void>;
  stop(): Promise<void>;
}

/** Longer than the half minute for which Telegram waits. */
const LIMIT_MS = 45 * SECOND;

/** One bot, and who may give it commands in which chats. */
interface BotChats {
  /** The first of its channels. */
  readonly channel: string;
  readonly address: BotAddress;
  readonly users: ReadonlyMap<string, ReadonlySet<number>>;
}

interface Reading {
  readonly chats: BotChats;
  readonly poller: Poller;
  readonly client: HttpClient;
}

/** Reads what people write to the Telegram bots of a setup, and does what those say who may. */
export function startPhone(setup: Setup, parts: PhoneParts): Phone {
  const { store, log, place, reads = () => true } = parts;
  const db = new OwnDb(place);
  const chat = { ...parts, db: db.use.bind(db) };
  const readings = new Map<string, Reading>();

  function begin(key: string, chats: BotChats): void {
    const { address, users } = chats;
    const client = httpClient(LIMIT_MS);
    const bot = createBot(address, client);
    const botId = address.token.split(":")[0] ?? "";
    const real = parts.real ?? systemClock();
    const poller = startPoller({ bot, botId, users, chat, store, clock: real, log });
    readings.set(key, { chats, poller, client });
  }

  async function end(key: string, { poller, client }: Reading): Promise<void> {
    readings.delete(key);
    await poller.stop();
    await client.close();
  }

  const ours = (of: Setup): ReadonlyMap<string, BotChats> =>
    new Map([...botsOf(of)].filter(([, { channel }]) => reads(channel)));

  for (const [key, chats] of ours(setup)) begin(key, chats);
  return {
    async follow(next) {
      const wanted = ours(next);
      const gone = [...readings].filter(([key, { chats }]) => !isSame(wanted.get(key), chats));
      await Promise.all(gone.map(([key, reading]) => end(key, reading)));
      for (const [key, chats] of wanted) if (!readings.has(key)) begin(key, chats);
    },
    async stop() {
      await Promise.all([...readings].map(([key, reading]) => end(key, reading)));
      db.close();
    },
  };
}

/**
 * Telegram gives what is written to a bot to one reader only, however many channels use it: of several daemons the
 * one that delivers to the first of them.
 */
function botsOf({ channels }: Setup): ReadonlyMap<string, BotChats> {
  const bots = new Map<string, Omit<BotChats, "users"> & { users: Map<string, Set<number>> }>();
  for (const channel of channels) {
    const found = telegramCommands(channel);
    if (found === null) continue;
    const address = { baseUrl: found.baseUrl, token: found.token.reveal() };
    const key = `${address.baseUrl} ${address.token}`;
    const first = { channel: channel.name, address, users: new Map<string, Set<number>>() };
    const bot = bots.get(key) ?? first;
    const users = bot.users.get(found.chat) ?? new Set<number>();
    for (const user of found.users) users.add(user);
    bot.users.set(found.chat, users);
    bots.set(key, bot);
  }
  return bots;
}

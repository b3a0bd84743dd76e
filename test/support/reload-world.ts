import { setImmediate as turn } from "node:timers/promises";
import { pino } from "pino";
import { z } from "zod";
import { ENDPOINTS_OF } from "../../src/api/endpoints.ts";
import { type App, startApp } from "../../src/app.ts";
import type { ChannelKind } from "../../src/channels/channel.ts";
import type { Source } from "../../src/fetch/source.ts";
import {
  type Answer,
  type Ask,
  type Message,
  type Notice,
  RECORDS,
  type Setup,
} from "../../src/model/index.ts";
import type { Store } from "../../src/store/store.ts";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";
import { createMemoryStore } from "./memory-store.ts";
import { START } from "./world.ts";

export interface ReloadWorldOptions {
  readonly setup: Setup;
  /** What a record says at a date. */
  readonly answer: (ask: Ask, date: number) => Answer;
  /** For so many turns of the event loop a request is on its way. */
  readonly turns?: () => number;
  readonly store?: Store;
  /** Default: one that stands at START. */
  readonly clock?: FakeClock;
}

/** The whole daemon on a scripted source and recording channels, on a clock that the test moves. */
export class ReloadWorld {
  readonly clock: FakeClock;
  readonly store: Store;
  readonly log: string[] = [];
  readonly told: Notice[] = [];
  readonly sent: Message[] = [];
  /** Channels that were opened and closed, in their order. */
  readonly channels: string[] = [];
  /** Each rule of each round that ended, with its date. */
  readonly rounds: string[] = [];
  requests = 0;
  #app: App | null = null;

  private constructor(private readonly options: ReloadWorldOptions) {
    this.store = options.store ?? createMemoryStore();
    this.clock = options.clock ?? createFakeClock(START);
  }

  static async open(options: ReloadWorldOptions): Promise<ReloadWorld> {
    const world = new ReloadWorld(options);
    world.#app = await startApp({
      setup: options.setup,
      log: pino({ level: "debug" }, { write: (line: string) => void world.log.push(line) }),
      clock: world.clock,
      outboxClock: world.clock,
      print: () => {},
      colours: false,
      source: world.#source(),
      store: world.store,
      channels: world.#kinds(),
      onNotices: (notices) => world.told.push(...notices.map(({ notice }) => notice)),
      onDelivered: (message) => world.sent.push(message),
      onRound: ({ date, rules }) => {
        for (const rule of rules) world.rounds.push(`${date} ${rule}`);
      },
    });
    return world;
  }

  get app(): App {
    if (this.#app === null) throw new Error("the world is not open");
    return this.#app;
  }

  /** Waits until nothing is polled and nothing is due to be sent. */
  async idle(): Promise<void> {
    await this.app.rounds.started();
    do for (let i = 0; i < 5; i += 1) await turn();
    while (this.app.rounds.memory.rules.some(({ running }) => running));
    await this.app.delivered();
  }

  #source(): Source {
    const { answer, turns = () => 0 } = this.options;
    return {
      serves: () => true,
      plan: (asks) =>
        [...RECORDS, "endpoint" as const].flatMap((record) => {
          const all = asks.filter((ask) => ask.record === record);
          const endpoint = ENDPOINTS_OF[record][0];
          return all.length === 0 ? [] : [{ record, endpoint, asks: all, path: "/" }];
        }),
      fetch: async (request, signal) => {
        this.requests += 1;
        const date = this.clock.now();
        for (let left = turns(); left > 0 && !signal.aborted; left -= 1) await turn();
        return request.asks.map((ask) => answer(ask, date));
      },
      room: () => Promise.resolve(),
      verify: () => Promise.resolve("valid"),
      close: () => Promise.resolve(),
    };
  }

  #kinds(): ReadonlyMap<string, ChannelKind> {
    const kind: ChannelKind = {
      kind: "record",
      settings: z.unknown(),
      open: (settings) => {
        this.channels.push(`open ${String(settings)}`);
        return {
          render: (notice) => notice.headline,
          send: () => Promise.resolve({ status: "sent" }),
          close: () => {
            this.channels.push(`close ${String(settings)}`);
            return Promise.resolve();
          },
        };
      },
    };
    return new Map([["record", kind]]);
  }
}

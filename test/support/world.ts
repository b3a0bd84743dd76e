import { pino } from "pino";
import { ENDPOINTS_OF } from "../../src/api/endpoints.ts";
import type { OnRoundsEvent } from "../../src/commit/committer.ts";
import { Rounds } from "../../src/commit/rounds.ts";
import type { Source } from "../../src/fetch/source.ts";
import { KINDS } from "../../src/kinds/index.ts";
import {
  type Answer,
  type Ask,
  type Notice,
  type RawRecord,
  RECORDS,
  type Setup,
} from "../../src/model/index.ts";
import { Division } from "../../src/poll/division.ts";
import type { DecidedWork } from "../../src/poll/plan.ts";
import type { Store } from "../../src/store/store.ts";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";
import { createMemoryStore } from "./memory-store.ts";
import { until } from "./until.ts";
import { setupOf } from "./world-setup.ts";

export const MINUTE = 60_000;
/** A Saturday, at a full hour. */
export const START = Date.UTC(2026, 10, 28, 12);

export const POOL_ID = `0x${"ab".repeat(32)}`;

/** A V4 pool of ETH and USDC that is quiet, with what a test wants otherwise. */
export function poolRecord(given: RawRecord = {}): RawRecord {
  return {
    pool_id: POOL_ID,
    chain_id: 1,
    fee: 500,
    tick_spacing: 10,
    current_tick: -199_890,
    sqrt_price_x96: "3618602270101715334278112",
    liquidity: "1000000",
    price0: 2086.04,
    price1: 0.000479377,
    amount0: "1000000000000000000",
    amount1: "2000000000",
    amount0_d: "1.000000",
    amount1_d: "2000.000000",
    tvl_usd: 1000,
    block_number: "1",
    timestamp: "1",
    token0: {
      address: `0x${"0".repeat(40)}`,
      symbol: "ETH",
      name: "Ether",
      decimals: 18,
      price: 2086,
    },
    token1: {
      address: `0x${"a1".repeat(20)}`,
      symbol: "USDC",
      name: "USD Coin",
      decimals: 6,
      price: 1,
    },
    hook: { address: `0x${"0".repeat(40)}` },
    ...given,
  };
}

export function positionRecord(given: RawRecord = {}): RawRecord {
  return {
    chain_id: 1,
    protocol: "dexa",
    manager_address: `0x${"bd".repeat(20)}`,
    nft_id: "42",
    pool_id: POOL_ID,
    owner_address: `0x${"11".repeat(20)}`,
    lower_tick: -200_000,
    upper_tick: -199_000,
    liquidity: "5000",
    amount0: "1",
    amount1: "1",
    amount0_d: "0.000000",
    amount1_d: "0.000001",
    core_total_usd: 10,
    ratio: 0.5,
    block_number: "1",
    timestamp: "1",
    ...given,
  };
}

export const ok = (...records: RawRecord[]): Answer => ({ status: "ok", records });
export const absent: Answer = { status: "absent" };
export const failed: Answer = {
  status: "failed",
  failure: { reason: "timeout", detail: "timed out after 10 s" },
};

/** What was told, by minute since the world began. */
export interface Told {
  readonly minute: number;
  readonly kind: Notice["kind"];
  readonly channels: readonly string[];
  readonly notice: Notice;
}

/**
 * Rules in YAML, a source whose answers a test sets, the real rounds on a clock that the test
 * moves, and a store: memory unless another is given.
 */
export class World {
  readonly told: Told[] = [];
  readonly store: Store;
  clock: FakeClock;
  answer: (ask: Ask, date: number) => Answer | Promise<Answer> = () => absent;
  /** Called before each fetch is answered. */
  requests = 0;
  /** So many records are asked for in one request, and come together. */
  perRequest = 20;
  asked: string[] = [];
  refused: unknown[] = [];
  /** Lines of the log at `warn` and worse. */
  readonly warnings: string[] = [];
  /** Called before each request, which waits for it; what it throws is a fault of the program. */
  room: Source["room"] = () => Promise.resolve();
  /** Hears of everything first. */
  onEvent: OnRoundsEvent = () => {};
  /** Hears of what each slice has decided. */
  onDecided: (decided: readonly DecidedWork[]) => void = () => {};
  #rounds: Rounds | null = null;
  /** It runs from the first time on that passes, so that a test can say before what it sees. */
  #begun = false;
  #yaml: string;
  #ended = 0;
  /** Windows are filled from histories, which must be answered then. */
  #backfill = false;
  /** What people write into the store is looked for. */
  #commands = false;
  #kinds = KINDS;
  /** Of the 256 parts of the work those that are its own; null: all. */
  #slots: ReadonlySet<number> | null = null;
  /** Asked from the next opening on in place of `answer`, if there is one. */
  source: Source | null = null;
  /** What is configured of the service, likewise. */
  service: Partial<Setup["service"]> = {};

  private constructor(yaml: string, store: Store, start: number) {
    this.#yaml = yaml;
    this.store = store;
    this.clock = createFakeClock(start);
  }

  static async create(
    yaml: string,
    options: {
      store?: Store;
      start?: number;
      answer?: World["answer"];
      backfill?: boolean;
      commands?: boolean;
      source?: Source;
      service?: Partial<Setup["service"]>;
      kinds?: typeof KINDS;
      slots?: ReadonlySet<number>;
    } = {},
  ): Promise<World> {
    const world = new World(yaml, options.store ?? createMemoryStore(), options.start ?? START);
    world.#backfill = options.backfill ?? false;
    world.#kinds = options.kinds ?? KINDS;
    world.#slots = options.slots ?? null;
    world.source = options.source ?? null;
    world.service = options.service ?? {};
    world.#commands = options.commands ?? false;
    if (options.answer !== undefined) world.answer = options.answer;
    await world.open();
    return world;
  }

  get rounds(): Rounds {
    if (this.#rounds === null) throw new Error("the world is stopped");
    return this.#rounds;
  }

  async open(yaml: string = this.#yaml): Promise<void> {
    this.#yaml = yaml;
    const setup = setupOf(yaml, this.#kinds);
    const slots = this.#slots;
    const share =
      slots === null
        ? {}
        : { share: { config: 1, division: new Division(setup.rules), slots, current: slots } };
    this.#rounds = await Rounds.open({
      setup: { ...setup, service: { ...setup.service, ...this.service } },
      kinds: this.#kinds,
      source: this.source ?? this.#source(),
      store: this.store,
      clock: this.clock,
      log: pino({ level: "warn" }, { write: (line: string) => void this.warnings.push(line) }),
      backfill: this.#backfill,
      commands: this.#commands,
      ...share,
      onEvent: (event) => {
        this.onEvent(event);
        if (event.kind === "round") this.#ended += 1;
        if (event.kind === "decided") this.onDecided(event.decided);
        if (event.kind === "refused") this.refused.push(event.error);
        if (event.kind !== "notices") return;
        for (const { notice, channels } of event.notices) {
          const minute = (notice.at - START) / MINUTE;
          this.told.push({ minute, kind: notice.kind, channels, notice });
        }
      },
    });
    if (this.#begun) this.#rounds.start();
  }

  /** The first look, of which nothing is waited for. */
  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.rounds.start();
  }

  async stop(): Promise<void> {
    await this.rounds.stop();
    this.#rounds = null;
  }

  /** Stops and starts on the same store, as a daemon does, perhaps with other rules. */
  async restart(yaml: string = this.#yaml): Promise<void> {
    await this.stop();
    await this.open(yaml);
  }

  /** Its rounds stop and go on with what they have in memory. */
  async again(): Promise<void> {
    await this.rounds.stop();
    this.#rounds = this.rounds.again();
    if (this.#begun) this.#rounds.start(this.clock.now());
  }

  /** A minute later a round begins, and a stop comes while the answer about a subject is on its way. */
  async stopBefore(id: string): Promise<void> {
    const say = this.answer;
    let arrive = (): void => {};
    this.answer = async (ask, date) => {
      if (ask.id === id) {
        await new Promise<void>((resolve) => {
          arrive = resolve;
        });
      }
      return await say(ask, date);
    };
    await this.pass(MINUTE);
    const stopped = this.stop();
    arrive();
    await stopped;
    this.answer = say;
  }

  /** Lets minutes pass, one after the other, each with its rounds; the first look is after the first. */
  async minutes(count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      const before = this.#ended;
      await this.clock.advance(MINUTE);
      if (!this.#begun) await this.look();
      await until(() => this.#ended > before);
    }
  }

  /** The first look at this moment, and what it tells. */
  async look(): Promise<void> {
    this.begin();
    await this.rounds.started();
  }

  /** The same, and the histories that are asked for beside it. */
  async backfilled(): Promise<void> {
    await this.look();
    await this.rounds.backfilled();
  }

  /** What the last start found, by counts. */
  found(): string | undefined {
    const start = this.told.findLast(({ kind }) => kind === "started")?.notice;
    return start?.fields.find(({ name }) => name === "Now")?.value;
  }

  /** Lets time pass without waiting for a round. */
  async pass(ms: number): Promise<void> {
    this.begin();
    await this.clock.advance(ms);
    await settle();
  }

  /** Lets time pass up to that long, and each round on the way end before the next begins. */
  async run(ms: number): Promise<void> {
    this.begin();
    await this.#idle();
    const end = this.clock.now() + ms;
    for (let next = this.clock.next(); next !== null && next <= end; next = this.clock.next()) {
      this.clock.step();
      await this.#idle();
    }
    await this.clock.advance(Math.max(0, end - this.clock.now()));
    await this.#idle();
  }

  async #idle(): Promise<void> {
    await this.rounds.started();
    do await settle();
    while (this.rounds.memory.rules.some(({ running }) => running));
  }

  /** Minute and kind of everything told so far, `started` left out. */
  story(): string[] {
    return this.told
      .filter(({ kind }) => kind !== "started")
      .map(({ minute, kind }) => `${minute} ${kind}`);
  }

  #source(): Source {
    return {
      serves: () => true,
      plan: (asks) => {
        const size = this.perRequest;
        return [...RECORDS, "endpoint" as const].flatMap((record) => {
          const all = asks.filter((ask) => ask.record === record);
          const requests = [];
          for (let i = 0; i < all.length; i += size) {
            requests.push({
              record,
              endpoint: ENDPOINTS_OF[record][0],
              asks: all.slice(i, i + size),
              path: "/",
            });
          }
          return requests;
        });
      },
      fetch: (request) => {
        this.requests += 1;
        const date = this.clock.now();
        return Promise.all(
          request.asks.map((ask) => {
            this.asked.push(ask.key);
            return Promise.resolve(this.answer(ask, date));
          }),
        );
      },
      room: (request, signal) => this.room(request, signal),
      verify: () => Promise.resolve("valid"),
      close: () => Promise.resolve(),
    };
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

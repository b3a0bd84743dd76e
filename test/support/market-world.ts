import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { type App, startApp } from "../../src/app.ts";
import { Secret } from "../../src/base/text.ts";
import { parseRules } from "../../src/config/rules/rules.ts";
import { createHttpSource } from "../../src/fetch/http.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { Notice, NoticeKind, RoundRecord, Run, Setup } from "../../src/model/index.ts";
import type { Fault } from "../../src/serve/faults.ts";
import { DEMO_KEY, type Service, startService } from "../../src/serve/server.ts";
import { createMarket, type Market } from "../../src/simulator/market.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { NOTHING_LOADED, type Store } from "../../src/store/store.ts";
import { createFakeClock } from "./fake-clock.ts";
import type { Owner } from "./program.ts";
import { Silence } from "./silence.ts";
import { sqliteFile } from "./sqlite-file.ts";

const MINUTE = 60_000;
/** A Saturday, at a scheduled time of the rules; an hour ends within most tests. */
export const MARKET_START = Date.UTC(2026, 10, 28, 12, 39);
export const SEED = 7;

/** A market in which nothing is scripted; it is the same for everybody who asks. */
const QUIET_MARKET: Market = createMarket({ seed: SEED, start: MARKET_START });

export interface MarketWorldOptions {
  readonly rules: string;
  readonly market?: Market;
  readonly faults?: readonly Fault[];
  /** Whether nothing is answered at a time of the rounds' clock. */
  readonly isSilent?: (now: number) => boolean;
  /** How long, in real milliseconds, a request then waits where nobody tells `silence` of it. */
  readonly silenceMs?: number;
  readonly requestsPerSecond?: number;
  readonly concurrency?: number;
  /** Default: SQLite in a file. Who runs hundreds of rounds cannot wait for the disk in each. */
  readonly store?: Store;
  /** Puts something between the service at an address and the daemon, which asks what it returns. */
  readonly between?: (service: string, world: MarketWorld) => Promise<Between>;
}

export interface Between {
  readonly url: string;
  close(): Promise<void>;
}

/** What was observed of each series, by subject and metric; oldest first. */
export type Observed = ReadonlyMap<string, readonly Omit<Run, "series">[]>;

/**
 * The whole daemon but for its schedule: real HTTP to the embedded service, a database in a file, a
 * console channel that prints nowhere, and rounds that are run by hand on a clock that stands still
 * between them. What the source waits for in real time (a breaker, a refused key) goes by that clock.
 */
export class MarketWorld {
  readonly told: Notice[] = [];
  /** Lines of the log at `error`. */
  readonly errors: string[] = [];
  readonly records: RoundRecord[] = [];
  readonly market: Market;
  /** Who lets a request arrive that is not answered says so here. */
  readonly silence: Silence;
  readonly #clock = createFakeClock(MARKET_START);
  readonly #options: MarketWorldOptions;
  #service: Service | null = null;
  #between: Between | null = null;
  #store: Store | null = null;
  #app: App | null = null;
  #folder = "";

  private constructor(options: MarketWorldOptions) {
    this.#options = options;
    this.market = options.market ?? QUIET_MARKET;
    const { isSilent = () => false, silenceMs } = options;
    this.silence = new Silence(() => isSilent(this.now()), silenceMs);
  }

  /** Without an owner the caller ends it. */
  static async create(owner: Owner | null, options: MarketWorldOptions): Promise<MarketWorld> {
    const world = new MarketWorld(options);
    world.#folder = await mkdtemp(join(tmpdir(), "tickwatch-market-"));
    owner?.onTestFinished(() => world.end());
    world.#service = await startService({
      world: world.market,
      clock: world.#clock,
      apiKey: DEMO_KEY,
      faults: options.faults ?? [],
    });
    world.#between = (await options.between?.(world.#service.baseUrl, world)) ?? null;
    await world.#open();
    return world;
  }

  get app(): App {
    if (this.#app === null) throw new Error("the daemon is stopped");
    return this.#app;
  }

  now(): number {
    return this.#clock.now();
  }

  /** So many rounds, `every` milliseconds apart. */
  async rounds(count: number, every = MINUTE): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      await this.#clock.advance(every);
      await this.app.rounds.once();
    }
  }

  /** Stops the daemon and starts it again on the same database. */
  async restart(): Promise<void> {
    await this.app.stop();
    await this.#open();
  }

  /** What was told by a rule, of the kinds that are asked for. */
  by(rule: string, ...kinds: readonly NoticeKind[]): readonly Notice[] {
    return this.told.filter(
      (notice) => notice.rule === rule && (kinds.length === 0 || kinds.includes(notice.kind)),
    );
  }

  /** All samples that are stored. */
  async observed(): Promise<Observed> {
    const { series } = (await this.#store?.load()) ?? NOTHING_LOADED;
    const runs = await this.#store?.window(
      series.map(({ id }) => id),
      0,
    );
    return new Map(
      series.map(({ id, subject, metric }) => [
        `${subject} ${metric}`,
        (runs?.get(id) ?? []).map(({ first, last, value }) => ({ first, last, value })),
      ]),
    );
  }

  async #open(): Promise<void> {
    const url = this.#between?.url ?? this.#service?.baseUrl ?? "";
    const setup = setupOf(this.#options, url, this.#folder);
    this.#store = this.#options.store ?? (await openSqliteStore(sqliteFile(setup.store)));
    const log = pino({ level: "error" }, { write: (line: string) => this.errors.push(line) });
    this.#app = await startApp({
      setup,
      log,
      store: this.#store,
      clock: this.#clock,
      schedule: false,
      print: () => {},
      colours: false,
      source: createHttpSource({
        ...setup.service,
        after: this.silence.after,
        retryMs: 2,
        now: () => this.#clock.elapsed(),
      }),
      onNotices: (tellings) => this.told.push(...tellings.map(({ notice }) => notice)),
      onRound: (record) => this.records.push(record),
    });
  }

  /** The end of the owner's test does the same. */
  async end(): Promise<void> {
    await this.#app?.stop();
    await this.#between?.close();
    await this.#service?.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function setupOf(
  { rules, requestsPerSecond = 1_000, concurrency = 16 }: MarketWorldOptions,
  url: string,
  folder: string,
): Setup {
  const read = parseRules(rules, "rules.yaml", {
    watches: KINDS,
    channels: ["screen"],
    addresses: new Set(["base_url", "legacy_base_url"]),
  });
  return {
    service: {
      baseUrl: url,
      legacyBaseUrl: url,
      apiKey: new Secret(DEMO_KEY),
      timeoutMs: 5_000,
      concurrency,
      requestsPerSecond,
    },
    rules: read.rules,
    channels: [{ name: "screen", kind: "console", settings: {}, timezone: "UTC" }],
    store: join(folder, "tickwatch.db"),
    cluster: null,
    retentionMs: 90 * 24 * 60 * MINUTE,
    groupWaitMs: 0,
    heartbeat: null,
    web: null,
    selfNotify: ["screen"],
    reports: [],
    logLevel: "error",
    reload: "signal",
  };
}

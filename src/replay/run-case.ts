import { setImmediate as immediate } from "node:timers/promises";
import { ENDPOINTS_OF } from "../api/endpoints.ts";
import { DAY } from "../base/duration.ts";
import { createLogger } from "../base/log.ts";
import { Secret } from "../base/text.ts";
import { Rounds } from "../commit/rounds.ts";
import type { Request, Source } from "../fetch/source.ts";
import type { WatchKind } from "../kinds/kind.ts";
import { withHoldings } from "../kinds/owned.ts";
import {
  type Answer,
  type Ask,
  type Command,
  type Holdings,
  type Notice,
  RECORDS,
  type Setup,
} from "../model/index.ts";
import type { Store } from "../store/store.ts";
import { Given, type Lacking } from "./given.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";
import type { CaseStep, TestCase } from "./rule-test.ts";

/** A notice that came, and when: in true milliseconds since the start of the case. */
export interface Seen {
  readonly elapsed: number;
  readonly notice: Notice;
}

export interface CaseRun {
  readonly seen: readonly Seen[];
  /** What the rules asked for and the case does not give, each once. */
  readonly lacking: readonly (Lacking & { readonly elapsed: number })[];
}

export interface RunParts {
  readonly kinds: ReadonlyMap<string, WatchKind>;
  /** A new store for one case. */
  readonly createStore: () => Store;
}

/** Who hears of everything in a test, and of nothing outside of it. */
export const TEST_CHANNEL = "test";

/**
 * Runs a case on the rounds of the daemon: on a clock that stands still while a round runs, with the
 * answers of the case. Rejects with what the store or the rounds throw.
 */
export async function runCase(one: TestCase, parts: RunParts): Promise<CaseRun> {
  const run = new Run(one, parts);
  await run.open();
  for (const step of one.steps) {
    await run.until(step.at);
    await run.take(step);
  }
  await run.until(one.until);
  await run.stop();
  return { seen: run.seen, lacking: [...run.lacking.values()] };
}

class Run {
  readonly seen: Seen[] = [];
  readonly lacking = new Map<string, Lacking & { readonly elapsed: number }>();
  readonly #case: TestCase;
  readonly #store: Store;
  readonly #clock: ManualClock;
  readonly #given: Given;
  #rounds: Rounds | null = null;
  #held: Holdings | null;
  /** How far the daemon's clock is ahead of the service's. */
  #ahead = 0;
  #refusal: { readonly error: unknown } | null = null;

  constructor(
    one: TestCase,
    private readonly parts: RunParts,
  ) {
    this.#case = one;
    this.#held = one.held;
    this.#store = parts.createStore();
    this.#clock = createManualClock(one.start);
    this.#given = new Given(one.given, (lacking) => {
      const key = `${lacking.record} ${lacking.subject}`;
      if (!this.lacking.has(key)) this.lacking.set(key, { ...lacking, elapsed: this.#elapsed });
    });
  }

  get #elapsed(): number {
    return this.#clock.now() - this.#ahead - this.#case.start;
  }

  async open(): Promise<void> {
    this.#rounds = await Rounds.open({
      setup: this.#setup(),
      kinds: this.parts.kinds,
      source: scriptedSource((asks) => {
        const date = this.#clock.now();
        const elapsed = Math.max(0, this.#elapsed);
        const serviceDate = this.#case.start + elapsed;
        return this.#given.answers(asks, { elapsed, date, serviceDate });
      }),
      store: this.#store,
      clock: this.#clock,
      log: createLogger({ level: "silent", stream: { write: () => true } }),
      onEvent: (event) => {
        if (event.kind === "refused") this.#refusal ??= { error: event.error };
        if (event.kind !== "notices") return;
        for (const { notice } of event.notices) this.seen.push({ elapsed: this.#elapsed, notice });
      },
    });
    this.#rounds.start();
    // The first look is at this very moment.
    await this.#rounds.started();
  }

  #setup(): Setup {
    const setup = setupOf(this.#case);
    return this.#held === null ? setup : withHoldings(setup, this.#held, this.parts.kinds);
  }

  async stop(): Promise<void> {
    await this.#rounds?.stop();
    this.#rounds = null;
  }

  /** Lets time pass up to a moment of the case, that moment's rounds included, one by one. */
  async until(elapsed: number): Promise<void> {
    const end = this.#case.start + elapsed + this.#ahead;
    for (let next = this.#clock.next(); next !== null && next <= end; next = this.#clock.next()) {
      this.#clock.step();
      await this.#settled();
    }
    await this.#clock.advance(Math.max(0, end - this.#clock.now()));
    await this.#settled();
  }

  async take({ action }: CaseStep): Promise<void> {
    if (action.kind === "command") {
      await this.#rounds?.carryOut(commandsOf(action, this.#clock.now()));
      return;
    }
    if (action.kind === "clock") {
      this.#ahead += action.byMs;
      await this.#clock.set(this.#clock.now() + action.byMs);
      await this.#settled();
      return;
    }
    await this.stop();
    if (action.kind === "held") this.#held = action.held;
    else await this.#clock.advance(action.downMs);
    await this.open();
    await this.#settled();
  }

  /** Until no round runs: what it decides is committed and told then. */
  async #settled(): Promise<void> {
    do await immediate();
    while (this.#rounds?.memory.rules.some(({ running }) => running) === true);
    if (this.#refusal !== null) throw this.#refusal.error;
  }
}

/** Who is named does not matter: notices do not tell it. */
function commandsOf(action: CaseStep["action"] & { kind: "command" }, at: number): Command[] {
  const { command: kind, rule } = action;
  return (action.subjects ?? [null]).map((subject, id) => {
    return { id, kind, rule, subject, author: "test", comment: null, at };
  });
}

function setupOf({ rules }: TestCase): Setup {
  const names = new Set([TEST_CHANNEL, ...rules.flatMap(({ notify }) => notify)]);
  return {
    service: {
      baseUrl: "http://localhost",
      legacyBaseUrl: "http://localhost",
      apiKey: new Secret("none"),
      timeoutMs: 10_000,
      concurrency: 8,
      requestsPerSecond: 1_000,
    },
    rules,
    channels: Array.from(names, (name) => ({
      name,
      kind: "console",
      settings: {},
      timezone: "UTC",
    })),
    store: ":memory:",
    cluster: null,
    groupWaitMs: 0,
    heartbeat: null,
    web: null,
    selfNotify: [TEST_CHANNEL],
    reports: [],
    retentionMs: 90 * DAY,
    logLevel: "silent",
    reload: "signal",
  };
}

/** The batch size of the service, so that a replayed round looks like a live one. */
const BATCH = 20;

const ALL: readonly Ask["record"][] = [...RECORDS, "endpoint"];

/** A source that is answered by a function. Plans batches by record and never fails by itself. */
function scriptedSource(
  answer: (asks: readonly Ask[]) => readonly Answer[] | Promise<readonly Answer[]>,
): Source {
  return {
    serves: () => true,
    plan: (asks) => ALL.flatMap((record) => batches(record, asks)),
    fetch: async (request) => await answer(request.asks),
    room: () => Promise.resolve(),
    verify: () => Promise.resolve("valid"),
    close: () => Promise.resolve(),
  };
}

function batches(record: Ask["record"], asks: readonly Ask[]): readonly Request[] {
  const all = asks.filter((ask) => ask.record === record);
  const [endpoint] = ENDPOINTS_OF[record];
  return Array.from({ length: Math.ceil(all.length / BATCH) }, (_, i) => ({
    record,
    endpoint,
    asks: all.slice(i * BATCH, (i + 1) * BATCH),
    path: "/",
  }));
}

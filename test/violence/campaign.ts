import { setTimeout as pause } from "node:timers/promises";
import { poolRecord } from "../kinds/records.ts";
import { freshSchema } from "../postgres/support/place.ts";
import { type Server, startServer } from "../postgres/support/server.ts";
import type { Owner } from "../support/program.ts";
import { randomFrom } from "../support/random.ts";
import { startScriptedService } from "../support/scripted-service.ts";
import { type Member, type OnOutage, type Place, startMember, startTwin } from "./daemons.ts";
import { commit, draw, type EventKind, isBlinding, type Violence } from "./events.ts";
import { type Sink, startSink } from "./sink.ts";
import { type Watcher, watchOver } from "./watcher.ts";

export interface Plan {
  /** The main file of the program, with leases of `leaseMs`; and that of the twin. */
  readonly main: string;
  readonly twinMain: string;
  readonly leaseMs: number;
  readonly onOutage: OnOutage;
  readonly events: number;
  readonly seed: number;
  /** Ends with the first fault, and not only where something is never told. */
  readonly untilFault?: boolean;
  /** Nothing but this, and against a daemon that works; absent: everything. */
  readonly kinds?: readonly EventKind[];
  readonly say: (line: string) => void;
  /** Keeps what is too long to be said, under a name; absent: nobody looks at it. */
  readonly keep?: (name: string, text: string) => void;
}

/** What came of it. */
export interface Outcome {
  readonly events: number;
  /** What must not have been, in words; empty: all is well. */
  readonly faults: readonly string[];
  readonly commits: number;
  readonly notices: number;
  /** Messages that came again under their id. */
  readonly repeated: number;
  /** Notices that were told by two daemons, which only `continue` may do. */
  readonly twice: number;
  /** From the death of a daemon that worked to the next take of a lease, in milliseconds, in order. */
  readonly takeovers: readonly number[];
}

const MEMBERS = 3;
const POOLS = 12;
const TOGGLED = 3;
/**
 * What is not told so long after anything was told never is: statements that hang, and leases, are over long before. On a
 * machine so busy that daemons miss their short leases again and again it takes longer, and something is told meanwhile.
 */
const PATIENCE_MS = 120_000;
const LOOK_MS = 50;
/** So often daemons look at everything. */
const ROUND_MS = 1_000;
/** Of a log that is shown beside a fault. */
const LOG_LENGTH = 3_000;

const pools = Array.from({ length: POOLS }, (_, at) => `0x${String(at + 1).padStart(64, "0")}`);

/** Each change of a pool makes one alert fire and another one resolve. */
const RULES = `rules:
${["low", "high"]
  .map(
    (side) => `  - name: ${side}
    watch: {kind: v4_pool, chain: 1, pools: [${pools.map((id) => `"${id}"`).join(", ")}]}
    when: {metric: tvl_usd, ${side === "low" ? "below" : "above"}: 1000 usd}
`,
  )
  .join("")}`;

/** Pools whose values the campaign sets; no value ever comes again, so that each notice is one of a kind. */
class Market {
  readonly #usd = new Map(pools.map((id) => [id, 900]));
  #step = 0;

  recordsOf(query: URLSearchParams): unknown[] {
    return query
      .getAll("pool_ids")
      .map((id) => poolRecord({ pool_id: id, tvl_usd: this.#usd.get(id) ?? 900 }));
  }

  /** Some pools change sides; returns how many notices that makes. */
  toggle(random: () => number): number {
    this.#step += 1;
    const left = [...pools];
    for (let count = 0; count < TOGGLED; count += 1) {
      const [id = ""] = left.splice(Math.floor(random() * left.length), 1);
      const isLow = (this.#usd.get(id) ?? 0) < 1_000;
      this.#usd.set(id, (isLow ? 1_500 : 500) + this.#step / 10_000);
    }
    return 2 * TOGGLED;
  }
}

/**
 * Daemons of a cluster are killed, stopped, paused, cut off, set to another time and left without their server while
 * alerts fire and resolve, and are held against one daemon that nobody disturbs.
 */
export async function campaign(owner: Owner, plan: Plan): Promise<Outcome> {
  const random = randomFrom(plan.seed);
  const market = new Market();
  const service = await startScriptedService(owner);
  service.answer(({ endpoint, query }) => (endpoint === "pool" ? market.recordsOf(query) : null));
  const server = await startServer({ settings: ["track_commit_timestamp=on"] });
  owner.onTestFinished(() => server.close());
  const [sink, twin] = [await startSink(owner), await startSink(owner)];
  const place: Place = {
    main: plan.main,
    serviceUrl: service.baseUrl,
    sinkUrl: sink.url,
    rules: RULES,
  };
  startTwin(owner, { ...place, main: plan.twinMain, sinkUrl: twin.url });
  const { members, watcher } = await startMembers(owner, place, server, plan);
  const run = new Run(plan, { market, server, members, watcher, sink, twin });
  let goesOn = await run.told(0);
  for (let at = 1; goesOn && at <= plan.events; at += 1) {
    goesOn = await run.event(at, random);
    if (plan.untilFault === true && (await run.faults()).length > 0) goesOn = false;
  }
  return await run.outcome();
}

async function startMembers(owner: Owner, place: Place, server: Server, { onOutage }: Plan) {
  const schema = freshSchema();
  const members: Member[] = [];
  let watcher: Watcher | null = null;
  for (let at = 0; at < MEMBERS; at += 1) {
    const member = await startMember(owner, place, { server, schema, name: `d${at}`, onOutage });
    members.push(member);
    if (watcher !== null) {
      await member.process.logLine(({ msg }) => msg === "watching");
      continue;
    }
    await member.process.logLine(({ msg }) => msg === "watching");
    watcher = await watchOver(server, schema);
  }
  if (watcher === null) throw new Error("there are no members");
  return { members, watcher };
}

interface Parts {
  readonly market: Market;
  readonly server: Server;
  readonly members: readonly Member[];
  readonly watcher: Watcher;
  readonly sink: Sink;
  readonly twin: Sink;
}

class Run {
  readonly #faults: string[] = [];
  readonly #takeovers: number[] = [];
  /** What may be told twice: it was told while a daemon could not know whether another one had taken over. */
  readonly #blind = new Set<string>();
  #events = 0;
  #expected = POOLS;
  #wasBlinding = false;

  constructor(
    private readonly plan: Plan,
    private readonly parts: Parts,
  ) {}

  async event(at: number, random: () => number): Promise<boolean> {
    const { market, server, members, watcher } = this.parts;
    this.#events = at;
    const working = await watcher.working();
    const their = members.flatMap(({ name }, index) => (working.includes(name) ? [index] : []));
    const violence = draw(random, members.length, their, this.plan.kinds);
    const victim = members[violence.victim];
    if (victim === undefined) throw new Error("no such daemon");
    const known = new Set(this.parts.twin.told().map(({ what }) => what));
    const began = performance.now();
    const beganAt = await watcher.now();
    const happening = commit(violence, victim, server, this.plan.leaseMs);
    await pause(random() * this.plan.leaseMs);
    this.#expected += market.toggle(random);
    await happening;
    if (isBlinding(violence) && this.plan.onOutage === "continue") await this.#settle();
    const isTold = await this.told(at);
    if (violence.kind === "kill" && working.includes(victim.name)) {
      const taken = await watcher.takenAfter(beganAt);
      if (taken !== null) this.#takeovers.push(taken - beganAt);
    }
    const isBlind = isBlinding(violence) || this.#wasBlinding;
    this.#wasBlinding = isBlinding(violence);
    for (const { what } of isBlind ? this.parts.twin.told() : []) {
      if (!known.has(what)) this.#blind.add(what);
    }
    const took = Math.round(performance.now() - began);
    this.plan.say(
      `${at}: ${textOf(violence)} of ${victim.name}, ${working.join()} working, ${took} ms`,
    );
    return isTold;
  }

  /** Waits until the cluster and the twin have told all that is expected; false: that never comes. */
  async told(at: number): Promise<boolean> {
    const { members, sink, twin } = this.parts;
    let deadline = performance.now() + PATIENCE_MS;
    for (let count = sink.count(); ; ) {
      if (sink.count() > count) deadline = performance.now() + PATIENCE_MS;
      count = sink.count();
      const wanted = new Set(twin.told().map(({ what }) => what));
      const got = new Set(sink.told().map(({ what }) => what));
      const missing = [...wanted].filter((what) => !got.has(what));
      if (wanted.size >= this.#expected && missing.length === 0) return true;
      // What starts daemons starts one anew that could not reach its server.
      for (const member of members) if (member.hasEnded) member.start();
      if (performance.now() > deadline) {
        const fault = `event ${at}: never told: ${missing.join("; ")} (${wanted.size} of ${this.#expected})`;
        this.#faults.push(fault);
        this.plan.say(fault);
        for (const { name, process } of this.parts.members) {
          this.plan.say(`${name}: ${process.err().slice(-LOG_LENGTH)}`);
        }
        this.plan.say(await this.parts.watcher.picture());
        return false;
      }
      await pause(LOOK_MS);
    }
  }

  /**
   * Waits until a daemon has looked at everything that it writes down. What one that was cut off has told and nobody has
   * written is told by the next one as well, unless it has changed back by then.
   */
  async #settle(): Promise<void> {
    const { watcher } = this.parts;
    const over = await watcher.now();
    const deadline = performance.now() + PATIENCE_MS;
    while ((await watcher.lookedAt()) <= over + ROUND_MS && performance.now() < deadline) {
      await pause(LOOK_MS);
    }
  }

  async faults(): Promise<readonly string[]> {
    const { sink, twin, watcher } = this.parts;
    const found = [...this.#faults, ...(await watcher.faults())];
    const wanted = new Set(twin.told().map(({ what }) => what));
    for (const [what, messages] of this.#messages()) {
      if (!wanted.has(what)) found.push(`told by the cluster alone: ${what}`);
      const mayBeTwice = this.plan.onOutage === "continue" && this.#blind.has(what);
      if (messages.size > 1 && !mayBeTwice) {
        found.push(`told twice: ${what}: ${[...messages].join(", ")}`);
      }
      if (messages.size > MEMBERS) found.push(`told ${messages.size} times: ${what}`);
    }
    const repeated = sink.told().length - this.#ids();
    if (repeated > this.#events) found.push(`${repeated} messages were repeated`);
    return found;
  }

  async outcome(): Promise<Outcome> {
    const { sink, watcher } = this.parts;
    const told = this.#messages();
    for (const { name, logs } of this.parts.members) this.plan.keep?.(`${name}.log`, logs());
    return {
      events: this.#events,
      faults: await this.faults(),
      commits: await watcher.commits(),
      notices: told.size,
      repeated: sink.told().length - this.#ids(),
      twice: [...told.values()].filter(({ size }) => size > 1).length,
      takeovers: this.#takeovers.toSorted((a, b) => a - b),
    };
  }

  #messages(): Map<string, Set<string>> {
    const found = new Map<string, Set<string>>();
    for (const { what, message } of this.parts.sink.told()) {
      const messages = found.get(what) ?? new Set();
      messages.add(message);
      found.set(what, messages);
    }
    return found;
  }

  #ids(): number {
    return new Set(this.parts.sink.told().map(({ message }) => message)).size;
  }
}

function textOf({ kind, leases }: Violence): string {
  return `${kind} (${leases.toFixed(1)} leases)`;
}

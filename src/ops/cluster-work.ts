import type { Clock } from "../base/clock.ts";
import { MINUTE } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import { configurationText } from "../cluster/configuration-text.ts";
import type { Member } from "../cluster/member.ts";
import { type Holding, Sharing, type Worker } from "../cluster/sharing.ts";
import { startCluster, wholeMemory } from "../commit/cluster-start.ts";
import type { OnRoundsEvent } from "../commit/committer.ts";
import type { Delivery, Receivers } from "../delivery/deliver.ts";
import type { Source } from "../fetch/source.ts";
import { KINDS } from "../kinds/index.ts";
import type { RoundRecord, Setup } from "../model/index.ts";
import { type Memory, NO_MEMORY } from "../poll/memory.ts";
import { channelLease } from "../store/postgres/member-access.ts";
import type { Store } from "../store/store.ts";
import { ClusterPart, slotsOf } from "./cluster-part.ts";
import type { Tenure } from "./daemon-store.ts";
import type { HoldingsWatch } from "./holdings.ts";
import { LonelyOutage } from "./lonely-outage.ts";
import { type FollowOptions, LostRoundsError } from "./reload/current-rounds.ts";
import type { SelfNotices } from "./self-notices.ts";

/** A daemon's place among others. */
export interface ClusterSeat {
  readonly member: Member;
  /** The hash of the configuration that decides, for the others. */
  readonly decides: (hash: string) => void;
  /** Milliseconds; tests make it shorter. */
  readonly leaseMs?: number;
}

export interface ClusterWorkParts {
  /** As it is at the moment. */
  readonly setup: () => Setup;
  readonly memory: () => Memory;
  readonly source: () => Source;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly onEvent: OnRoundsEvent;
  readonly self: SelfNotices;
  readonly owned: HoldingsWatch;
  readonly delivery: Delivery;
  /** All channels, whoever delivers to them. */
  readonly receivers: () => Receivers;
  /** One after the other with what else changes the setup. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Watches by this setup from now on, which was bound to what is held. */
  readonly follow: (given: Setup, options: FollowOptions) => Promise<void>;
  /** Whether this daemon does what one of them does for all; told of each change of what it holds. */
  readonly keep: (keeps: boolean) => Promise<void>;
  /** It watches nothing any more, and must join the others anew. */
  readonly onFatal: (error: unknown) => void;
}

/** A daemon whose way to the service is cut lets others ask for so long. */
const REST_MS = 5 * MINUTE;
/** What others do is looked at again so often, in real milliseconds, while somebody asks. */
const VIEW_MS = 10_000;
/** Rounds that run get so long to end where what nobody watches waits for it. */
const SHORT_GRACE_MS = 2_000;

/** The work of a daemon that shares it with others: it goes over to what it holds as that changes. */
export class ClusterWork implements Worker {
  readonly part = new ClusterPart();
  readonly tenure: Tenure;
  readonly #seat: ClusterSeat;
  #parts: ClusterWorkParts | null = null;
  #sharing: Sharing | null = null;
  #upkeep = new AbortController();
  #starting: Promise<void> = Promise.resolve();
  #isOut = false;
  #lonely: LonelyOutage | null = null;
  #view: { readonly of: Setup; readonly memory: Memory; readonly at: number } | null = null;
  #viewing: Promise<void> | null = null;

  constructor(seat: ClusterSeat) {
    this.#seat = seat;
    const { member } = seat;
    this.tenure = {
      access: { id: member.id, held: () => this.part.held },
      holdsSending: member.suspends,
      mayWork: () => member.mayWork(),
    };
  }

  start(parts: ClusterWorkParts): void {
    this.#parts = parts;
    const { member, leaseMs } = this.#seat;
    this.#decides(parts.setup());
    this.#sharing = new Sharing(
      {
        member,
        channels: () => parts.setup().channels.map(({ name }) => name),
        hash: () => configurationText(parts.setup()),
        log: parts.log,
        ...(leaseMs === undefined ? {} : { leaseMs }),
      },
      this,
    );
    this.#sharing.start();
  }

  async stop(): Promise<void> {
    await this.#sharing?.stop();
    this.#upkeep.abort();
    await this.#starting;
  }

  /**
   * The store cannot be reached, or can again: until then nobody is known to deliver what this one has to tell, so
   * it does so itself through every channel.
   */
  async outage(isOut: boolean): Promise<void> {
    const { receivers, delivery, inTurn } = this.#parts ?? {};
    this.#isOut = isOut;
    if (receivers === undefined || delivery === undefined || inTurn === undefined) return;
    await inTurn(() => delivery.follow(this.receivers(receivers())));
    await this.#parts?.keep(this.part.keeps);
  }

  /** The channels to which this daemon delivers at the moment. */
  receivers(all: Receivers): Receivers {
    return this.#isOut ? all : this.part.receivers(all);
  }

  /**
   * Whether this daemon reads what people write in the chat of a channel: the one that delivers to it. One that does
   * not reach the store does not know whether another one reads by now.
   */
  #reads(channel: string): boolean {
    return !this.#isOut && this.part.held.has(channelLease(channel));
  }

  /** Hears of the rounds what its part of the work depends on. */
  hearing(next: OnRoundsEvent): OnRoundsEvent {
    return (event) => {
      next(event);
      if (event.kind === "round") void this.#look(event.record);
    };
  }

  async #look(record: RoundRecord): Promise<void> {
    const { store, log } = this.#parts ?? {};
    if (store === undefined) return;
    this.#lonely ??= new LonelyOutage(store);
    if (!(await this.#lonely.sees(record))) return;
    log?.warn(
      "only this daemon is not answered by the service: others take its part for some minutes",
    );
    this.#sharing?.rest(REST_MS, "the service does not answer it");
  }

  /** Why it has no part of the work; null: it has. */
  get why(): string | null {
    return this.#sharing?.why ?? null;
  }

  /** Another configuration decides only once nobody does by the one before. */
  async reconfigure<T>(before: Setup, next: Setup, follow: () => Promise<T>): Promise<T> {
    const sharing = this.#sharing;
    if (sharing === null || configurationText(before) === configurationText(next)) {
      return await follow();
    }
    return await sharing.reconfigure(async () => {
      this.#upkeep.abort();
      await this.#starting;
      const done = await follow();
      if (this.#parts !== null) this.#decides(this.#parts.setup());
      return done;
    });
  }

  #decides(setup: Setup): void {
    this.#seat.decides(configurationText(setup));
  }

  async hold(next: Holding): Promise<void> {
    const parts = this.#parts;
    if (parts === null) throw new Error("the daemon has not started");
    await parts.inTurn(() => this.#hold(next, parts));
    if (!this.part.keeps) this.#upkeep.abort();
    await parts.keep(this.part.keeps);
    // What others have left there waits for nobody.
    parts.delivery.poke();
  }

  async #hold(next: Holding, parts: ClusterWorkParts): Promise<void> {
    const { part } = this;
    const { delivery, receivers, setup, owned } = parts;
    const before = [...part.held];
    // Whatever it was opened with: going back to it goes back to what is held now.
    part.bind(setup());
    const kept: Holding = {
      ...next,
      held: new Map(before.filter(([name]) => next.held.has(name))),
    };
    await delivery.follow(part.receivers(receivers(), kept));
    const slots = slotsOf(next);
    const had = slotsOf({ held: part.held, current: new Set() });
    const isSame = slots.size === had.size && [...slots].every((slot) => had.has(slot));
    if (isSame) part.take(next);
    else {
      if (part.hasOwned(setup(), next) && !part.hasOwned(setup())) await owned.takeOver();
      const given = owned.expand({ ...setup() });
      part.bind(given, next);
      const gains = [...slots].some((slot) => !had.has(slot));
      try {
        await parts.follow(given, gains ? { graceMs: SHORT_GRACE_MS } : {});
      } catch (error) {
        if (error instanceof LostRoundsError) parts.onFatal(error.cause);
        throw error;
      }
    }
    await delivery.follow(this.receivers(receivers()));
  }

  /** For what speaks of all that is watched, and hears what people say of it. */
  readonly seeing = {
    memory: (): Memory => this.view(),
    refresh: () => this.refresh(),
    reads: (channel: string): boolean => this.#reads(channel),
  };

  /** All alerts, as far as they were looked at by now; those of others are some seconds old. */
  view(): Memory {
    const { setup, memory } = this.#parts ?? {};
    if (setup === undefined || memory === undefined) return NO_MEMORY;
    if (this.#view?.of !== setup() || performance.now() - this.#view.at > VIEW_MS) {
      void this.refresh().catch((error: unknown) => {
        this.#parts?.log.debug({ err: error }, "what the others watch cannot be read");
      });
    }
    return this.#view?.memory ?? memory();
  }

  /** Reads what all of them have done by now. Throws StoreError. */
  async refresh(): Promise<void> {
    const parts = this.#parts;
    if (parts === null) return;
    this.#viewing ??= this.#read(parts).finally(() => {
      this.#viewing = null;
    });
    await this.#viewing;
  }

  async #read({ setup, source, store, clock }: ClusterWorkParts): Promise<void> {
    const of = setup();
    const memory = await wholeMemory({
      setup: of,
      kinds: KINDS,
      source: source(),
      store,
      clock,
    });
    this.#view = { of, memory, at: performance.now() };
  }

  settled(): void {
    const parts = this.#parts;
    if (parts === null) return;
    this.#upkeep.abort();
    this.#upkeep = new AbortController();
    const { signal } = this.#upkeep;
    const { store, clock, onEvent, log } = parts;
    const start = {
      setup: parts.setup(),
      kinds: KINDS,
      source: parts.source(),
      store,
      clock,
      onEvent,
    };
    this.#starting = this.#starting.then(() =>
      startCluster({ ...start, signal }).catch((error: unknown) => {
        log.error({ err: error }, "the start could not be told");
      }),
    );
  }

  noticed(): void {
    this.#parts?.delivery.poke();
  }

  buried(name: string): void {
    this.#parts?.self.takenOver(name);
  }

  subjects(): number {
    return this.#parts?.memory().subjects.size ?? 0;
  }
}

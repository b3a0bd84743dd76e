import { setTimeout as pause } from "node:timers/promises";
import { MINUTE } from "../base/duration.ts";
import { configurationText } from "../cluster/configuration-text.ts";
import type { Registered } from "../cluster/leases.ts";
import { LEASE_MS } from "../cluster/member-row.ts";
import { Sharing } from "../cluster/sharing.ts";
import type { Holding, Worker } from "../cluster/worker.ts";
import type { OnRoundsEvent } from "../commit/committer.ts";
import type { Receivers } from "../delivery/deliver.ts";
import type { RoundRecord, Setup } from "../model/index.ts";
import { SLOTS } from "../poll/division.ts";
import { channelLease, slotName } from "../store/postgres/member-access.ts";
import { chainNeedsOf } from "./chain-needs.ts";
import { ClusterPart, slotsOf } from "./cluster-part.ts";
import type { ClusterSeat, ClusterWorkParts } from "./cluster-seat.ts";
import type { Tenure } from "./daemon-store.ts";
import type { SharingCounts } from "./daemon-view.ts";
import { LonelyOutage } from "./lonely-outage.ts";
import { OwnConfiguration } from "./own-configuration.ts";
import { ReadyConfigurations } from "./ready-configurations.ts";
import { LostRoundsError } from "./reload/current-rounds.ts";
import type { LoadedFiles } from "./reload/files.ts";
import type { Differences } from "./reload/setup-parts.ts";
import { SharedStart } from "./shared-start.ts";
import { WholeView } from "./whole-view.ts";

/** Whoever loads a configuration hears after so long that it waits for others. */
const LONGEST_ENTRY_MS = 10_000;
/** A daemon whose way to the service is cut lets others ask for so long. */
const REST_MS = 5 * MINUTE;
/** Rounds that run get so long to end where what nobody watches waits for it. */
const SHORT_GRACE_MS = 2_000;

/** The work of a daemon that shares it with others: it goes over to what it holds as that changes. */
export class ClusterWork implements Worker {
  readonly part: ClusterPart;
  readonly tenure: Tenure;
  #parts: ClusterWorkParts | null = null;
  #sharing: Sharing | null = null;
  #unlisten = async (): Promise<void> => {};
  readonly #sharedStart = new SharedStart();
  #isOut = false;
  #outage = new AbortController();
  #lonely: LonelyOutage | null = null;
  /** For what speaks of all that is watched, and hears what people say of it. */
  readonly seeing = {
    ...new WholeView(() => this.#parts),
    reads: (channel: string): boolean => this.#reads(channel),
  };
  readonly #ready: ReadyConfigurations;
  #own: OwnConfiguration | null = null;

  constructor(private readonly seat: ClusterSeat) {
    this.part = new ClusterPart(seat.paceNodes);
    this.#ready = new ReadyConfigurations(seat.unpack, (hash, setup) =>
      this.part.know(hash, setup),
    );
    const { member } = seat;
    this.tenure = {
      access: { id: member.id, held: () => this.part.held },
      holdsSending: member.suspends,
      mayWork: () => member.mayWork(),
    };
  }

  start(parts: ClusterWorkParts): void {
    this.#parts = parts;
    const { member, pack, files } = this.seat;
    const setup = parts.setup();
    this.#decides(setup);
    this.#own = new OwnConfiguration({ ...parts, others: () => this.#sharing?.others ?? 0 });
    this.#sharing = new Sharing(
      {
        member,
        own: { hash: this.#own.hash, text: pack(setup, files) },
        channels: () => parts.setup().channels.map(({ name }) => name),
        hash: () => configurationText(parts.setup()),
        log: parts.log,
      },
      this,
    );
    this.#sharing.start();
    this.#unlisten = member.listen((what) => {
      if (what === "orders") void parts.carryOut();
      else if (what === "notices") parts.delivery.poke();
      else this.#sharing?.poke();
    });
  }

  async stop(): Promise<void> {
    this.#outage.abort();
    this.#own?.stop();
    await this.#unlisten();
    await this.#sharing?.stop();
    await this.#sharedStart.stop();
  }

  /**
   * The store cannot be reached, or can again: until then nobody is known to deliver what this one has to tell, so
   * it does so itself through every channel.
   */
  async outage(isOut: boolean): Promise<void> {
    const { receivers, delivery, inTurn } = this.#parts ?? {};
    this.#isOut = isOut;
    this.#outage.abort();
    this.#outage = new AbortController();
    if (isOut) void this.#sayAlone(this.#outage.signal);
    if (receivers === undefined || delivery === undefined || inTurn === undefined) return;
    await inTurn(() => delivery.follow(this.receivers(receivers())));
    await this.#parts?.keep(this.part.keeps);
  }

  /** Who is still renewed by the server after a lease has a trouble of its own, of which others cannot know. */
  async #sayAlone(signal: AbortSignal): Promise<void> {
    const { member } = this.seat;
    await pause(LEASE_MS, undefined, { signal, ref: false }).catch(() => {});
    if (!signal.aborted && member.isAnswered) this.#parts?.self.unwritableHere();
  }

  /** Whether it leaves to another daemon to tell a channel that the store cannot be reached: nobody is told twice. */
  leaves(channel: string): boolean {
    const lease = channelLease(channel);
    return !this.part.held.has(lease) && this.#sharing?.isElsewhere(lease) === true;
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

  /** How the work is shared, as this daemon has seen it last. */
  get sharing(): SharingCounts {
    const { others = 0, unowned = SLOTS } = this.#sharing ?? {};
    return { slots: this.part.slots, members: others + 1, unowned };
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
      "nothing that this daemon asks for is answered, and other daemons are: they take over its part for some minutes",
    );
    this.#sharing?.rest(REST_MS, "the service does not answer it");
  }

  /** Why it has no part of the work; null: it has. */
  get why(): string | null {
    return this.#sharing?.why ?? null;
  }

  /** The daemon's own files say `next`; see OwnConfiguration.load. */
  async reconfigure(
    next: Setup,
    files: LoadedFiles,
    isForced: boolean,
    follow: () => Promise<Differences>,
  ): Promise<Differences> {
    const [sharing, own] = [this.#sharing, this.#own];
    if (sharing === null || own === null) return await follow();
    return await own.load(next, isForced, follow, async (hash) => {
      this.#ready.keep(hash, next);
      await sharing.propose({ hash, text: this.seat.pack(next, files) });
      await sharing.entered(LONGEST_ENTRY_MS);
      return sharing.waitsFor;
    });
  }

  prepare(config: Registered, files: () => Promise<string | null>): Promise<string | null> {
    return this.#ready.prepare(config, files);
  }

  async adopt(hash: string, holding: Holding): Promise<void> {
    const parts = this.#parts;
    const next = this.#ready.get(hash);
    if (parts === null) throw new Error("the daemon has not started");
    const before = parts.setup();
    if (configurationText(before) !== hash) {
      if (next === undefined) throw new Error("a configuration is not ready");
      await this.#sharedStart.stop();
      this.#ready.keep(configurationText(before), before);
      await parts.inTurn(() => this.#change(next, holding, parts));
      this.#decides(parts.setup());
    }
    await this.hold(holding);
  }

  async #change(next: Setup, holding: Holding, parts: ClusterWorkParts): Promise<void> {
    const had = this.part.holding;
    const served = await this.seat.serve(next);
    // Going back to what runs goes back to what is held.
    this.part.bind(parts.setup());
    this.part.take(holding);
    try {
      await parts.change(served);
    } catch (error) {
      this.part.take(had);
      throw error;
    }
  }

  waiting(): ReadonlySet<string> {
    const setup = this.#parts?.setup();
    if (setup === undefined) return new Set();
    const { division, slots } = this.part.share(setup);
    return new Set([...division.waitingIn(slots)].map(slotName));
  }

  heldUp(by: readonly string[]): void {
    void this.#parts?.self.found({ about: "configuration_waits", by });
  }

  #decides(setup: Setup): void {
    this.seat.decides(configurationText(setup));
  }

  async hold(next: Holding): Promise<void> {
    const parts = this.#parts;
    if (parts === null) throw new Error("the daemon has not started");
    await parts.inTurn(() => this.#hold(next, parts));
    if (!this.part.keeps) this.#sharedStart.abort();
    await parts.keep(this.part.keeps);
    if ((parts.setup().service.rpc ?? null) !== null) {
      this.seat.needNodes(chainNeedsOf(parts.memory(), parts.clock.now()));
    }
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
    const had = slotsOf(part.holding);
    const isSame =
      next.config === part.holding.config &&
      slots.size === had.size &&
      [...slots].every((slot) => had.has(slot)) &&
      part.waitingText(setup(), next) === part.waitingText(setup(), part.holding);
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

  settled(): void {
    if (this.#parts !== null) this.#sharedStart.begin(this.#parts);
  }

  noticed(): void {
    this.#parts?.delivery.poke();
  }

  buried(name: string): void {
    this.#parts?.self.takenOver(name);
  }

  subjects(): number {
    return this.#parts?.memory().watched ?? 0;
  }
}

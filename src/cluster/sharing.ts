import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../base/clock.ts";
import { SECOND } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import { channelLease, KEEPER, SLOT_COUNT, slotName } from "../store/postgres/member-access.ts";
import { assign } from "./assign.ts";
import { Choice, type OwnFiles } from "./choice.ts";
import type { ClusterView, Lease } from "./leases.ts";
import type { Member } from "./member.ts";
import { LEASE_MS } from "./member-row.ts";
import { behindOf, behindText } from "./rollout.ts";
import type { Holding, Worker } from "./worker.ts";

export interface SharingParts {
  readonly member: Member;
  /** The channels of the configuration that decides. */
  readonly channels: () => readonly string[];
  /** Of the configuration that decides. */
  readonly hash: () => string;
  readonly own: OwnFiles;
  readonly log: Log;
  /** Milliseconds; tests make it shorter. */
  readonly leaseMs?: number;
}

const LOOKS = 15;
const NOTHING: Holding = { config: 0, held: new Map(), current: new Set(), behind: new Map() };
const SLOT_NAMES = Array.from({ length: SLOT_COUNT }, (_, slot) => slotName(slot));
/**
 * A member's part of the work: looks again and again what it should hold, by who is alive, takes what is free of it,
 * and gives back what is others'. What is given back is released before anybody else may take it. A new configuration
 * decides part by part: each member goes over to it with what it holds, and no slot is decided by two.
 */
export class Sharing {
  readonly #parts: SharingParts;
  readonly #leaseMs: number;
  readonly #ending = new AbortController();
  readonly #worker: Worker;
  readonly #choice: Choice;
  #held: Holding = NOTHING;
  #tail: Promise<unknown> = Promise.resolve();
  #loop: Promise<void> = Promise.resolve();
  #why: string | null = null;
  #shown = "";
  #isPostponed = false;
  #isPoked = false;
  #settledAt: number | null = null;
  #rest: { readonly until: number; readonly why: string } | null = null;
  #lastNotice = 0;
  #others = 0;
  /** What others who were alive had when it was looked last. */
  #elsewhere: ReadonlySet<string> = new Set();

  constructor(parts: SharingParts, worker: Worker) {
    this.#parts = parts;
    this.#worker = worker;
    this.#leaseMs = parts.leaseMs ?? LEASE_MS;
    const look = (): Promise<ClusterView | null> => this.#look();
    this.#choice = new Choice({ ...parts, leaseMs: this.#leaseMs, look }, worker);
  }

  start(): void {
    this.#loop = this.#looks();
  }

  /** Looks no more; what is held stays so. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#loop;
    await this.#tail;
  }

  /** Gives its part to the others for so long, in milliseconds, unless there are none: `why` says the reason. */
  rest(ms: number, why: string): void {
    this.#rest = { until: performance.now() + ms, why };
  }

  /** Why it has no part of the work; null: it has, or is about to. */
  get why(): string | null {
    return this.#why;
  }

  /** Its files say something else: that is to be the newest configuration. */
  async propose(own: OwnFiles): Promise<void> {
    this.#choice.propose(own);
    await this.look();
  }

  /** The daemons for whom what its files say waits. */
  get waitsFor(): readonly string[] {
    return this.#choice.waitsFor;
  }

  /** Looks soon, and once however often it is asked to. */
  poke(): void {
    if (this.#isPoked) return;
    this.#isPoked = true;
    void this.look();
  }

  /** Looks at once. Never rejects. */
  async look(): Promise<void> {
    await this.#inTurn(() => this.#step()).catch((error: unknown) => {
      this.#parts.log.error({ err: error }, "cannot share the work; trying again");
    });
  }

  /** Whether another daemon that was alive had this lease when it was looked last. */
  isElsewhere(lease: string): boolean {
    return this.#elsewhere.has(lease);
  }

  /** How many others are alive. */
  get others(): number {
    return this.#others;
  }

  /** Of the 256 parts of the work those that nobody had who was alive when it was looked last. */
  get unowned(): number {
    const owned = SLOT_NAMES.filter(
      (name) => this.#held.held.has(name) || this.#elsewhere.has(name),
    );
    return SLOT_COUNT - owned.length;
  }

  /** Resolves once what its files say is in force here, or after so many milliseconds. */
  async entered(ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (this.#parts.hash() !== this.#choice.own.hash && performance.now() < until) {
      if (this.#ending.signal.aborted) return;
      await pause(this.#leaseMs / LOOKS / 4);
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(work);
    this.#tail = turn.catch(() => {});
    return turn;
  }

  async #looks(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.look();
      await pause(this.#leaseMs / LOOKS, undefined, { signal }).catch(() => {});
    }
  }

  async #step(): Promise<void> {
    const { member } = this.#parts;
    this.#isPoked = false;
    if (member.isBuried || this.#ending.signal.aborted) return;
    let view = await this.#look();
    if (view === null) return;
    const { lastNotice } = view;
    const others = new Set(view.members.flatMap(({ id }) => (id === member.id ? [] : [id])));
    const theirs = view.leases.filter(({ owner }) => owner !== null && others.has(owner));
    this.#elsewhere = new Set(theirs.map(({ name }) => name));
    if (lastNotice !== this.#lastNotice) this.#worker.noticed();
    this.#lastNotice = lastNotice;
    this.#others = others.size;
    view = await this.#choice.make(view, this.#held, (holding) => {
      this.#held = holding;
    });
    if (view === null) return;
    await this.#share(view);
    await this.#show(view);
  }

  async #look(): Promise<ClusterView | null> {
    const { member } = this.#parts;
    const view = await member.look(this.#choice.own.hash, (name) => this.#worker.buried(name));
    return member.isBuried ? null : view;
  }

  /** Takes its part of what those share who decide as it does, and gives others theirs. */
  async #share(view: ClusterView): Promise<void> {
    const { member } = this.#parts;
    const number = this.#choice.number;
    const force = view.configs.find(({ isBegun }) => isBegun);
    if (this.#rest !== null && performance.now() >= this.#rest.until) this.#rest = null;
    this.#why = this.#rest?.why ?? null;
    if (number === null || force === undefined) return;
    if (number !== force.number) {
      this.#why = this.#choice.waitsForWords(view, force);
      await this.#follow(view, null);
      return;
    }
    const wanted = this.#wanted(view);
    const living = new Set(view.members.map(({ id }) => id));
    const isFree = ({ owner }: Lease): boolean => owner === null || !living.has(owner);
    const known = new Map(view.leases.map((lease) => [lease.name, lease]));
    const free = [...wanted].filter((name) => {
      const lease = known.get(name);
      return lease === undefined || isFree(lease);
    });
    if (free.length > 0) {
      await member.take(free, number);
      const after = await this.#look();
      if (after === null) return;
      // What is free, and others have not taken yet, comes before what is to be given to them.
      await this.#follow(after, null);
      return;
    }
    const owed = view.leases.filter(({ name, owner }) => owner === member.id && !wanted.has(name));
    const others = SLOT_NAMES.some((name) => isFree(known.get(name) ?? FREE));
    await this.#follow(view, others ? null : new Set(owed.map(({ name }) => name)));
  }

  /** Goes over to what it has, but for what it gives to others. */
  async #follow(view: ClusterView, given: ReadonlySet<string> | null): Promise<void> {
    const { member } = this.#parts;
    const config = this.#choice.number ?? 0;
    const mine = view.leases.filter(({ owner }) => owner === member.id);
    const kept = mine.filter(({ name }) => given?.has(name) !== true);
    const holding = {
      config,
      held: new Map(kept.map(({ name, epoch }) => [name, epoch])),
      current: new Set(kept.flatMap((one) => (one.config === config ? [one.name] : []))),
      behind: behindOf(view, member.id, config),
    };
    const isSame =
      holding.config === this.#held.config &&
      areSame(holding.held, this.#held.held) &&
      behindText(holding.behind) === behindText(this.#held.behind);
    if (!isSame && !(await this.#hold(holding))) return;
    if (given !== null && given.size > 0) await member.release([...given]);
    const slots = kept.filter(({ name }) => SLOT_SET.has(name));
    const unmarked = slots.filter((one) => one.decides !== config).map(({ name }) => name);
    if (unmarked.length > 0) await member.enter(unmarked, config);
    const waiting = this.#worker.waiting();
    const old = slots.filter((one) => one.config !== config && !waiting.has(one.name));
    if (old.length > 0) {
      await member.bringUp(
        old.map(({ name }) => name),
        config,
      );
    }
    const all = view.leases.filter(({ name }) => SLOT_SET.has(name));
    const isSettled =
      view.configs[0]?.number === config && all.every((one) => one.config === config);
    if (isSettled && this.#settledAt !== config && this.#held.held.has(KEEPER)) {
      this.#worker.settled();
    }
    this.#settledAt = isSettled && this.#held.held.has(KEEPER) ? config : null;
  }

  async #hold(holding: Holding): Promise<boolean> {
    const { log } = this.#parts;
    try {
      await this.#worker.hold(holding);
    } catch (error) {
      if (!this.#isPostponed)
        log.warn({ err: error }, "cannot take another part of the work yet; trying again");
      this.#isPostponed = true;
      return false;
    }
    this.#isPostponed = false;
    const hadSame = areSame(holding.held, this.#held.held);
    this.#held = holding;
    if (hadSame) return true;
    const slots = [...holding.held.keys()].filter((name) => SLOT_SET.has(name)).length;
    const others = [...holding.held.keys()].filter((name) => !SLOT_SET.has(name));
    log.info({ slots, of: SLOT_COUNT, also: others }, "this daemon's part of the work");
    return true;
  }

  #wanted({ members }: ClusterView): ReadonlySet<string> {
    const { member, channels } = this.#parts;
    const current = members
      .filter(({ id, decides }) => id === member.id || decides === this.#choice.number)
      .map((one) => (one.id === member.id ? { ...one, weight: member.weight } : one));
    const rested = current.filter(({ id, rests }) =>
      id === member.id ? this.#rest === null : !rests,
    );
    const able = rested.length === 0 ? current : rested;
    const mine = new Set<string>();
    for (const names of [SLOT_NAMES, channels().map(channelLease).toSorted(), [KEEPER]]) {
      for (const [name, owner] of assign(names, able)) if (owner === member.id) mine.add(name);
    }
    return mine;
  }

  async #show(view: ClusterView): Promise<void> {
    const status = {
      rests: this.#rest !== null,
      weight: this.#parts.member.weight,
      why: this.#why,
      subjects: this.#worker.subjects(),
      clockMs: clockOffset(systemClock().now() - this.#parts.member.now()),
      ...this.#choice.status(view),
    };
    const text = JSON.stringify(status) + this.#parts.hash() + this.#parts.member.id;
    if (text === this.#shown) return;
    // What could not be said is said with the next look.
    if (await this.#parts.member.show(status)) this.#shown = text;
  }
}

const SLOT_SET: ReadonlySet<string> = new Set(SLOT_NAMES);
const FREE: Lease = { name: "", owner: null, epoch: 0, config: null, decides: null };

function areSame(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean {
  if (one.size !== other.size) return false;
  return [...one].every(([name, epoch]) => other.get(name) === epoch);
}

/** To the second, and none where a slow answer explains it: what is shown is written down each time it changes. */
function clockOffset(ms: number): number {
  return Math.abs(ms) < 2 * SECOND ? 0 : Math.round(ms / SECOND) * SECOND;
}

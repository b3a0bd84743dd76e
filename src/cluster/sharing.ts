import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "../base/log.ts";
import { channelLease, KEEPER, SLOT_COUNT, slotName } from "../store/postgres/member-access.ts";
import { assign } from "./assign.ts";
import type { ClusterView, Lease } from "./leases.ts";
import type { Member } from "./member.ts";
import { LEASE_MS } from "./member-row.ts";

/** What a member holds. */
export interface Holding {
  /** The names of leases with the epoch of each. */
  readonly held: ReadonlyMap<string, number>;
  /** Those of the slots whose state is that of the configuration in force already. */
  readonly current: ReadonlySet<string>;
}

/** Who does the work of a member. */
export interface Worker {
  /**
   * Goes over to these leases. Once it resolves nothing is decided or sent for others, and all is written. Rejects
   * where it is no time for it: then what was held before still is.
   */
  hold(holding: Holding): Promise<void>;
  /** The state of all slots, whoever has them, is that of the configuration in force. */
  settled(): void;
  /** Somebody has written notices. */
  noticed(): void;
  /** A daemon does not answer any more; others take over what it did. */
  buried(name: string): void;
  /** How many subjects are watched. */
  subjects(): number;
}

export interface SharingParts {
  readonly member: Member;
  /** The channels of the configuration. */
  readonly channels: () => readonly string[];
  /** Of the configuration that decides. */
  readonly hash: () => string;
  readonly log: Log;
  /** Milliseconds; tests make it shorter. */
  readonly leaseMs?: number;
}

const LOOKS = 15;
const NOTHING: Holding = { held: new Map(), current: new Set() };
const SLOT_NAMES = Array.from({ length: SLOT_COUNT }, (_, slot) => slotName(slot));

/**
 * A member's part of the work: looks again and again what it should hold, by who is alive, takes what is free of it,
 * and gives back what is others'. What is given back is released before anybody else may take it, and a new
 * configuration decides only when nobody does by another one any more.
 */
export class Sharing {
  readonly #parts: SharingParts;
  readonly #leaseMs: number;
  readonly #ending = new AbortController();
  readonly #worker: Worker;
  #held: Holding = NOTHING;
  #tail: Promise<unknown> = Promise.resolve();
  #loop: Promise<void> = Promise.resolve();
  /** The configuration is to be the one in force, though it was before. */
  #insists = false;
  /** Since when nobody who is alive has the configuration in force, in elapsed time; null: somebody has. */
  #orphanedSince: number | null = null;
  #why: string | null = null;
  #shown = "";
  #isPostponed = false;
  #settledAt: number | null = null;
  #rest: { readonly until: number; readonly why: string } | null = null;
  #lastNotice = 0;

  constructor(parts: SharingParts, worker: Worker) {
    this.#parts = parts;
    this.#worker = worker;
    this.#leaseMs = parts.leaseMs ?? LEASE_MS;
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

  /**
   * Gives back everything, so that `change` may make another configuration the one of this member, and takes its part
   * of that one's work. Rejects with what kept it from being done.
   */
  async reconfigure<T>(change: () => Promise<T>): Promise<T> {
    return await this.#inTurn(async () => {
      await this.#giveBack(NOTHING);
      const done = await change();
      this.#insists = true;
      return done;
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(work);
    this.#tail = turn.catch(() => {});
    return turn;
  }

  async #looks(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.#inTurn(() => this.#step()).catch((error: unknown) => {
        this.#parts.log.error({ err: error }, "the work could not be shared; it is tried again");
      });
      await pause(this.#leaseMs / LOOKS, undefined, { signal }).catch(() => {});
    }
  }

  async #step(): Promise<void> {
    const { member, hash } = this.#parts;
    if (member.isBuried || this.#ending.signal.aborted) return;
    const view = await member.look((name) => this.#worker.buried(name));
    if (view === null || member.isBuried) return;
    const { newest, lastNotice } = view;
    if (lastNotice !== this.#lastNotice) this.#worker.noticed();
    this.#lastNotice = lastNotice;
    if (newest?.hash !== hash()) {
      await this.#wait(view);
      return;
    }
    this.#insists = false;
    this.#orphanedSince = null;
    if (this.#rest !== null && performance.now() >= this.#rest.until) this.#rest = null;
    this.#why = this.#rest?.why ?? null;
    const wanted = this.#wanted(view);
    const living = new Set(view.members.map(({ id }) => id));
    const isFree = ({ owner }: Lease): boolean => owner === null || !living.has(owner);
    const known = new Map(view.leases.map((lease) => [lease.name, lease]));
    const free = [...wanted].filter((name) => {
      const lease = known.get(name);
      return lease === undefined || isFree(lease);
    });
    if (free.length > 0) {
      await member.take(free);
      const after = await member.look((name) => this.#worker.buried(name));
      if (after === null) return;
      // What is free, and others have not taken yet, comes before what is to be given to them.
      await this.#follow(after, null, newest.number);
    } else {
      const owed = view.leases.filter(
        ({ name, owner }) => owner === member.id && !wanted.has(name),
      );
      const others = SLOT_NAMES.some((name) => isFree(known.get(name) ?? FREE));
      await this.#follow(
        view,
        others ? null : new Set(owed.map(({ name }) => name)),
        newest.number,
      );
    }
    await this.#show();
  }

  /** Goes over to what it has, but for what it gives to others. */
  async #follow(
    view: ClusterView,
    given: ReadonlySet<string> | null,
    config: number,
  ): Promise<void> {
    const { member } = this.#parts;
    const mine = view.leases.filter(({ owner }) => owner === member.id);
    const kept = mine.filter(({ name }) => given?.has(name) !== true);
    const holding = {
      held: new Map(kept.map(({ name, epoch }) => [name, epoch])),
      current: new Set(kept.flatMap((one) => (one.config === config ? [one.name] : []))),
    };
    if (!areSame(holding.held, this.#held.held) && !(await this.#hold(holding))) return;
    if (given !== null && given.size > 0) await member.release([...given]);
    const behind = kept.filter((one) => one.config !== config).map(({ name }) => name);
    if (behind.some((name) => name.startsWith("s"))) await member.bringUp(behind, config);
    const slots = view.leases.filter(({ name }) => SLOT_SET.has(name));
    const isSettled = slots.every((one) => one.config === config);
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
      if (!this.#isPostponed) log.warn({ err: error }, "another part of the work begins later");
      this.#isPostponed = true;
      return false;
    }
    this.#isPostponed = false;
    this.#held = holding;
    const slots = [...holding.held.keys()].filter((name) => SLOT_SET.has(name)).length;
    const others = [...holding.held.keys()].filter((name) => !SLOT_SET.has(name));
    log.info({ slots, of: SLOT_COUNT, also: others }, "this daemon's part of the work");
    return true;
  }

  /** Another configuration is in force. */
  async #wait({ members, newest, isKnown }: ClusterView): Promise<void> {
    const { member, log } = this.#parts;
    const isOrphan = members.every(({ config }) => config !== newest?.hash);
    this.#orphanedSince = isOrphan ? (this.#orphanedSince ?? performance.now()) : null;
    const since = this.#orphanedSince;
    const isLost = since !== null && performance.now() - since >= this.#leaseMs;
    if (newest === null || !isKnown || this.#insists || isLost) {
      await this.#giveBack(NOTHING);
      if (isLost) {
        log.warn("no daemon has the newest configuration any more: this one's is in force");
      } else log.info("this daemon's configuration is in force from now on");
      await member.register();
      return;
    }
    if (this.#why === null) {
      log.warn("this daemon's configuration is older than that of the others: it waits for theirs");
    }
    this.#why = "older configuration";
    await this.#giveBack(NOTHING);
    await this.#show();
  }

  async #giveBack(kept: Holding): Promise<void> {
    const names = [...this.#held.held.keys()];
    if (names.length === 0) return;
    await this.#worker.hold(kept);
    this.#held = kept;
    await this.#parts.member.release(names);
  }

  #wanted({ members, newest }: ClusterView): ReadonlySet<string> {
    const { member, channels } = this.#parts;
    const current = members.filter(({ config }) => config === newest?.hash);
    const rested = current.filter(({ rests }) => !rests);
    const able = (rested.length === 0 ? current : rested).map(({ id }) => id);
    const mine = new Set<string>();
    for (const names of [SLOT_NAMES, channels().map(channelLease).toSorted(), [KEEPER]]) {
      for (const [name, owner] of assign(names, able)) if (owner === member.id) mine.add(name);
    }
    return mine;
  }

  async #show(): Promise<void> {
    const status = {
      rests: this.#rest !== null,
      why: this.#why,
      subjects: this.#worker.subjects(),
    };
    const text = JSON.stringify(status) + this.#parts.hash() + this.#parts.member.id;
    if (text === this.#shown) return;
    await this.#parts.member.show(status);
    this.#shown = text;
  }
}

const SLOT_SET: ReadonlySet<string> = new Set(SLOT_NAMES);
const FREE: Lease = { name: "", owner: null, epoch: 0, config: null };

function areSame(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean {
  if (one.size !== other.size) return false;
  return [...one].every(([name, epoch]) => other.get(name) === epoch);
}

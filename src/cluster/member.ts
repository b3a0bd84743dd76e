import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { SECOND } from "../base/duration.ts";
import { storeFailure } from "../store/postgres/failure.ts";
import { upgrade } from "../store/postgres/lease.ts";
import type { Session } from "../store/postgres/session.ts";
import type { StoreError } from "../store/store.ts";
import {
  addLeases,
  begin,
  bringUp,
  type ClusterView,
  enter as enterSlots,
  readView,
  register,
  release,
  storedFiles,
  take,
} from "./leases.ts";
import { type Heard, Listener } from "./listener.ts";
import {
  enter,
  type HeardClock,
  LEASE_MS,
  type MemberParts,
  NOW,
  open,
  whereOf,
} from "./member-row.ts";
import { BuriedError, type MemberStatus } from "./member-status.ts";
import { Renewals } from "./renewals.ts";

/** A member is renewed this often in its lease, and looks for dead ones this often. */
const TIMES = 3;
const LOOKS = 15;
/** Smaller differences are the network's: following them would send the clock to and fro. */
const LARGEST_DRIFT_MS = 250;

/**
 * One daemon of several on a schema, which share the work. It renews its row by a session of its own. Nothing relies
 * on timers or on the clocks of machines: who takes a lease needs the row that every commit of its owner locks.
 */
export class Member {
  readonly #parts: MemberParts;
  readonly #leaseMs: number;
  readonly #ending = new AbortController();
  #id: string;
  #session: Session;
  readonly #renewals: Renewals;
  #heard: HeardClock;
  #isUnreachable = false;
  readonly #loop: Promise<void>;
  #tail: Promise<unknown> = Promise.resolve();

  /** Joins, and renews its row from now on. Throws StoreError, also where a daemon without `cluster` runs. */
  static async join(parts: MemberParts): Promise<Member> {
    const where = whereOf(parts);
    const session = await open(parts, where);
    try {
      await upgrade(session, parts.place.schema);
      const sentAt = performance.now();
      const id = randomUUID();
      const heard = await enter(session, id, parts);
      return new Member(parts, id, session, sentAt, heard);
    } catch (error) {
      await session.end();
      throw storeFailure(error, where);
    }
  }

  private constructor(
    parts: MemberParts,
    id: string,
    session: Session,
    sentAt: number,
    heard: HeardClock,
  ) {
    this.#parts = parts;
    this.#leaseMs = parts.leaseMs ?? LEASE_MS;
    this.#id = id;
    this.#session = session;
    this.#renewals = new Renewals(this.#leaseMs, this.suspends, sentAt);
    this.#heard = heard;
    this.#loop = this.#renewing();
  }

  /** The server's time in epoch milliseconds, whatever the clock of this machine says. */
  now(): number {
    const { at, elapsed } = this.#heard;
    return Math.floor(at + performance.now() - elapsed);
  }

  /** Hears at once, and not only by looking, what others write; returns the way to stop. */
  listen(heard: (what: Heard) => void): () => Promise<void> {
    const listener = new Listener(this.#parts.place, this.#parts.log, heard);
    return () => listener.stop();
  }

  /** Of this run of it: another one after it was buried. */
  get id(): string {
    return this.#id;
  }

  get name(): string {
    return this.#parts.cluster.name;
  }

  /** How much of the work it is to have beside the others. */
  get weight(): number {
    return this.#parts.cluster.weight;
  }

  /** It sends nothing while the server cannot be reached. */
  get suspends(): boolean {
    return this.#parts.cluster.onOutage === "suspend";
  }

  /** The others count it as dead: it must stop what it does, and join anew. */
  get isBuried(): boolean {
    return this.#renewals.isBuried;
  }

  /** The server has renewed this member within a lease, and refused nothing since. */
  get isAnswered(): boolean {
    return this.#renewals.isAnswered;
  }

  /** Joins under another id, with nothing of what it held. False: the server cannot be reached. */
  async rejoin(): Promise<boolean> {
    const isDone = await this.#asked(async () => {
      // Whoever is buried renews nothing, and so opens none.
      await this.#reopen();
      await this.#depart();
      await this.#joinAnew();
      return true;
    });
    return isDone === true;
  }

  /**
   * Looks who is alive and how the work is shared, and marks who has died; `buried` is told of each. `hash`: of a
   * configuration whose number is asked for. Null: the server cannot be reached.
   */
  async look(hash: string, buried: (name: string) => void): Promise<ClusterView | null> {
    return await this.#asked(async () => {
      for (const name of await this.#bury()) buried(name);
      return await readView(this.#session, hash);
    });
  }

  /**
   * Makes a configuration the newest; `files`: its text, which others can read; null: they cannot. False: the server
   * cannot be reached.
   */
  async register(hash: string, files: string | null): Promise<boolean> {
    return await this.#done(() => register(this.#session, { hash, files }, this.name));
  }

  /** The text of a registered configuration; null: it is not kept, or the server cannot be reached. */
  async files(number: number): Promise<string | null> {
    return await this.#asked(() => storedFiles(this.#session, number));
  }

  /** From now on nobody takes a slot to decide it by an older configuration. False: the server cannot be reached. */
  async begin(number: number): Promise<boolean> {
    return await this.#done(() => begin(this.#session, number));
  }

  /** Takes those of these leases that nobody has, to decide by that configuration; a look says which it got. */
  async take(names: readonly string[], number: number): Promise<void> {
    await this.#asked(async () => {
      await addLeases(this.#session, names);
      await take(this.#session, this.#id, number, names);
    });
  }

  /** Nothing in these slots is decided by another configuration any more. */
  async enter(names: readonly string[], number: number): Promise<void> {
    await this.#asked(() => enterSlots(this.#session, this.#id, names, number));
  }

  /** Gives these leases to whom they belong. Nothing may be decided or sent for them any more. */
  async release(names: readonly string[]): Promise<void> {
    await this.#asked(() => release(this.#session, this.#id, names));
  }

  /** The state of these slots is that of the configuration from now on. */
  async bringUp(names: readonly string[], config: number): Promise<void> {
    await this.#asked(() => bringUp(this.#session, this.#id, names, config));
  }

  /** What the others, and people, see of it. False: the server cannot be reached. */
  async show(status: MemberStatus): Promise<boolean> {
    return await this.#done(() =>
      this.#session.run("UPDATE members SET config = $2, status = $3 WHERE id = $1 AND NOT dead", [
        this.#id,
        this.#parts.config(),
        JSON.stringify(status),
      ]),
    );
  }

  /**
   * Resolves at once while nobody can have taken over. Past that it waits for what a new request comes to: a
   * member that was buried must not go on (BuriedError). One that cannot reach the server goes on with
   * `on_outage: continue`, and waits with `suspend`.
   */
  async mayWork(): Promise<void> {
    await this.#renewals.mayWork();
  }

  get whyBuried(): StoreError {
    return new BuriedError();
  }

  /** Calls `listener` once when this member is buried. */
  onBuried(listener: () => void): void {
    this.#renewals.onBuried(listener);
  }

  /** Lets another one work at once, and is none of them any more. */
  async leave(): Promise<void> {
    this.#ending.abort();
    this.#renewals.end();
    await this.#loop;
    try {
      if (this.#session.isAlive) await this.#depart();
    } catch {
      // The others find that it does not answer.
    }
    await this.#session.end();
  }

  async #reopen(): Promise<void> {
    if (!this.#session.isAlive) this.#session = await open(this.#parts, whereOf(this.#parts));
  }

  async #depart(): Promise<void> {
    await this.#session.query("UPDATE leases SET owner = NULL, freed_at = now() WHERE owner = $1", [
      this.#id,
    ]);
    await this.#session.query("UPDATE members SET dead = true WHERE id = $1", [this.#id]);
  }

  async #renewing(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      // One that fails is tried again soon: the lease runs on.
      const rest = this.#isUnreachable ? this.#leaseMs / LOOKS : this.#leaseMs / TIMES;
      await pause(rest, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await this.#renew();
    }
  }

  async #renew(): Promise<void> {
    if (this.isBuried) return;
    let sentAt = performance.now();
    try {
      const [row] = await this.#inTurn(async () => {
        await this.#reopen();
        sentAt = performance.now();
        return await this.#session.query<{ now: number }>(
          `UPDATE members SET until = now() + $2 * interval '1 millisecond', config = $3
           WHERE id = $1 AND NOT dead RETURNING ${NOW}`,
          [this.#id, this.#leaseMs, this.#parts.config()],
        );
      });
      if (row === undefined) {
        this.#renewals.note("buried", sentAt);
        return;
      }
      this.#hear(row.now, sentAt);
      if (this.#isUnreachable) this.#parts.log.info("the cluster's database answers again");
      this.#isUnreachable = false;
      this.#renewals.note("renewed", sentAt);
    } catch (error) {
      this.#lost(error);
      this.#renewals.note("unreachable", sentAt);
    }
  }

  /** A renewal must be no part of another transaction: its time is the server's at that moment. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(work);
    this.#tail = turn.catch(() => {});
    return turn;
  }

  #lost(error: unknown): void {
    if (!this.#isUnreachable && !this.#ending.signal.aborted) {
      const err = storeFailure(error, whereOf(this.#parts));
      this.#parts.log.warn({ err }, "the cluster's database does not answer");
    }
    this.#isUnreachable = true;
  }

  /** Only an answer that came fast says what the server's clock is now. */
  #hear(at: number, sentAt: number): void {
    const elapsed = performance.now();
    if (elapsed - sentAt > SECOND) return;
    const heard = { at, elapsed: (sentAt + elapsed) / 2 };
    const apart = Math.abs(this.now() - (at + elapsed - heard.elapsed));
    if (apart > LARGEST_DRIFT_MS) this.#heard = heard;
  }

  async #joinAnew(): Promise<void> {
    const sentAt = performance.now();
    const id = randomUUID();
    const heard = await enter(this.#session, id, this.#parts);
    this.#id = id;
    this.#heard = heard;
    this.#renewals.begin(sentAt);
  }

  /**
   * Marks who has not answered for a whole lease. Whoever was cut off itself, or has just come, gives the others the
   * time to renew: a server's restart buries nobody. Resolves to the names of those that had something to do.
   */
  async #bury(): Promise<string[]> {
    if (!this.#renewals.isSteady) return [];
    const dead = await this.#session.query<{ name: string; worked: boolean }>(
      `UPDATE members SET dead = true WHERE until < now() AND NOT dead
       RETURNING name, EXISTS (SELECT FROM leases WHERE owner = members.id) AS worked`,
    );
    for (const { name } of dead) {
      this.#parts.log.warn({ member: name }, "a daemon of the cluster does not answer any more");
    }
    return dead.flatMap(({ name, worked }) => (worked && name !== this.name ? [name] : []));
  }

  async #done(work: () => Promise<unknown>): Promise<boolean> {
    return (await this.#asked(() => work().then(() => true))) === true;
  }

  /** Null: it could not be done. */
  async #asked<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await this.#inTurn(work);
    } catch (error) {
      this.#lost(error);
      return null;
    }
  }
}

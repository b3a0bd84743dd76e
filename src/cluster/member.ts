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

/** A member is renewed this often in its lease, and looks for dead ones this often. */
const RENEWALS = 3;
const LOOKS = 15;
/** This much of a lease is not relied on: clocks run at slightly different speeds. */
const MARGIN = 1 / 15;
/** Smaller differences are the network's: following them would send the clock to and fro. */
const LARGEST_DRIFT_MS = 250;

/** What came of the last request that renewed this member. */
interface Attempt {
  /** When it was sent, in elapsed time: before the server looked at its clock. */
  readonly sentAt: number;
  readonly outcome: "renewed" | "unreachable" | "buried";
}

/**
 * One daemon of several on a schema, which share the work. It renews its row by a session of its own. Nothing relies
 * on timers or on the clocks of machines: who takes a lease needs the row that every commit of its owner locks.
 */
export class Member {
  readonly #parts: MemberParts;
  readonly #leaseMs: number;
  readonly #ending = new AbortController();
  readonly #listeners = new Set<() => void>();
  #id: string;
  #session: Session;
  #attempt: Attempt;
  #heard: HeardClock;
  /** Since when every renewal was answered, in elapsed time. */
  #unbrokenSince: number;
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
    this.#attempt = { sentAt, outcome: "renewed" };
    this.#heard = heard;
    this.#unbrokenSince = sentAt;
    this.#loop = this.#renewals();
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
    return this.#attempt.outcome === "buried";
  }

  /** The server has renewed this member within a lease, and refused nothing since. */
  get isAnswered(): boolean {
    const { sentAt, outcome } = this.#attempt;
    return outcome === "renewed" && performance.now() - sentAt < this.#leaseMs;
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

  /** Makes a configuration the newest; `files`: its text, which others can read; null: they cannot. */
  async register(hash: string, files: string | null): Promise<void> {
    await this.#asked(() => register(this.#session, { hash, files }, this.name));
  }

  /** The text of a registered configuration; null: it is not kept, or the server cannot be reached. */
  async files(number: number): Promise<string | null> {
    return await this.#asked(() => storedFiles(this.#session, number));
  }

  /** From now on nobody takes a slot to decide it by an older configuration. False: the server cannot be reached. */
  async begin(number: number): Promise<boolean> {
    return (await this.#asked(() => begin(this.#session, number).then(() => true))) === true;
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

  /** What the others, and people, see of it. */
  async show(status: MemberStatus): Promise<void> {
    await this.#asked(() =>
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
    for (;;) {
      const { sentAt, outcome } = this.#attempt;
      if (outcome === "buried") throw new BuriedError();
      const isRecent = performance.now() - sentAt < this.#leaseMs * (1 - MARGIN);
      const { onOutage } = this.#parts.cluster;
      if (isRecent && (outcome === "renewed" || onOutage === "continue")) return;
      if (this.#ending.signal.aborted) throw new BuriedError();
      await this.#nextAttempt();
    }
  }

  get whyBuried(): StoreError {
    return new BuriedError();
  }

  /** Calls `listener` once when this member is buried. */
  onBuried(listener: () => void): void {
    const look = (): void => {
      if (this.#attempt.outcome !== "buried") return;
      this.#listeners.delete(look);
      listener();
    };
    this.#listeners.add(look);
    look();
  }

  /** Lets another one work at once, and is none of them any more. */
  async leave(): Promise<void> {
    this.#ending.abort();
    for (const listener of this.#listeners) listener();
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

  /** Resolves when a request that is sent from now on has come to something. */
  async #nextAttempt(): Promise<void> {
    const asked = performance.now();
    await new Promise<void>((resolve) => {
      const look = (): void => {
        // Nothing comes after either of these.
        const isOver = this.#ending.signal.aborted || this.#attempt.outcome === "buried";
        if (this.#attempt.sentAt < asked && !isOver) return;
        this.#listeners.delete(look);
        resolve();
      };
      this.#listeners.add(look);
    });
  }

  async #renewals(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      // One that fails is tried again soon: the lease runs on.
      const rest = this.#isUnreachable ? this.#leaseMs / LOOKS : this.#leaseMs / RENEWALS;
      await pause(rest, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await this.#renew();
      for (const listener of this.#listeners) listener();
    }
  }

  async #renew(): Promise<void> {
    if (this.#attempt.outcome === "buried") return;
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
        this.#attempt = { sentAt, outcome: "buried" };
        return;
      }
      this.#hear(row.now, sentAt);
      if (this.#isUnreachable) this.#parts.log.info("the cluster's database answers again");
      if (this.#attempt.outcome !== "renewed") this.#unbrokenSince = sentAt;
      this.#isUnreachable = false;
      this.#attempt = { sentAt, outcome: "renewed" };
    } catch (error) {
      this.#attempt = { sentAt, outcome: "unreachable" };
      this.#lost(error);
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
    this.#unbrokenSince = sentAt;
    this.#attempt = { sentAt, outcome: "renewed" };
  }

  /**
   * Marks who has not answered for a whole lease. Whoever was cut off itself, or has just come, gives the others the
   * time to renew: a server's restart buries nobody. Resolves to the names of those that had something to do.
   */
  async #bury(): Promise<string[]> {
    const isSteady =
      this.#attempt.outcome === "renewed" &&
      performance.now() - this.#unbrokenSince >= this.#leaseMs;
    if (!isSteady) return [];
    const dead = await this.#session.query<{ name: string; worked: boolean }>(
      `UPDATE members SET dead = true WHERE until < now() AND NOT dead
       RETURNING name, EXISTS (SELECT FROM leases WHERE owner = members.id) AS worked`,
    );
    for (const { name } of dead) {
      this.#parts.log.warn({ member: name }, "a daemon of the cluster does not answer any more");
    }
    return dead.flatMap(({ name, worked }) => (worked && name !== this.name ? [name] : []));
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

import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { SECOND } from "../base/duration.ts";
import { storeFailure } from "../store/postgres/failure.ts";
import { raiseFence, upgrade } from "../store/postgres/lease.ts";
import type { Session } from "../store/postgres/session.ts";
import { StoreError } from "../store/store.ts";
import { enter, type Heard, LEASE_MS, type MemberParts, NOW, open, whereOf } from "./member-row.ts";

/** A member is renewed this often in its lease, and looks for dead ones this often. */
const RENEWALS = 3;
const LOOKS = 15;
/** This much of a lease is not relied on: clocks run at slightly different speeds. */
const MARGIN = 1 / 15;
/** Smaller differences are the network's: following them would send the clock to and fro. */
const LARGEST_DRIFT_MS = 250;

/** Another member works now: this one must stop deciding and sending, and may join anew. */
class BuriedError extends StoreError {
  constructor() {
    super(
      "fenced",
      "another daemon of the cluster has taken over: this one did not answer in time",
    );
  }
}

/** What came of the last request that renewed this member. */
interface Attempt {
  /** When it was sent, in elapsed time: before the server looked at its clock. */
  readonly sentAt: number;
  readonly outcome: "renewed" | "unreachable" | "buried";
}

/** A member's turn to work. */
export interface Turn {
  /** The number under which it writes. */
  readonly fence: number;
  readonly from: string | null;
}

/**
 * One daemon of several on a schema, of which one works and the others wait to take over. It renews its row by a
 * session of its own. Nothing relies on timers or on the clocks of machines: who takes over raises a number
 * under a lock that every commit of the one before needs as well.
 */
export class Member {
  readonly #parts: MemberParts;
  readonly #leaseMs: number;
  readonly #ending = new AbortController();
  readonly #listeners = new Set<() => void>();
  #id: string;
  #session: Session;
  #attempt: Attempt;
  #heard: Heard;
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
    heard: Heard,
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

  /**
   * Waits until this member may work: then it has taken over, under the number that it resolves to, from the
   * member of that other name that had died, or from nobody (null). Null: `stop` was aborted before.
   */
  async takeOver(stop: AbortSignal): Promise<Turn | null> {
    while (!stop.aborted) {
      try {
        if (this.#attempt.outcome === "buried") await this.#inTurn(() => this.#joinAnew());
        await this.#inTurn(() => this.#bury());
        const turn = await this.#inTurn(() => this.#take());
        if (turn !== null) return turn;
      } catch (error) {
        this.#lost(error);
      }
      await pause(this.#leaseMs / LOOKS, undefined, { signal: stop }).catch(() => {});
    }
    return null;
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

  /** Warns of living members whose configuration or version is another one: they would watch something else. */
  async warnOfDifferences(): Promise<void> {
    try {
      const rows = await this.#inTurn(() =>
        this.#session.query<{ name: string; sameVersion: boolean; sameConfig: boolean }>(
          `SELECT name, version = $2 AS "sameVersion", config = $3 AS "sameConfig" FROM members
           WHERE NOT dead AND id <> $1 AND (version <> $2 OR config <> $3)`,
          [this.#id, this.#parts.version, this.#parts.config()],
        ),
      );
      for (const { name, sameVersion, sameConfig } of rows) {
        const differs = [...(sameVersion ? [] : ["version"]), ...(sameConfig ? [] : ["rules"])];
        this.#parts.log.warn({ member: name, differs }, "another daemon of the cluster differs");
      }
    } catch (error) {
      this.#lost(error);
    }
  }

  /** Lets others take over; it may do so again itself. */
  async giveUp(): Promise<void> {
    try {
      await this.#inTurn(() =>
        this.#session.query("UPDATE leases SET owner = NULL WHERE owner = $1", [this.#id]),
      );
    } catch (error) {
      this.#lost(error);
    }
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
      if (this.#session.isAlive) {
        await this.#session.query("UPDATE leases SET owner = NULL WHERE owner = $1", [this.#id]);
        await this.#session.query("UPDATE members SET dead = true WHERE id = $1", [this.#id]);
      }
    } catch {
      // The others find that it does not answer.
    }
    await this.#session.end();
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
        if (!this.#session.isAlive) this.#session = await open(this.#parts, whereOf(this.#parts));
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
   * time to renew: a server's restart buries nobody.
   */
  async #bury(): Promise<void> {
    const isSteady =
      this.#attempt.outcome === "renewed" &&
      performance.now() - this.#unbrokenSince >= this.#leaseMs;
    if (!isSteady) return;
    const dead = await this.#session.query<{ name: string }>(
      "UPDATE members SET dead = true WHERE until < now() AND NOT dead RETURNING name",
    );
    for (const { name } of dead) {
      this.#parts.log.warn({ member: name }, "a daemon of the cluster does not answer any more");
    }
  }

  /** Null: somebody who is alive works. Who left by itself has given the lease back, and is no news. */
  async #take(): Promise<Turn | null> {
    const session = this.#session;
    await session.query("BEGIN");
    try {
      const [taken] = await session.query<{ from: string | null }>(
        `UPDATE leases SET owner = $1
         FROM (SELECT owner FROM leases WHERE name = 'daemon') AS before
         LEFT JOIN members AS was ON was.id = before.owner AND was.name <> $2
         WHERE leases.name = 'daemon'
           AND NOT EXISTS (SELECT FROM members WHERE id = leases.owner AND NOT dead)
           AND EXISTS (SELECT FROM members WHERE id = $1 AND NOT dead)
         RETURNING was.name AS from`,
        [this.#id, this.#parts.cluster.name],
      );
      // Waits for the running commit of the one before; its next one finds another number.
      const turn =
        taken === undefined ? null : { fence: await raiseFence(session), from: taken.from };
      await session.query("COMMIT");
      return turn;
    } catch (error) {
      if (session.isAlive) await session.query("ROLLBACK").catch(() => session.destroy());
      throw error;
    }
  }
}

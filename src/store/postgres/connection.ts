import { setTimeout as delay } from "node:timers/promises";
import { type PostgresPlace, type PostgresTarget, targetOf } from "../../base/postgres-url.ts";
import { StoreError } from "../store.ts";
import { isAnswer, isPassing, storeFailure, unusable } from "./failure.ts";
import { enterWriters, type LeaseKind, raiseFence, takeLease, tryLease, upgrade } from "./lease.ts";
import { connect, LONG_MS, pooled, refusePooled, type Session } from "./session.ts";

/** A schema that this process may write over two sessions: what is decided and what is sent do not wait for each other. */
export interface Connection {
  /** How messages name it. */
  readonly where: string;
  /** Looks at one moment of it. Throws StoreError. */
  read<T>(work: (session: Session) => Promise<T>, long?: boolean): Promise<T>;
  /**
   * Runs `work` in one transaction of the session, after checking in it that nobody has opened the schema since:
   * all of it is durable, or nothing is there. `work` may run again. Throws StoreError; one with `settled` where
   * the connection was lost in the commit and nothing tells yet what became of it.
   */
  write<T>(name: SessionName, work: (session: Session) => Promise<T>, long?: boolean): Promise<T>;
  close(): Promise<void>;
}

export type SessionName = "data" | "outbox";

/** So long a lost commit is asked after before the store counts as failed. */
const DOUBT_MS = 4_000;
const DOUBT_PAUSE_MS = 250;
/** One that waits for a standby which is gone goes on waiting: nobody who decides and sends waits with it. */
const LOOK_MS = 1_000;
const MOST_TRIES = 5;
/**
 * A server that swallows everything costs whoever asks for it the whole time that a connection may take. So what is
 * written while it is gone asks now and then, and what is read asks only where nobody has anything to write.
 */
const WRITE_PATIENCE_MS = 4_000;
const READ_PATIENCE_MS = 15_000;

/**
 * Opens the schema, and makes or upgrades its tables: alone, or as the member of a cluster of that id. Throws
 * StoreError with every reason but `fenced`.
 */
export async function openConnection(
  place: PostgresPlace,
  member: string | null = null,
): Promise<Connection> {
  const how = member === null ? "alone" : "shared";
  const target = targetOf(place);
  const where = `the PostgreSQL schema ${target.schema}`;
  const opened: Session[] = [];
  try {
    const data = await connect(target);
    opened.push(data);
    const outbox = await connect(target);
    opened.push(outbox);
    await refusePooled(data, outbox, where);
    await takeLease(data, target.schema, where, how);
    await upgrade(data, target.schema);
    const rows = {
      data: member === null ? "data" : `${member} data`,
      outbox: member === null ? "outbox" : `${member} outbox`,
    };
    const number =
      member === null ? await raiseFence(data) : await enterWriters(data, Object.values(rows));
    return new Sessions(target, where, number, how, rows, { data, outbox });
  } catch (error) {
    for (const session of opened) await session.end();
    throw storeFailure(error, where);
  }
}

interface Channel {
  session: Session;
  /** The number of its last commit. */
  seq: number;
  /** The connection was lost in a commit. */
  doubt: Doubt | null;
  tail: Promise<unknown>;
}

interface Doubt {
  readonly seq: number;
  /** Null: nobody could be asked yet. */
  isDone: boolean | null;
}

class Sessions implements Connection {
  readonly #channels: Readonly<Record<SessionName, Channel>>;
  #isClosed = false;
  /** Why and when, in elapsed time, the server could not be reached the last time; null: it can be. */
  #trouble: { readonly error: unknown; readonly at: number } | null = null;
  /** Somebody finds out whether that is over. */
  #isProbing = false;

  constructor(
    private readonly target: PostgresTarget,
    readonly where: string,
    private readonly fence: number,
    private readonly how: LeaseKind,
    /** Their rows in the table `writers`. */
    private readonly rows: Readonly<Record<SessionName, string>>,
    sessions: Readonly<Record<SessionName, Session>>,
  ) {
    const channel = (session: Session): Channel => {
      return { session, seq: 0, doubt: null, tail: Promise.resolve() };
    };
    this.#channels = { data: channel(sessions.data), outbox: channel(sessions.outbox) };
  }

  read<T>(work: (session: Session) => Promise<T>, long = false): Promise<T> {
    // What is read for a long time is not what a channel waits for.
    const name = long ? "data" : "outbox";
    return this.#inTurn(name, () =>
      this.#trying(name, READ_PATIENCE_MS, async (session) => {
        await session.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        if (long) {
          await session.query(`SET LOCAL statement_timeout = ${LONG_MS}`);
          // What it has read takes long to go through as well, and locks nobody out.
          await session.query(`SET LOCAL idle_in_transaction_session_timeout = ${LONG_MS}`);
        }
        const found = await work(session);
        await session.query("COMMIT");
        return found;
      }),
    );
  }

  write<T>(name: SessionName, work: (session: Session) => Promise<T>, long = false): Promise<T> {
    return this.#inTurn(name, async () => {
      for (let lost = 0; ; lost += 1) {
        const done = await this.#trying(name, WRITE_PATIENCE_MS, async (session) => {
          const next = this.#channels[name].seq + 1;
          await session.query("BEGIN");
          if (long) await session.query(`SET LOCAL statement_timeout = ${LONG_MS}`);
          await this.#check(session, name, next);
          const result = await work(session);
          return { isDone: await this.#commit(session, name, next), result };
        });
        if (done.isDone) return done.result;
        if (lost >= MOST_TRIES)
          throw unusable(this.where, "its connections break in every commit: check the network");
      }
    });
  }

  async close(): Promise<void> {
    const channels = Object.values(this.#channels);
    await Promise.all(channels.map(({ tail }) => tail));
    this.#isClosed = true;
    await Promise.all(channels.map(({ session }) => session.end()));
  }

  #inTurn<T>(name: SessionName, work: () => Promise<T>): Promise<T> {
    const channel = this.#channels[name];
    const turn = channel.tail.then(work);
    channel.tail = turn.catch(() => {});
    return turn;
  }

  /**
   * Runs `work` on a session that is alive: again where a deadlock or a connection that was cut kept it from being done.
   * `patience`: for so long after a server that could not be reached nobody asks for it again.
   */
  async #trying<T>(
    name: SessionName,
    patience: number,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const channel = this.#channels[name];
    for (let tries = 1; ; tries += 1) {
      let isConnected = false;
      try {
        await this.#revive(name, patience);
        isConnected = true;
        return await work(channel.session);
      } catch (error) {
        if (error instanceof StoreError && error.settled !== undefined) throw error;
        const { session } = channel;
        // One that idled is cut without anybody's fault: the first failure says nothing of the server.
        const wasCut = isConnected && !session.isAlive && tries === 1;
        if (isConnected && session.isAlive)
          await session.query("ROLLBACK").catch(() => session.destroy());
        const isOver = error instanceof StoreError || this.#isClosed || tries >= MOST_TRIES;
        if (!isOver && (wasCut || isPassing(error))) continue;
        throw storeFailure(error, this.where);
      }
    }
  }

  /** Connects anew where the connection is lost, and asks what became of the commit in which it was. */
  async #revive(name: SessionName, patience: number): Promise<void> {
    const channel = this.#channels[name];
    if (this.#isClosed) throw unusable(this.where, "it was closed");
    const trouble = this.#trouble;
    if (trouble !== null && (this.#isProbing || performance.now() - trouble.at < patience)) {
      throw trouble.error;
    }
    if (channel.session.isAlive) return;
    channel.session.destroy();
    this.#isProbing = trouble !== null;
    let session: Session;
    try {
      session = await connect(this.target);
      this.#trouble = null;
    } catch (error) {
      this.#trouble = { error, at: performance.now() };
      throw error;
    } finally {
      this.#isProbing = false;
    }
    try {
      await this.#lookAfter(session, name);
      if (name === "data" && !(await tryLease(session, this.target.schema, this.how))) {
        // The server has not noticed yet that the old connection is gone.
        throw unusable(
          this.where,
          "the lock of the lost connection is still held: it goes on when that is over",
        );
      }
    } catch (error) {
      await session.end();
      throw error;
    }
    channel.session = session;
  }

  /** Finds the last commit of a lost connection: waits until that one has ended. Throws StoreError `fenced`. */
  async #lookAfter(session: Session, name: SessionName): Promise<void> {
    const channel = this.#channels[name];
    await session.query("BEGIN");
    await session.query(`SET LOCAL lock_timeout = ${LOOK_MS}`);
    const [row] = await session.query<{ fence: number; seq: number }>(
      "SELECT fence, seq FROM writers WHERE session = $1 FOR UPDATE",
      [this.rows[name]],
    );
    await session.query("COMMIT");
    if (row === undefined || row.fence !== this.fence) throw this.#fenced();
    const { doubt } = channel;
    if (row.seq !== channel.seq && row.seq !== doubt?.seq) throw this.#rewound();
    if (doubt !== null) doubt.isDone = row.seq === doubt.seq;
    channel.seq = row.seq;
    channel.doubt = null;
  }

  /** Inside a transaction: this process is still the one that may write, and this is its next commit. */
  async #check(session: Session, name: SessionName, next: number): Promise<void> {
    const [row] = await session.query<{ marker: string | null }>(
      `UPDATE writers SET seq = $1 WHERE session = $2 AND fence = $3 AND seq = $1 - 1
       RETURNING current_setting('tickwatch.session', true) AS marker`,
      [next, this.rows[name], this.fence],
    );
    if (row?.marker === session.marker) return;
    if (row !== undefined) throw pooled(this.where);
    const [found] = await session.query<{ fence: number }>(
      "SELECT fence FROM writers WHERE session = $1",
      [this.rows[name]],
    );
    throw found?.fence === this.fence ? this.#rewound() : this.#fenced();
  }

  /** False: nothing was committed, and all of it is to be done again. */
  async #commit(session: Session, name: SessionName, next: number): Promise<boolean> {
    const channel = this.#channels[name];
    try {
      await session.query("COMMIT");
      channel.seq = next;
      return true;
    } catch (error) {
      // Refused by the server, with the connection alive: it was rolled back.
      if (isAnswer(error) && session.isAlive) throw error;
      session.destroy();
      channel.doubt = { seq: next, isDone: null };
      return await this.#whetherDone(name, channel.doubt, error);
    }
  }

  async #whetherDone(name: SessionName, doubt: Doubt, lost: unknown): Promise<boolean> {
    const until = performance.now() + DOUBT_MS;
    for (;;) {
      try {
        await this.#revive(name, 0);
        if (doubt.isDone !== null) return doubt.isDone;
      } catch (error) {
        const failure = storeFailure(error, this.where);
        if (!(failure instanceof StoreError) || failure.reason !== "unwritable") throw failure;
      }
      if (performance.now() >= until || this.#isClosed) break;
      await delay(DOUBT_PAUSE_MS);
    }
    const why = storeFailure(lost, this.where);
    const message = why instanceof Error ? why.message : `cannot use ${this.where}`;
    throw new StoreError("unwritable", message, {
      cause: lost,
      settled: () =>
        this.#inTurn(name, () =>
          this.#trying(name, WRITE_PATIENCE_MS, async () => doubt.isDone === true),
        ),
    });
  }

  #fenced(): StoreError {
    return new StoreError(
      "fenced",
      `another tickwatch has taken over ${this.where}: this one must stop`,
    );
  }

  #rewound(): StoreError {
    return new StoreError(
      "fenced",
      `${this.where} has lost commits, as after a failover to a server that lagged: restart tickwatch`,
    );
  }
}

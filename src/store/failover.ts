import { setImmediate as breathe } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import { SECOND } from "../base/duration.ts";
import { NO_CHANGE, type Notice, type Silence } from "../model/index.ts";
import { apart, BufferedChange } from "./buffered-change.ts";
import { memoryStores } from "./sqlite/store.ts";
import { type Backlog, NO_BACKLOG, type Store, StoreError } from "./store.ts";

/** So often an outage is tried to be ended. */
const RETRY_MS = 5 * SECOND;
const RUNS_AT_ONCE = 5_000;

export interface FailoverParts {
  readonly store: Store;
  /** Opens what `store` was opened on once more, after it was closed; absent: it cannot be. */
  readonly reopen?: () => Promise<Store>;
  /** A clock of real time. */
  readonly clock: Clock;
  /** The store could not be written, and from now on memory stands in for it. */
  readonly onOutage: (error: StoreError) => void;
  /** All of it is written; `lostSamples`: except samples, of which there were too many. */
  readonly onOver: (lostSamples: boolean) => void;
  /** Something that was done meanwhile can never be written down. */
  readonly onTrouble: (error: unknown) => void;
}

/** What was done to the outbox and is still to be done in the store, in its order. */
type Step = (store: Store) => Promise<void>;

/** While the store cannot be written. */
interface Outage {
  pending: BufferedChange;
  steps: Step[];
  /** Why it goes on. */
  error: StoreError;
  /** Samples were given up, since there were too many of them. */
  lostSamples: boolean;
  /** What is owed, for those who deliver. */
  readonly outbox: Store;
  /** Orders that are carried out already, though the store does not say so yet. */
  readonly orders: Set<number>;
}

/**
 * A store whose disk may fail while it is used: what cannot be written is kept in memory, from which it is
 * delivered as well, and is written once that is possible again. So the watching goes on, and the only
 * thing at risk is what a restart would find. Errors other than of writing, such as another daemon that
 * has taken over, come out as they are.
 */
export function createFailoverStore(parts: FailoverParts): Store {
  const { clock } = parts;
  let inner = parts.store;
  let outage: Outage | null = null;
  let cancelRetry = (): void => {};
  let mending: Promise<void> = Promise.resolve();
  let closing = false;
  /** The last attempt has been made: a stop has not the time for another one. */
  let givenUp = false;
  let gone = false;
  let silences: readonly Silence[] = [];
  let tail: Promise<unknown> = Promise.resolve();

  /** One after the other: the picture of the outbox is taken while nobody changes it. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = tail.then(work);
    tail = turn.catch(() => {});
    return turn;
  }

  /** Does it in the store or, while that cannot be written, in memory, where `added` may get other ids. */
  function write(
    step: Step,
    inMemory: (outage: Outage, added: readonly Notice[]) => void | Promise<void>,
    added: readonly Notice[] = [],
  ): Promise<void> {
    return inTurn(async () => {
      for (;;) {
        if (outage === null) {
          try {
            await step(inner);
            return;
          } catch (error) {
            if (!isOutage(error)) throw error;
            outage = await begin(error);
          }
        }
        const named = added.length === 0 ? added : await apart(inner, added);
        // Else it was over meanwhile.
        if (outage !== null) return inMemory(outage, named);
      }
    });
  }

  function writeOutbox(step: Step): Promise<void> {
    return write(step, async ({ outbox, steps }) => {
      // Kept before anything is waited for: it may be over by then.
      steps.push(step);
      await step(outbox);
    });
  }

  async function begin(error: StoreError): Promise<Outage> {
    gone = error.reason === "gone";
    // What cannot even be read waits in the store until it can.
    const backlog = await inner.backlog().catch(() => NO_BACKLOG);
    tryLater();
    // It may be told through this very store: not before the outage is known.
    queueMicrotask(() => parts.onOutage(error));
    return {
      pending: new BufferedChange(),
      steps: [],
      error,
      lostSamples: false,
      outbox: await storeWith(backlog),
      orders: new Set(),
    };
  }

  function tryLater(): void {
    if (closing) return;
    cancelRetry = clock.after(RETRY_MS, () => {
      mending = mend();
    });
  }

  /** Writes down what was kept; what comes meanwhile is kept, too, and written in the next turn. */
  async function mend(): Promise<void> {
    let lostSamples = false;
    while (outage !== null) {
      const { pending, steps } = outage;
      outage.pending = new BufferedChange();
      outage.steps = [];
      outage.lostSamples ||= pending.lostRuns;
      lostSamples = outage.lostSamples;
      try {
        await renew();
        await commitAll(pending);
      } catch (error) {
        pending.append(outage.pending);
        outage.pending = pending;
        outage.steps = [...steps, ...outage.steps];
        return failed(error);
      }
      try {
        await replay(steps);
      } catch (error) {
        outage.steps = [...steps, ...outage.steps];
        return failed(error);
      }
      // No one comes between these two lines.
      if (outage.pending.isEmpty && outage.steps.length === 0) outage = null;
    }
    parts.onOver(lostSamples);
  }

  function failed(error: unknown): void {
    givenUp = closing;
    if (outage !== null && error instanceof StoreError) outage.error = error;
    if (isOutage(error)) gone ||= error.reason === "gone";
    else parts.onTrouble(error);
    // Another daemon has it, or it is damaged and was taken away: no later time is better.
    if (isOutage(error) || !(error instanceof StoreError)) tryLater();
  }

  /** A database whose file was deleted is written anew when it is closed, unless it is damaged. */
  async function renew(): Promise<void> {
    if (!gone || parts.reopen === undefined) return;
    try {
      await inner.close();
    } catch (error) {
      if (!isOutage(error) || error.reason !== "corrupt") throw error;
      const how = "restart to create a new one";
      throw new StoreError("fenced", `${error.message}; it was moved away: ${how}`, {
        cause: error,
      });
    }
    inner = await parts.reopen();
    gone = false;
  }

  async function commitAll(pending: BufferedChange): Promise<void> {
    await pending.rewindStore((series, now) => inner.rewind(series, now));
    for (const change of pending.parts(RUNS_AT_ONCE)) {
      await inner.commit(change);
      await breathe();
    }
  }

  /** Takes away what is done. */
  async function replay(steps: Step[]): Promise<void> {
    for (let step = steps[0]; step !== undefined; step = steps[0]) {
      try {
        await step(inner);
      } catch (error) {
        if (isOutage(error)) throw error;
        // It can never be done, and must not keep the others from being done.
        parts.onTrouble(error);
      }
      steps.shift();
    }
  }

  return {
    load: () => inner.load(),
    window: async (series, from) => {
      if (outage === null) return inner.window(series, from);
      const stored = await inner.window(series, from).catch(() => new Map());
      return outage?.pending.window(stored, series, from) ?? stored;
    },
    rewind: (series, now) =>
      write(
        (store) => store.rewind(series, now),
        ({ pending }) => pending.rewind({ series: new Set(series), now }),
      ),
    commit: (change) =>
      write(
        (store) => store.commit(change),
        async ({ pending, outbox, orders }, named) => {
          const notices = change.notices.map((one, at) => ({
            ...one,
            notice: named[at] ?? one.notice,
          }));
          pending.add({ ...change, notices });
          for (const order of change.orders) orders.add(order);
          await outbox.commit({ ...NO_CHANGE, notices });
        },
        change.notices.map(({ notice }) => notice),
      ),
    claim: async (...asked) => outage?.outbox.claim(...asked) ?? inner.claim(...asked),
    freeze: (message, now) => writeOutbox((store) => store.freeze(message, now)),
    settle: (message, result) => writeOutbox((store) => store.settle(message, result)),
    wake: (channel) => writeOutbox((store) => store.wake(channel)),
    hold: (channel, notices, until) => writeOutbox((store) => store.hold(channel, notices, until)),
    held: async (channel, now) => outage?.outbox.held(channel, now) ?? inner.held(channel, now),
    release: (channel, released) =>
      write(
        (store) => store.release(channel, released),
        async ({ pending, outbox, steps }, add) => {
          // Notices are written in the order in which they came, and before all steps.
          const notices = add.map((notice) => ({ notice, channels: [channel] }));
          pending.add({ ...NO_CHANGE, notices });
          steps.push((store) => store.release(channel, { ...released, add: [] }));
          await outbox.release(channel, { ...released, add });
        },
        released.add,
      ),
    mark: (subject) => inner.mark(subject),
    silences: async (now) => {
      try {
        silences = await inner.silences(now);
      } catch (error) {
        if (outage === null) throw error;
      }
      return silences.filter(({ endsAt }) => endsAt > now);
    },
    orders: async () => {
      const open = await inner.orders();
      return open.filter(({ id }) => outage?.orders.has(id) !== true);
    },
    taken: (ids) => inner.taken(ids),
    owed: async () => outage?.outbox.owed() ?? inner.owed(),
    backlog: () => inner.backlog(),
    prune: async (before) => (outage === null ? inner.prune(before) : 0),
    close: async () => {
      closing = true;
      cancelRetry();
      await mending;
      await tail;
      if (outage !== null && !givenUp) await mend();
      // That it is over may have been kept as a notice.
      await tail;
      if (outage === null) return inner.close();
      const { reason, message } = outage.error;
      await inner.close().catch(() => {});
      throw new StoreError(reason, `${message}; what was kept in memory is lost`);
    },
  };
}

/** Notices that go into memory in one transaction: it takes some milliseconds. */
const NOTICES_AT_ONCE = 500;

/** A store in memory that owes the same. */
async function storeWith({ notices, messages }: Backlog): Promise<Store> {
  const store = (await memoryStores())();
  for (let from = 0; from < notices.length; from += NOTICES_AT_ONCE) {
    const some = notices.slice(from, from + NOTICES_AT_ONCE);
    const owed = some.map((one) => ({
      notice: one.notice,
      channels: one.owed.map(({ channel }) => channel),
    }));
    await store.commit({ ...NO_CHANGE, notices: owed });
    await breathe();
  }
  for (const { message, until } of messages) {
    const waits = until !== null;
    // Whoever is to wait counts the send that comes next.
    await store.freeze(waits ? { ...message, attempts: message.attempts - 1 } : message, 0);
    if (waits) await store.settle(message.id, { status: "waiting", at: 0, until, error: "" });
  }
  for (const { notice, owed } of notices) {
    for (const { channel, heldUntil } of owed) {
      if (heldUntil !== null) await store.hold(channel, [notice.id], heldUntil);
    }
  }
  return store;
}

/** The disk or the file is at fault, so memory can stand in. */
function isOutage(error: unknown): error is StoreError {
  return error instanceof StoreError && OUTAGES.has(error.reason);
}

const OUTAGES: ReadonlySet<StoreError["reason"]> = new Set(["unwritable", "corrupt", "gone"]);

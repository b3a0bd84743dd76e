import { setImmediate as breathe } from "node:timers/promises";
import { SECOND } from "../base/duration.ts";
import { type Alert, NO_CHANGE, type Notice, type Run, type Silence } from "../model/index.ts";
import { storeWith, withoutSent } from "./backlog-store.ts";
import { apart, BufferedChange } from "./buffered-change.ts";
import { type FailoverParts, isOutage } from "./failover-parts.ts";
import { type Doubt, doubtOf, type Kept, keptIn, type Outage, type Step } from "./outage.ts";
import { NO_BACKLOG, type Store, StoreError } from "./store.ts";

/** So often an outage is tried to be ended. */
const RETRY_MS = 5 * SECOND;
const RUNS_AT_ONCE = 5_000;

/**
 * A store whose disk may fail while it is used: what cannot be written is kept in memory, from which it is
 * delivered as well, and is written once that is possible again. So the watching goes on, and the only
 * thing at risk is what a restart would find. Errors other than of writing, such as another daemon that
 * has taken over, come out as they are.
 */
export function createFailoverStore(parts: FailoverParts): Store {
  const { clock, holdsSending = false } = parts;
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
  /** How often something was written that had been kept. */
  let written = 0;

  /** One after the other: the picture of the outbox is taken while nobody changes it. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = tail.then(work);
    tail = turn.catch(() => {});
    return turn;
  }

  /** Does it in the store or, while that cannot be written, in memory, where `added` may get other ids. */
  function write(
    step: Step,
    inMemory: (outage: Outage, kept: Kept, added: readonly Notice[]) => void | Promise<void>,
    added: readonly Notice[] = [],
  ): Promise<void> {
    return inTurn(async () => {
      let isDoubtful = false;
      for (;;) {
        if (outage === null) {
          try {
            await step(inner);
            return;
          } catch (error) {
            if (!isOutage(error)) throw error;
            const doubt = doubtOf(error);
            const isDone = doubt === null ? false : await doubt.settled().catch(() => null);
            if (isDone === true) return;
            isDoubtful = isDone === null;
            outage = await begin(error, isDoubtful ? doubt : null);
          }
        }
        // What is in doubt has its own names in the store, if it is there.
        const named = added.length === 0 || isDoubtful ? added : await apart(inner, added);
        // Else it was over meanwhile.
        if (outage !== null) {
          const kept = isDoubtful && outage.doubt !== null ? outage.doubt : outage;
          return inMemory(outage, kept, named);
        }
      }
    });
  }

  function writeOutbox(step: Step): Promise<void> {
    return write(step, async ({ outbox }, { steps }) => {
      // Kept before anything is waited for: it may be over by then.
      steps.push(step);
      await step(outbox);
    });
  }

  async function begin(error: StoreError, doubt: Doubt | null): Promise<Outage> {
    gone = error.reason === "gone";
    // What cannot even be read waits in the store until it can; and what is in doubt must not come twice.
    const backlog = doubt === null ? await inner.backlog().catch(() => NO_BACKLOG) : NO_BACKLOG;
    tryLater();
    // It may be told through this very store: not before the outage is known.
    queueMicrotask(() => parts.onOutage(error));
    return {
      pending: new BufferedChange(),
      steps: [],
      doubt,
      writing: null,
      error,
      lostSamples: false,
      outbox: await storeWith(backlog),
      commands: new Set(),
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
      try {
        await settleDoubt(outage);
      } catch (error) {
        return failed(error);
      }
      const { pending, steps } = outage;
      outage.pending = new BufferedChange();
      outage.writing = pending;
      outage.steps = [];
      outage.lostSamples ||= pending.lostRuns;
      lostSamples = outage.lostSamples;
      try {
        await renew();
        await commitAll(pending);
        written += 1;
        outage.writing = null;
      } catch (error) {
        outage.writing = null;
        outage.doubt = doubtOf(error, { pending });
        if (outage.doubt === null) {
          pending.append(outage.pending);
          outage.pending = pending;
        }
        outage.steps = [...steps, ...outage.steps];
        return failed(error);
      }
      try {
        await replay(steps);
      } catch (error) {
        outage.doubt = doubtOf(error, { steps: steps.slice(0, 1) });
        outage.steps = [...steps.slice(outage.doubt === null ? 0 : 1), ...outage.steps];
        return failed(error);
      }
      // No one comes between these two lines.
      if (outage.pending.isEmpty && outage.steps.length === 0) outage = null;
    }
    parts.onOver(lostSamples);
  }

  /** What was written is done, and what was not comes before all that came later. */
  async function settleDoubt(its: Outage): Promise<void> {
    const { doubt } = its;
    if (doubt === null) return;
    const isDone = await doubt.settled();
    its.doubt = null;
    written += 1;
    if (isDone) return;
    doubt.pending.append(its.pending);
    its.pending = doubt.pending;
    its.steps = [...doubt.steps, ...its.steps];
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
    const all = [...pending.parts(RUNS_AT_ONCE)];
    const { isOurs } = parts;
    const changes =
      isOurs === undefined || outage === null
        ? all
        : withoutSent(all, await outage.outbox.backlog(), isOurs);
    try {
      await pending.rewindStore((series, now) => inner.rewind(series, now));
      for (const change of changes.slice(0, -1)) {
        await inner.commit(change);
        await breathe();
      }
    } catch (error) {
      // That one of these was done says nothing of the rest, and each may be done again.
      throw error instanceof StoreError ? new StoreError(error.reason, error.message) : error;
    }
    for (const change of changes.slice(-1)) await inner.commit(change);
  }

  /** What the store has, and what is kept that it does not have. */
  async function withKept<T>(read: () => Promise<T>) {
    for (;;) {
      const before = written;
      const found = await read();
      // Else it may be neither in what was read nor kept any more.
      if (before === written) return { found, kept: outage === null ? [] : keptIn(outage) };
    }
  }

  /** While nobody can be heard nothing is known of others. */
  async function alertsOf(rule: string): Promise<readonly Alert[]> {
    try {
      return outage === null ? ((await inner.alertsOf?.(rule)) ?? []) : [];
    } catch (error) {
      if (!isOutage(error)) throw error;
      return [];
    }
  }

  async function alertCounts(rules: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return outage === null ? ((await inner.alertCounts?.(rules)) ?? new Map()) : new Map();
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
    load: () =>
      inTurn(async () => {
        const { found, kept } = await withKept(() => inner.load());
        return kept.reduce((sum, one) => one.loaded(sum), found);
      }),
    window: async (series, from) => {
      const { found, kept } = await withKept(async () => {
        if (outage === null) return await inner.window(series, from);
        return await inner.window(series, from).catch(() => new Map<number, readonly Run[]>());
      });
      return kept.reduce((sum, one) => one.window(sum, series, from), found);
    },
    rewind: (series, now) =>
      write(
        (store) => store.rewind(series, now),
        (_, { pending }) => pending.rewind({ series: new Set(series), now }),
      ),
    commit: (change) =>
      write(
        (store) => store.commit(change),
        async ({ outbox, commands }, { pending }, named) => {
          const notices = change.notices.map((one, at) => ({
            ...one,
            notice: named[at] ?? one.notice,
          }));
          pending.add({ ...change, notices });
          for (const id of change.commands) commands.add(id);
          await outbox.commit({ ...NO_CHANGE, notices });
        },
        change.notices.map(({ notice }) => notice),
      ),
    claim: async (channel, now, most) => {
      if (outage === null) return inner.claim(channel, now, most);
      if (holdsSending) return { kind: "idle", until: now + RETRY_MS };
      return outage.outbox.claim(channel, now, most);
    },
    freeze: (message, now) => {
      if (!holdsSending) return writeOutbox((store) => store.freeze(message, now));
      return inTurn(async () => {
        if (outage !== null) throw outage.error;
        await inner.freeze(message, now);
      });
    },
    settle: (message, result) => writeOutbox((store) => store.settle(message, result)),
    wake: (channel) => writeOutbox((store) => store.wake(channel)),
    hold: (channel, notices, until) => writeOutbox((store) => store.hold(channel, notices, until)),
    held: async (channel, now) => outage?.outbox.held(channel, now) ?? inner.held(channel, now),
    release: (channel, released) =>
      write(
        (store) => store.release(channel, released),
        async ({ outbox }, { pending, steps }, add) => {
          // Notices are written in the order in which they came, and before all steps.
          const notices = add.map((notice) => ({ notice, channels: [channel] }));
          pending.add({ ...NO_CHANGE, notices });
          steps.push((store) => store.release(channel, { ...released, add: [] }));
          await outbox.release(channel, { ...released, add });
        },
        released.add,
      ),
    ...(parts.store.alertsOf === undefined ? {} : { alertsOf }),
    ...(parts.store.alertCounts === undefined ? {} : { alertCounts }),
    mark: (subject) => inner.mark(subject),
    silences: async (now) => {
      try {
        silences = await inner.silences(now);
      } catch (error) {
        if (outage === null) throw error;
      }
      return silences.filter(({ endsAt }) => endsAt > now);
    },
    commands: async (place) => {
      const open = await inner.commands(place);
      return open.filter(({ id }) => outage?.commands.has(id) !== true);
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

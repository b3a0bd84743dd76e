import { type Alert, NO_CHANGE, type Notice, type Run, type Silence } from "../model/index.ts";
import { apart } from "./buffered-change.ts";
import { type FailoverParts, isOutage } from "./failover-parts.ts";
import { Mending, RETRY_MS } from "./mending.ts";
import { doubtOf, type Kept, keptIn, type Outage, type Step } from "./outage.ts";
import type { Store } from "./store.ts";

/**
 * A store whose disk may fail while it is used: what cannot be written is kept in memory, from which it is
 * delivered as well, and is written once that is possible again. So the watching goes on, and the only
 * thing at risk is what a restart would find. Errors other than of writing, such as another daemon that
 * has taken over, come out as they are.
 */
export function createFailoverStore(parts: FailoverParts): Store {
  const { holdsSending = false } = parts;
  const its = new Mending(parts);
  let tail: Promise<unknown> = Promise.resolve();
  let silences: readonly Silence[] = [];

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
        if (its.outage === null) {
          try {
            await step(its.store);
            return;
          } catch (error) {
            if (!isOutage(error)) throw error;
            const doubt = doubtOf(error);
            const isDone = doubt === null ? false : await doubt.settled().catch(() => null);
            if (isDone === true) return;
            isDoubtful = isDone === null;
            await its.begin(error, isDoubtful ? doubt : null);
          }
        }
        // What is in doubt has its own names in the store, if it is there.
        const named = added.length === 0 || isDoubtful ? added : await apart(its.store, added);
        const { outage } = its;
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

  /** What the store has, and what is kept that it does not have. */
  async function withKept<T>(read: () => Promise<T>) {
    for (;;) {
      const before = its.written;
      const found = await read();
      // Else it may be neither in what was read nor kept any more.
      if (before === its.written)
        return { found, kept: its.outage === null ? [] : keptIn(its.outage) };
    }
  }

  /** While nobody can be heard nothing is known of others. */
  async function alertsOf(rule: string): Promise<readonly Alert[]> {
    try {
      return its.outage === null ? ((await its.store.alertsOf?.(rule)) ?? []) : [];
    } catch (error) {
      if (!isOutage(error)) throw error;
      return [];
    }
  }

  async function alertCounts(rules: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return its.outage === null ? ((await its.store.alertCounts?.(rules)) ?? new Map()) : new Map();
  }

  return {
    load: () =>
      inTurn(async () => {
        const { found, kept } = await withKept(() => its.store.load());
        return kept.reduce((sum, one) => one.loaded(sum), found);
      }),
    window: async (series, from) => {
      const { found, kept } = await withKept(async () => {
        if (its.outage === null) return await its.store.window(series, from);
        return await its.store.window(series, from).catch(() => new Map<number, readonly Run[]>());
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
      if (its.outage === null) return its.store.claim(channel, now, most);
      if (holdsSending) return { kind: "idle", until: now + RETRY_MS };
      return its.outage.outbox.claim(channel, now, most);
    },
    freeze: (message, now) => {
      if (!holdsSending) return writeOutbox((store) => store.freeze(message, now));
      return inTurn(async () => {
        if (its.outage !== null) throw its.outage.error;
        await its.store.freeze(message, now);
      });
    },
    settle: (message, result) => writeOutbox((store) => store.settle(message, result)),
    wake: (channel) => writeOutbox((store) => store.wake(channel)),
    hold: (channel, notices, until) => writeOutbox((store) => store.hold(channel, notices, until)),
    held: async (channel, now) =>
      its.outage?.outbox.held(channel, now) ?? its.store.held(channel, now),
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
    mark: (subject) => its.store.mark(subject),
    silences: async (now) => {
      try {
        silences = await its.store.silences(now);
      } catch (error) {
        if (its.outage === null) throw error;
      }
      return silences.filter(({ endsAt }) => endsAt > now);
    },
    commands: async (place) => {
      // It may be over by the time they are read.
      const done = its.outage?.commands;
      const open = await its.store.commands(place);
      return open.filter(({ id }) => done?.has(id) !== true);
    },
    taken: (ids) => its.store.taken(ids),
    owed: async () => its.outage?.outbox.owed() ?? its.store.owed(),
    backlog: () => its.store.backlog(),
    prune: async (before) => (its.outage === null ? its.store.prune(before) : 0),
    close: () => its.close(() => tail),
  };
}

import { createFailoverStore } from "../../src/store/failover.ts";
import type { FailoverParts } from "../../src/store/failover-parts.ts";
import { type Store, StoreError } from "../../src/store/store.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { createMemoryStore } from "../support/memory-store.ts";

export const FULL = new StoreError("unwritable", "the disk is full");

/** A store that goes on while such a one fails, and what is heard of it. */
export function enduring(inner: Store = createMemoryStore(), parts: Partial<FailoverParts> = {}) {
  const line = scripted(inner);
  const clock = createFakeClock(0);
  const heard: string[] = [];
  const store = createFailoverStore({
    store: line.store,
    clock,
    onOutage: (error) => heard.push(error.message),
    onOver: (lost) => heard.push(lost ? "over, samples lost" : "over"),
    onTrouble: (error) => heard.push(String(error)),
    ...parts,
  });
  const retry = (): Promise<void> => clock.advance(5_000);
  return { inner, line, clock, heard, store, retry };
}

type Call = "commit" | "freeze" | "settle" | "window" | "backlog" | "taken" | "commands";

/** What becomes of one call: what happens before it is done, and what after that. Either may throw. */
interface Fate {
  before?(): Promise<void>;
  after?(): Promise<void>;
}

/** A store of which a test says what becomes of its calls, and when. */
function scripted(inner: Store) {
  const fates = new Map<Call, Fate[]>();
  /** Why nothing can be written; null: it can. */
  let down: Error | null = null;
  const calls: Call[] = [];

  async function call<T>(name: Call, act: () => Promise<T>): Promise<T> {
    calls.push(name);
    const fate = fates.get(name)?.shift();
    await fate?.before?.();
    if (fate === undefined && down !== null && WRITES.has(name)) throw down;
    const found = await act();
    await fate?.after?.();
    return found;
  }

  const store: Store = {
    ...inner,
    commit: (change) => call("commit", () => inner.commit(change)),
    freeze: (message, now) => call("freeze", () => inner.freeze(message, now)),
    settle: (message, result) => call("settle", () => inner.settle(message, result)),
    window: (series, from) => call("window", () => inner.window(series, from)),
    backlog: () => call("backlog", () => inner.backlog()),
    taken: (ids) => call("taken", () => inner.taken(ids)),
    commands: (place) => call("commands", () => inner.commands(place)),
  };
  const next = (name: Call, fate: Fate): void => {
    fates.set(name, [...(fates.get(name) ?? []), fate]);
  };
  return {
    store,
    /** The calls so far. */
    calls,
    /** Nothing can be written from now on, or all can again. */
    fail(why: Error | null = FULL) {
      down = why;
    },
    next,
    /** The connection breaks in the next call, which was done or not; nothing tells which while nothing can be written. */
    breakIn(name: Call, fate: "done" | "undone", stays: boolean) {
      const breaks = async (): Promise<void> => {
        const error = new StoreError("unwritable", "the connection was lost", {
          settled: async () => {
            if (down !== null) throw down;
            return fate === "done";
          },
        });
        if (stays) down = error;
        throw error;
      };
      next(name, fate === "done" ? { after: breaks } : { before: breaks });
    },
    /** The next call waits until it may go on; `begun` resolves once it has come to that. */
    hold(name: Call, where: keyof Fate) {
      const [begun, over] = [gate(), gate()];
      const wait = async (): Promise<void> => {
        begun.open();
        await over.passed;
      };
      next(name, where === "before" ? { before: wait } : { after: wait });
      return { begun: begun.passed, goOn: over.open, fail: over.fail };
    },
  };
}

function gate() {
  let open = (): void => {};
  let fail: (why: Error) => void = () => {};
  const passed = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { passed, open, fail };
}

const WRITES: ReadonlySet<Call> = new Set<Call>(["commit", "freeze", "settle"]);

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { wholeMemory } from "../commit/cluster-start.ts";
import type { Source } from "../fetch/source.ts";
import { KINDS } from "../kinds/index.ts";
import type { Setup } from "../model/index.ts";
import { type AlertMemory, type Memory, NO_MEMORY } from "../poll/memory.ts";
import type { Store } from "../store/store.ts";

export interface WholeViewParts {
  readonly setup: () => Setup;
  /** What this daemon watches. */
  readonly memory: () => Memory;
  readonly source: () => Source;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** What others do is looked at again so often, in real milliseconds, while somebody asks. */
const VIEW_MS = 10_000;
/** Reading everything may take one part in so many of the time. */
const COST = 20;

interface View {
  readonly of: Setup;
  /** What was watched here when it was made. */
  readonly own: Memory;
  readonly memory: Memory;
  readonly at: number;
  /** In milliseconds. */
  readonly took: number;
}

/** All that several daemons watch, as one of them sees it: its own part as it is, that of others some seconds old. */
export class WholeView {
  #view: View | null = null;
  #reading: Promise<void> | null = null;

  /** Null: the daemon has not started yet. */
  constructor(private readonly parts: () => WholeViewParts | null) {}

  /** All alerts, as far as they were looked at by now. */
  readonly memory = (): Memory => {
    const parts = this.parts();
    if (parts === null) return NO_MEMORY;
    const { setup, memory, log } = parts;
    const view = this.#view;
    const isSame = view !== null && view.of === setup() && view.own === memory();
    const isOld =
      view === null || performance.now() - view.at > Math.max(VIEW_MS, COST * view.took);
    if (!isSame || isOld) {
      void this.refresh().catch((error: unknown) => {
        log.debug({ err: error }, "what the others watch cannot be read");
      });
    }
    return isSame ? view.memory : memory();
  };

  /** Reads what all of them have done by now. Throws StoreError. */
  readonly refresh = async (): Promise<void> => {
    const parts = this.parts();
    if (parts === null) return;
    this.#reading ??= this.#read(parts).finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  };

  async #read({ setup, memory, source, store, clock }: WholeViewParts): Promise<void> {
    const [of, own] = [setup(), memory()];
    const began = performance.now();
    const whole = await wholeMemory({ setup: of, kinds: KINDS, source: source(), store, clock });
    const took = performance.now() - began;
    this.#view = { of, own, memory: withOwn(whole, own), at: performance.now(), took };
  }
}

/** With the alerts themselves of what is watched here: whoever looks sees each change of them. */
function withOwn(whole: Memory, own: Memory): Memory {
  const watched = new Map<string, AlertMemory>();
  for (const { rule, alerts } of own.rules) {
    for (const one of alerts) watched.set(`${rule.name}\n${one.subject.key}`, one);
  }
  const ownOf = (one: AlertMemory): AlertMemory =>
    watched.get(`${one.watched.rule.name}\n${one.subject.key}`) ?? one;
  for (const { alerts } of whole.rules) {
    for (const [at, one] of alerts.entries()) alerts[at] = ownOf(one);
  }
  for (const subject of whole.subjects.values()) subject.alerts = subject.alerts.map(ownOf);
  return whole;
}

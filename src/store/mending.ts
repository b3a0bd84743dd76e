import { SECOND } from "../base/duration.ts";
import type { Change } from "../model/index.ts";
import { storeWith, withoutSent } from "./backlog-store.ts";
import { BufferedChange } from "./buffered-change.ts";
import { type FailoverParts, isOutage } from "./failover-parts.ts";
import { type Doubt, doubtOf, type Outage } from "./outage.ts";
import { NO_BACKLOG, type Store, StoreError } from "./store.ts";
import { reopened, writeChanges, writeSteps } from "./write-kept.ts";

/** So often an outage is tried to be ended. */
export const RETRY_MS = 5 * SECOND;

/** How an outage of a store begins, and how what was kept in it is written: in its order, and once. */
export class Mending {
  /** What is written to; another one once its file was made anew. */
  store: Store;
  /** Null: the store can be written. */
  outage: Outage | null = null;
  /** How often something was written that had been kept. */
  written = 0;
  readonly #parts: FailoverParts;
  #cancelRetry = (): void => {};
  #mending: Promise<void> = Promise.resolve();
  #closing = false;
  /** The last attempt has been made: a stop has not the time for another one. */
  #givenUp = false;
  #gone = false;

  constructor(parts: FailoverParts) {
    this.#parts = parts;
    this.store = parts.store;
  }

  /** `idle` resolves once nobody writes. Throws StoreError where what was kept cannot be written. */
  async close(idle: () => Promise<unknown>): Promise<void> {
    this.#closing = true;
    this.#cancelRetry();
    await this.#mending;
    await idle();
    if (this.outage !== null && !this.#givenUp) await this.#mend();
    // That it is over may have been kept as a notice.
    await idle();
    if (this.outage === null) return this.store.close();
    const { reason, message } = this.outage.error;
    await this.store.close().catch(() => {});
    throw new StoreError(reason, `${message}; what was kept in memory is lost`);
  }

  /** From its end on there is an outage; `doubt`: of what may have been written all the same. */
  async begin(error: StoreError, doubt: Doubt | null): Promise<void> {
    this.#gone = error.reason === "gone";
    // What cannot even be read waits in the store until it can; and what is in doubt must not come twice.
    const backlog =
      doubt === null ? await this.store.backlog().catch(() => NO_BACKLOG) : NO_BACKLOG;
    const outbox = await storeWith(backlog);
    this.outage = {
      pending: new BufferedChange(),
      steps: [],
      doubt,
      writing: null,
      error,
      lostSamples: false,
      outbox,
      commands: new Set(),
    };
    // An attempt from before that would find nothing to end, and who tells of it through this store must know of it.
    this.#tryLater();
    this.#parts.onOutage(error);
  }

  #tryLater(): void {
    if (this.#closing) return;
    this.#cancelRetry = this.#parts.clock.after(RETRY_MS, () => {
      this.#mending = this.#mend();
    });
  }

  /** Writes down what was kept; what comes meanwhile is kept, too, and written in the next turn. */
  async #mend(): Promise<void> {
    let lostSamples = false;
    for (let its = this.outage; its !== null; its = this.outage) {
      try {
        await this.#settleDoubt(its);
        await this.#writeKept(its);
      } catch (error) {
        return this.#failed(its, error);
      }
      lostSamples = its.lostSamples;
      // No one comes between these two lines.
      if (its.pending.isEmpty && its.steps.length === 0) this.outage = null;
    }
    this.#parts.onOver(lostSamples);
  }

  /** What was written is done, and what was not comes before all that came later. */
  async #settleDoubt(its: Outage): Promise<void> {
    const { doubt } = its;
    if (doubt === null) return;
    const isDone = await doubt.settled();
    its.doubt = null;
    this.written += 1;
    if (isDone) return;
    doubt.pending.append(its.pending);
    its.pending = doubt.pending;
    its.steps = [...doubt.steps, ...its.steps];
  }

  /** What fails comes before what came meanwhile. */
  async #writeKept(its: Outage): Promise<void> {
    const { pending, steps } = its;
    its.pending = new BufferedChange();
    its.writing = pending;
    its.steps = [];
    its.lostSamples ||= pending.lostRuns;
    try {
      await this.#renew();
      await writeChanges(this.store, pending, (changes) => this.#unsent(changes, its));
      this.written += 1;
    } catch (error) {
      its.doubt = doubtOf(error, { pending });
      if (its.doubt === null) {
        pending.append(its.pending);
        its.pending = pending;
      }
      its.steps = [...steps, ...its.steps];
      throw error;
    } finally {
      its.writing = null;
    }
    try {
      await writeSteps(this.store, steps, this.#parts.onTrouble);
    } catch (error) {
      its.doubt = doubtOf(error, { steps: steps.slice(0, 1) });
      its.steps = [...steps.slice(its.doubt === null ? 0 : 1), ...its.steps];
      throw error;
    }
  }

  async #unsent(changes: readonly Change[], { outbox }: Outage): Promise<readonly Change[]> {
    const { isOurs } = this.#parts;
    return isOurs === undefined ? changes : withoutSent(changes, await outbox.backlog(), isOurs);
  }

  async #renew(): Promise<void> {
    const { reopen } = this.#parts;
    if (!this.#gone || reopen === undefined) return;
    this.store = await reopened(this.store, reopen);
    this.#gone = false;
  }

  #failed(its: Outage, error: unknown): void {
    this.#givenUp = this.#closing;
    if (error instanceof StoreError) its.error = error;
    if (isOutage(error)) this.#gone ||= error.reason === "gone";
    else this.#parts.onTrouble(error);
    // Another daemon has it, or it is damaged and was taken away: no later time is better.
    if (isOutage(error) || !(error instanceof StoreError)) this.#tryLater();
  }
}

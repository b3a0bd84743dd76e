import type { Clock } from "./base/clock.ts";
import type { Log } from "./base/log.ts";
import type { Delivery } from "./delivery/deliver.ts";
import { composeSelf, type SelfEvent } from "./engine/words/self-notice.ts";
import { NO_CHANGE, type Setup } from "./model.ts";
import type { Store, StoreError } from "./store/store.ts";

export interface SelfParts {
  readonly setup: Setup;
  readonly clock: Clock;
  readonly store: Store;
  readonly delivery: Delivery;
  readonly log: Log;
}

/** Tells people of the daemon's own troubles: once when one begins, and once when it is over. */
export class SelfNotices {
  readonly #parts: SelfParts;
  #unwritable = false;

  constructor(parts: SelfParts) {
    this.#parts = parts;
  }

  /** A channel refuses, or works again (`reason` null); the others are told. */
  parked(channel: string, reason: string | null): void {
    const event: SelfEvent =
      reason === null
        ? { about: "channel_back", channel }
        : { about: "channel_parked", channel, reason };
    const others = this.#channels().filter((name) => name !== channel);
    if (others.length === 0) return;
    const { clock, store, delivery, log } = this.#parts;
    const notice = composeSelf(event, clock.now());
    store
      .commit({ ...NO_CHANGE, notices: [{ notice, channels: others }] })
      .then(() => delivery.poke())
      .catch((error: unknown) => log.error({ err: error }, "a notice could not be kept"));
  }

  /** A commit failed since the database cannot be written. */
  unwritable({ message }: StoreError): void {
    if (this.#unwritable) return;
    this.#unwritable = true;
    this.#announce({ about: "store_unwritable", reason: message });
  }

  /** A commit succeeded. */
  written(): void {
    if (!this.#unwritable) return;
    this.#unwritable = false;
    this.#announce({ about: "store_back" });
  }

  #announce(event: SelfEvent): void {
    const { clock, delivery } = this.#parts;
    delivery.announce(composeSelf(event, clock.now()), this.#channels());
  }

  /** A parked channel of `self: {notify}` may be the only one: then all others hear of it. */
  #channels(): readonly string[] {
    const { selfNotify, channels } = this.#parts.setup;
    return selfNotify.length > 0 ? selfNotify : channels.map(({ name }) => name);
  }
}

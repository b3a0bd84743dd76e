import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Delivery } from "../delivery/deliver.ts";
import type { ChannelTrouble } from "../delivery/event.ts";
import { NO_CHANGE, type Notice, type Setup } from "../model/index.ts";
import type { CheckEvent, SelfEvent } from "../notices/self-event.ts";
import { composeSelf } from "../notices/self-notice.ts";
import type { Store, StoreError } from "../store/store.ts";

export interface SelfParts {
  /** What runs at the moment: a reload changes who is told. */
  readonly setup: () => Setup;
  readonly clock: Clock;
  readonly store: Store;
  readonly delivery: Delivery;
  readonly log: Log;
  /** Such a notice is told. */
  readonly onNotice?: (notice: Notice) => void;
}

/** Tells people of the daemon's own troubles: once when one begins, and once when it is over. */
export class SelfNotices {
  #unwritable: string | null = null;
  /** The channels that were told of it. */
  #told: readonly string[] = [];

  constructor(private readonly parts: SelfParts) {}

  /** Why the database cannot be written; null: as far as is known it can. */
  get trouble(): string | null {
    return this.#unwritable;
  }

  /** A channel rejects everything or cannot be reached, or works again (null); the others are told. */
  channel(channel: string, trouble: ChannelTrouble | null): void {
    const event: SelfEvent =
      trouble === null
        ? { about: "channel_back", channel }
        : {
            about: trouble.rejects ? "channel_parked" : "channel_unreachable",
            channel,
            reason: trouble.reason,
          };
    void this.#keep(
      event,
      this.#channels().filter((name) => name !== channel),
    );
  }

  /** Another daemon of the cluster does not answer: others watch in its place. */
  takenOver(from: string): void {
    void this.found({ about: "taken_over", from });
  }

  /** The daemon found something when it looked after itself. Resolves to whether people hear of it. */
  found(event: CheckEvent): Promise<boolean> {
    return this.#keep(event, this.parts.setup().selfNotify);
  }

  /** The database cannot be written: memory stands in for it. `leaves`: what a channel is told another daemon says. */
  unwritable({ message }: StoreError, leaves: (channel: string) => boolean = () => false): void {
    this.#unwritable = message;
    this.#told = [];
    this.#tellUnwritable((channel) => !leaves(channel));
  }

  /** What keeps this daemon from writing the database is its own: nobody else says it. */
  unwritableHere(): void {
    this.#tellUnwritable(() => true);
  }

  /** All of it is written. */
  written(lostSamples: boolean): void {
    this.#unwritable = null;
    const known = new Set(this.#channels());
    const told = this.#told.filter((channel) => known.has(channel));
    void this.#keep({ about: "store_back", lostSamples }, told);
  }

  #tellUnwritable(fits: (channel: string) => boolean): void {
    const reason = this.#unwritable;
    if (reason === null) return;
    const channels = this.#channels().filter(
      (channel) => fits(channel) && !this.#told.includes(channel),
    );
    this.#told = [...this.#told, ...channels];
    const suspends = this.parts.setup().cluster?.onOutage === "suspend";
    void this.#keep({ about: "store_unwritable", reason, suspends }, channels);
  }

  async #keep(event: SelfEvent, channels: readonly string[]): Promise<boolean> {
    if (channels.length === 0) return true;
    const { clock, store, delivery, log, onNotice } = this.parts;
    const notice = composeSelf(event, clock.now());
    try {
      await store.commit({ ...NO_CHANGE, notices: [{ notice, channels }] });
    } catch (error) {
      log.error({ err: error }, "a notice could not be stored");
      return false;
    }
    onNotice?.(notice);
    delivery.poke();
    return true;
  }

  /** A parked channel of `self: {notify}` may be the only one: then all others hear of it. */
  #channels(): readonly string[] {
    const { selfNotify, channels } = this.parts.setup();
    return selfNotify.length > 0 ? selfNotify : channels.map(({ name }) => name);
  }
}

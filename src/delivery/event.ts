import type { Outcome } from "../channels/channel.ts";
import type { Message } from "../model/index.ts";

/** Why a channel delivers nothing. */
export interface ChannelTrouble {
  /** Its first failure since it delivered last, epoch milliseconds. */
  readonly since: number;
  /** What it says now, clean and without secrets. */
  readonly reason: string;
  /** The channel itself refuses everything; else it only cannot be reached. */
  readonly rejects: boolean;
  /** The other channels were told. */
  readonly told: boolean;
}

/** What comes of deliveries, for those who count and tell. */
export type DeliveryEvent =
  /** A send has ended, and what came of it was written down. */
  | { readonly kind: "ended"; readonly message: Message; readonly status: Outcome["status"] }
  /** So many notices for a channel were dropped while a silence or a mute held them back. */
  | { readonly kind: "dropped"; readonly channel: string; readonly count: number }
  /**
   * A channel rejects everything, or could not be reached for a quarter of an hour; null: that is over.
   * `isNews`: people are to hear of it. A restart finds what they know already.
   */
  | {
      readonly kind: "trouble";
      readonly channel: string;
      readonly trouble: ChannelTrouble | null;
      readonly isNews: boolean;
    };

export type OnDeliveryEvent = (event: DeliveryEvent) => void;

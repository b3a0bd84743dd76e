import { createHash } from "node:crypto";
import type { Channel, ChannelTools, Outcome } from "../channels/channel.ts";
import { CHANNELS } from "../channels/index.ts";
import { pageOf } from "../channels/text.ts";
import { localize } from "../delivery/localize.ts";
import type { ChannelConfig, Message, Setup } from "../model/index.ts";
import { type SampleKind, sampleNotice } from "./sample-notice.ts";

/** Opens a channel as it is configured in a `setup`, beside the one that a daemon may have open. */
export function openConfigured(
  { kind, settings }: ChannelConfig,
  setup: Pick<Setup, "web">,
  tools: ChannelTools,
): Channel {
  const known = CHANNELS.get(kind);
  if (known === undefined) throw new Error(`no channel kind ${kind}`);
  return known.open(settings, { ...tools, page: () => pageOf(setup) });
}

/** Sends a notice of made-up facts, marked as a test, past the outbox. Never rejects. */
export async function sendSample(
  channel: Channel,
  { name, timezone }: Pick<ChannelConfig, "name" | "timezone">,
  kind: SampleKind,
  now: number,
  stop: AbortSignal,
): Promise<Outcome> {
  const notice = localize(sampleNotice(kind, now), timezone);
  const facts = JSON.stringify(["send-test", name, notice.id]);
  const message: Message = {
    // Another one each time: a receiver that knows it already would drop it.
    id: createHash("sha256").update(facts).digest("hex").slice(0, 24),
    channel: name,
    notices: [notice.id],
    body: channel.render(notice),
    attempts: 1,
  };
  return await channel.send(message, stop);
}

export function isDelivered(outcome: Outcome | null): boolean {
  return outcome?.status === "sent" && outcome.note === undefined;
}

/** What came of a send, in words; null: it was not tried. */
export function outcomeText(outcome: Outcome | null): string {
  switch (outcome?.status) {
    case undefined:
      return "not tried";
    case "sent":
      return outcome.note === undefined ? "delivered" : `delivered, but ${outcome.note}`;
    case "retry":
      return `not delivered, would be tried again: ${outcome.reason}`;
    case "parked":
      return `refused, the daemon would wait: ${outcome.reason}`;
    case "dead":
      return `refused, would be given up: ${outcome.reason}`;
  }
}

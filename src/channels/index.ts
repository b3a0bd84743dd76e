import type { ChannelKind } from "./channel.ts";
import { consoleKind } from "./console.ts";
import { emailKind } from "./email.ts";
import { slackKind } from "./slack.ts";
import { webhookKind } from "./webhook.ts";

/** Every channel kind, by the word that a configuration uses. */
export const CHANNELS: ReadonlyMap<string, ChannelKind> = new Map<string, ChannelKind>(
  [consoleKind, slackKind, emailKind, webhookKind].map((kind) => [kind.kind, kind]),
);

import { alertmanagerKind } from "./alertmanager.ts";
import type { ChannelKind } from "./channel.ts";
import { consoleKind } from "./console.ts";
import { discordKind } from "./discord.ts";
import { emailKind } from "./email.ts";
import { pagerdutyKind } from "./pagerduty.ts";
import { slackKind } from "./slack.ts";
import { telegramKind } from "./telegram.ts";
import { webhookKind } from "./webhook.ts";

/** Every channel kind, by the word that a configuration uses. */
export const CHANNELS: ReadonlyMap<string, ChannelKind> = new Map<string, ChannelKind>(
  [
    consoleKind,
    slackKind,
    telegramKind,
    discordKind,
    emailKind,
    pagerdutyKind,
    alertmanagerKind,
    webhookKind,
  ].map((kind) => [kind.kind, kind]),
);

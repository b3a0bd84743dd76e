import type { ChannelConfig } from "../model/index.ts";
import { alertmanagerKind } from "./alertmanager.ts";
import type { Channel, ChannelKind, ChannelTools } from "./channel.ts";
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

/** The channels of a configuration by their names, opened with what they have of the outside world. */
export function openChannels(
  configs: readonly ChannelConfig[],
  { print, colours, page }: Pick<ChannelTools, "print" | "colours" | "page">,
  kinds: ReadonlyMap<string, ChannelKind> = CHANNELS,
): ReadonlyMap<string, Channel> {
  return new Map(
    configs.map(({ name, kind, settings }) => {
      const known = kinds.get(kind);
      if (known === undefined) throw new Error(`no channel kind ${kind}`);
      return [
        name,
        known.open(settings, { print, colours, ...(page === undefined ? {} : { page }) }),
      ];
    }),
  );
}

export async function closeChannels(channels: ReadonlyMap<string, Channel>): Promise<void> {
  await Promise.all([...channels.values()].map((channel) => channel.close()));
}

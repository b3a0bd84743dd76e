import type { ChannelKind } from "./channel.ts";
import { consoleKind } from "./console.ts";
import { slackKind } from "./slack.ts";

/** Every channel kind, by the word that a configuration uses. */
export const CHANNELS: ReadonlyMap<string, ChannelKind> = new Map<string, ChannelKind>(
  [consoleKind, slackKind].map((kind) => [kind.kind, kind]),
);

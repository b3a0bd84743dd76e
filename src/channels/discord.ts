import { z } from "zod";
import type { Secret } from "../base/secret.ts";
import type { Message } from "../model/index.ts";
import type { Channel, ChannelKind, Outcome } from "./channel.ts";
import { DISCORD_ROOM, discordMessage } from "./discord-message.ts";
import {
  type HttpAnswer,
  type HttpClient,
  httpClient,
  outcomeOfError,
  outcomeOfStatus,
  readMap,
  withPatience,
} from "./http.ts";
import { secretUrl } from "./http-settings.ts";

const settings = z.strictObject({
  url: secretUrl("the webhook's address, such as https://discord.com/api/webhooks/…"),
});

export type DiscordSettings = z.infer<typeof settings>;

/** A webhook of a channel in Discord. */
export const discordKind: ChannelKind<DiscordSettings> = {
  kind: "discord",
  settings,
  open: ({ url }) => openDiscord(url, httpClient()),
};

/** The channel on a client of its own, which it closes. */
export function openDiscord(url: Secret, client: HttpClient): Channel {
  return {
    digests: true,
    room: DISCORD_ROOM,
    // Ours: Discord names no number ("Rate Limits": they are not to be hard-coded) and says with
    // 429 how long to wait. This keeps a burst from getting that far.
    gapMs: 2_000,
    render: (notice) => JSON.stringify(discordMessage(notice)),
    send: (message, signal) => send(message, signal, url, client),
    close: () => client.close(),
  };
}

async function send(
  { body }: Message,
  signal: AbortSignal,
  url: Secret,
  client: HttpClient,
): Promise<Outcome> {
  if (!Array.isArray(readMap(body)?.embeds)) {
    return { status: "dead", reason: "the stored message is not readable" };
  }
  // Without it Discord answers before it has looked at the message.
  const waiting = new URL(url.reveal());
  waiting.searchParams.set("wait", "true");
  try {
    const headers = { "content-type": "application/json", "user-agent": "tickwatch" };
    return outcomeOf(await client.post({ url: waiting.href, headers, body }, signal));
  } catch (error) {
    return outcomeOfError(error);
  }
}

/**
 * Codes that come with 400 and yet are about the webhook or its channel: 10003 unknown channel, 10015
 * unknown webhook, 50027 a wrong token, 50083 an archived thread, 220001 to 220004 a forum that
 * wants a thread or refuses one. Source: docs.discord.com, "Opcodes and Status Codes", JSON.
 */
const OF_THE_CHANNEL: ReadonlySet<number> = new Set([
  10_003, 10_015, 50_027, 50_083, 220_001, 220_002, 220_003, 220_004,
]);

function outcomeOf(answer: HttpAnswer): Outcome {
  const { status } = answer;
  const said = readMap(answer.body);
  const outcome = outcomeOfStatus(withPatience(answer, said?.retry_after), null);
  if (outcome.status === "sent") {
    // The answer repeats the message, so that its end may be missing.
    const isDiscord = status === 204 || answer.body.trimStart().startsWith("{");
    return isDiscord
      ? outcome
      : { status: "retry", reason: `HTTP ${status} without the message that Discord has made` };
  }
  const code = typeof said?.code === "number" ? said.code : null;
  if (code === null || !Number.isSafeInteger(code) || outcome.status === "retry") return outcome;
  const reason = `${outcome.reason}, Discord's error ${code}`;
  return OF_THE_CHANNEL.has(code) ? { status: "parked", reason } : { ...outcome, reason };
}

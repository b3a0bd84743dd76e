import type { FetchFunction, IncomingWebhookSendArguments } from "@slack/webhook";
import { z } from "zod";
import { readMap } from "../base/json.ts";
import { isLoopback } from "../base/network.ts";
import type { Secret } from "../base/secret.ts";
import type { Message } from "../model/index.ts";
import type { Channel, ChannelKind, Outcome } from "./channel.ts";
import {
  type HttpAnswer,
  type HttpClient,
  httpClient,
  outcomeOfError,
  outcomeOfStatus,
  unlessPage,
} from "./http.ts";
import { secretUrl } from "./http-settings.ts";
import { plainPayload, SLACK_ROOM, slackPayload } from "./slack-message.ts";

const settings = z.strictObject({
  url: secretUrl("the webhook's address, such as https://hooks.slack.com/services/…"),
});

export type SlackSettings = z.infer<typeof settings>;

/** A Slack incoming webhook, or a service that takes the same payloads. */
export const slackKind: ChannelKind<SlackSettings> = {
  kind: "slack",
  settings,
  open: ({ url }) => openSlack(url, httpClient()),
};

/** The channel on a client of its own, which it closes. */
export function openSlack(url: Secret, client: HttpClient): Channel {
  const refused: RefusedBlocks = { message: null };
  return {
    digests: true,
    room: SLACK_ROOM,
    gapMs: gapOf(url),
    render: (notice) => JSON.stringify(slackPayload(notice)),
    send: (message, signal) => send(message, signal, url, client, refused),
    close: () => client.close(),
  };
}

/** The last message whose blocks Slack refused: a retry does not ask again. */
interface RefusedBlocks {
  message: string | null;
}

/** One message a second; a receiver on this machine has no such limit. Source: docs.slack.dev, "Rate limits". */
function gapOf(url: Secret): number {
  return isLoopback(new URL(url.reveal()).hostname) ? 0 : 1_000;
}

async function send(
  message: Message,
  signal: AbortSignal,
  url: Secret,
  client: HttpClient,
  refused: RefusedBlocks,
): Promise<Outcome> {
  const payload = readMap(message.body);
  if (payload === null) return { status: "dead", reason: "the stored message is not readable" };
  const plain = plainPayload(payload);
  if (refused.message !== message.id || plain === null) {
    const first = await post(payload, signal, url, client);
    if (first.word === null || !OF_BLOCKS.has(first.word) || plain === null) return first.outcome;
    refused.message = message.id;
  }
  // Trouble of the message: it is told without what Slack does not like about it.
  const { outcome } = await post({ ...plain }, signal, url, client);
  return outcome.status === "sent"
    ? {
        status: "sent",
        note: "Slack refused its blocks, so it went as plain text",
      }
    : outcome;
}

interface Posted {
  readonly outcome: Outcome;
  /** Slack's word for a refusal, if it is known. */
  readonly word: string | null;
}

async function post(
  payload: IncomingWebhookSendArguments,
  signal: AbortSignal,
  url: Secret,
  client: HttpClient,
): Promise<Posted> {
  const seen: { answer: HttpAnswer | null } = { answer: null };
  const fetch: FetchFunction = async (to, init) => {
    const body = typeof init?.body === "string" ? init.body : "";
    const request = { url: String(to), headers: init?.headers ?? {}, body };
    seen.answer = await client.post(request, signal);
    return asResponse(seen.answer);
  };
  try {
    const { IncomingWebhook } = await import("@slack/webhook");
    await new IncomingWebhook(url.reveal(), { fetch }).send(payload);
  } catch (error) {
    // An answer that is an error makes the library throw, too; then the answer says more.
    if (seen.answer === null) return { outcome: outcomeOfError(error), word: null };
  }
  if (seen.answer === null)
    return { outcome: { status: "retry", reason: "no answer" }, word: null };
  const word = wordOf(seen.answer);
  return { outcome: outcomeOf(seen.answer, word), word };
}

/** Slack's own words for a refusal. Source: docs.slack.dev, "Sending messages using incoming webhooks". */
const KNOWN_WORDS: ReadonlySet<string> = new Set([
  "action_prohibited",
  "channel_is_archived",
  "channel_not_found",
  "invalid_blocks",
  "invalid_payload",
  "invalid_token",
  "msg_blocks_too_long",
  "no_active_hooks",
  "no_service",
  "no_team",
  "no_text",
  "posting_to_general_channel_denied",
  "rollup_error",
  "team_disabled",
  "too_many_attachments",
  "user_not_found",
]);

/** What Slack does not like about the blocks alone. */
const OF_BLOCKS: ReadonlySet<string> = new Set(["invalid_blocks", "msg_blocks_too_long"]);
/** These come with 400 and yet are about the channel. */
const OF_THE_CHANNEL: ReadonlySet<string> = new Set([
  "channel_not_found",
  "invalid_token",
  "no_active_hooks",
  "no_service",
  "no_team",
  "team_disabled",
  "user_not_found",
]);

function wordOf({ body }: HttpAnswer): string | null {
  const text = body.trim();
  return KNOWN_WORDS.has(text) ? text : null;
}

function outcomeOf(answer: HttpAnswer, word: string | null): Outcome {
  const outcome = outcomeOfStatus(answer, word);
  if (outcome.status === "dead" && word !== null && OF_THE_CHANNEL.has(word)) {
    return { status: "parked", reason: outcome.reason };
  }
  return unlessPage(outcome, answer);
}

/** What the library wants to see of an answer. */
function asResponse({ status, body }: HttpAnswer): Awaited<ReturnType<FetchFunction>> {
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText: "",
    url: "",
    headers: { get: () => null, entries: () => [] },
    arrayBuffer: () => Promise.reject(new TypeError("the answer is text")),
    json: () => Promise.reject(new TypeError("the answer is text")),
    text: () => Promise.resolve(body),
  };
}

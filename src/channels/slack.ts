import type { FetchFunction, IncomingWebhookSendArguments } from "@slack/webhook";
import { z } from "zod";
import type { Secret } from "../base/secret.ts";
import { refuse, secretText } from "../base/settings.ts";
import type { Message } from "../model.ts";
import type { Channel, ChannelKind, Outcome } from "./channel.ts";
import {
  type HttpAnswer,
  type HttpClient,
  httpClient,
  outcomeOfError,
  outcomeOfStatus,
} from "./http.ts";
import { slackPayload } from "./slack-blocks.ts";

const EXPECTED = "the webhook's address, such as https://hooks.slack.com/services/…";

const settings = z.strictObject({
  url: secretText(EXPECTED).superRefine((url, context) => {
    const text = url.reveal();
    if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
      refuse(context, "the value is not an http or https address", { expected: EXPECTED });
    }
  }),
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
  return {
    digests: true,
    // Source: docs.slack.dev, "Rate limits": one message a second.
    gapMs: 1_000,
    render: (notice) => JSON.stringify(slackPayload(notice)),
    send: (message, signal) => send(message, signal, url, client),
    close: () => client.close(),
  };
}

async function send(
  message: Message,
  signal: AbortSignal,
  url: Secret,
  client: HttpClient,
): Promise<Outcome> {
  const payload = readPayload(message.body);
  if (payload === null) return { status: "dead", reason: "the stored message is not readable" };
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
    if (seen.answer === null) return outcomeOfError(error);
  }
  return seen.answer === null ? { status: "retry", reason: "no answer" } : outcomeOf(seen.answer);
}

/** Slack's own words for a refusal. Source: docs.slack.dev, "Sending messages using incoming webhooks". */
const KNOWN_WORDS: ReadonlySet<string> = new Set([
  "action_prohibited",
  "channel_is_archived",
  "channel_not_found",
  "invalid_blocks",
  "invalid_payload",
  "invalid_token",
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

function outcomeOf(answer: HttpAnswer): Outcome {
  const text = answer.body.trim();
  const word = KNOWN_WORDS.has(text) ? text : null;
  const outcome = outcomeOfStatus(answer, word);
  if (outcome.status === "dead" && word !== null && OF_THE_CHANNEL.has(word)) {
    return { status: "parked", reason: outcome.reason };
  }
  // A page for people is what a captive portal or a proxy's error says, with 200.
  if (outcome.status === "sent" && text.startsWith("<")) {
    return { status: "retry", reason: `HTTP ${answer.status} with a web page in place of ok` };
  }
  return outcome;
}

function readPayload(body: string): IncomingWebhookSendArguments | null {
  try {
    const payload: unknown = JSON.parse(body);
    return typeof payload === "object" && payload !== null ? payload : null;
  } catch {
    return null;
  }
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

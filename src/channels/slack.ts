import type { FetchFunction, IncomingWebhookSendArguments } from "@slack/webhook";
import { z } from "zod";
import { isLoopback } from "../base/network.ts";
import type { Secret } from "../base/text.ts";
import type { HttpAnswer, Outcome } from "./channel.ts";
import { httpChannel, outcomeOfStatus, type Sending, unlessPage } from "./http-channel.ts";
import { secretUrl } from "./http-settings.ts";
import { plainPayload, SLACK_ROOM, slackPayload } from "./slack-message.ts";

const settings = z.strictObject({
  url: secretUrl("the webhook's address, such as https://hooks.slack.com/services/…"),
});

/** A Slack incoming webhook, or a service that takes the same payloads. */
export const slackKind = httpChannel({
  kind: "slack",
  settings,
  open({ url }, { page = () => null }) {
    /** The last message whose blocks Slack rejected: a retry sends plain text at once. */
    let refused: string | null = null;
    return {
      digests: true,
      room: SLACK_ROOM,
      gapMs: gapOf(url),
      body: (notice) => slackPayload(notice, page()),
      async send(frozen, { message, post }) {
        const plain = plainPayload(frozen);
        if (plain === null || refused !== message.id) {
          const answer = await posted({ ...frozen }, url, post);
          const word = wordOf(answer);
          if (plain === null || word === null || !OF_BLOCKS.has(word)) return outcomeOf(answer);
          refused = message.id;
        }
        // Trouble of the message: it is told without what Slack does not like about it.
        const outcome = outcomeOf(await posted({ ...plain }, url, post));
        return outcome.status === "sent"
          ? { ...outcome, note: "Slack refused its blocks, so it went as plain text" }
          : outcome;
      },
    };
  },
});

/** One message a second; a receiver on this machine has no such limit. Source: docs.slack.dev, "Rate limits". */
function gapOf(url: Secret): number {
  return isLoopback(new URL(url.reveal()).hostname) ? 0 : 1_000;
}

/** Posts through Slack's library, and rejects where no answer came. */
async function posted(
  payload: IncomingWebhookSendArguments,
  url: Secret,
  post: Sending["post"],
): Promise<HttpAnswer> {
  const seen: { answer: HttpAnswer | null } = { answer: null };
  const fetch: FetchFunction = async (to, init) => {
    const body = typeof init?.body === "string" ? init.body : "";
    seen.answer = await post({ url: String(to), headers: init?.headers ?? {}, body });
    return asResponse(seen.answer);
  };
  const { IncomingWebhook } = await import("@slack/webhook");
  try {
    await new IncomingWebhook(url.reveal(), { fetch }).send(payload);
  } catch (error) {
    // An answer that is an error makes the library throw, too; then the answer says more.
    if (seen.answer === null) throw error;
  }
  if (seen.answer === null) throw new Error("the library posted nothing");
  return seen.answer;
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

/** Slack's errors about the blocks alone. */
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

function outcomeOf(answer: HttpAnswer): Outcome {
  const word = wordOf(answer);
  const outcome = outcomeOfStatus(answer, word);
  if (outcome.status === "dead" && word !== null && OF_THE_CHANNEL.has(word)) {
    return { status: "parked", reason: outcome.reason };
  }
  return unlessPage(outcome, answer);
}

/** The parts of an answer that the library reads. */
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

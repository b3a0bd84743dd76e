import { z } from "zod";
import type { Secret } from "../base/secret.ts";
import { httpUrl, refuse, secretText } from "../base/settings.ts";
import { formTrouble } from "../base/slips.ts";
import type { Message } from "../model/index.ts";
import type { Channel, ChannelKind, Outcome } from "./channel.ts";
import {
  type HttpAnswer,
  type HttpClient,
  httpClient,
  outcomeOfError,
  outcomeOfStatus,
  readMap,
  unlessPage,
} from "./http.ts";
import { pagerdutyEvents, readEvents } from "./pagerduty-events.ts";

const KEY_EXPECTED = "the integration key of an Events API v2 integration";

const settings = z.strictObject({
  routing_key: secretText(KEY_EXPECTED).superRefine((key, context) => {
    const text = key.reveal();
    if (!/^[\x21-\x7e]{1,255}$/.test(text)) {
      const why = formTrouble(text, /^[\x21-\x7e]$/) ?? "the value is no integration key";
      refuse(context, why, { expected: KEY_EXPECTED });
    }
  }),
  base_url: httpUrl().default("https://events.pagerduty.com"),
});

export type PagerdutySettings = z.infer<typeof settings>;

/** PagerDuty's Events API v2: alerts are opened when they fire and resolved when they are over. */
export const pagerdutyKind: ChannelKind<PagerdutySettings> = {
  kind: "pagerduty",
  settings,
  open: (read) => openPagerduty(read, httpClient()),
};

/** The channel on a client of its own, which it closes. */
export function openPagerduty(read: PagerdutySettings, client: HttpClient): Channel {
  return new PagerdutyChannel(read, client);
}

class PagerdutyChannel implements Channel {
  // Source: developer.pagerduty.com, "Events API Rate Limits": 120 calls a minute for a key.
  readonly gapMs = 500;
  readonly #settings: PagerdutySettings;
  readonly #client: HttpClient;
  /** The message of several events that was broken off last, and how far it had come. */
  #progress: Progress | null = null;

  constructor(read: PagerdutySettings, client: HttpClient) {
    this.#settings = read;
    this.#client = client;
  }

  render = (notice: Parameters<Channel["render"]>[0]): string =>
    JSON.stringify({ events: pagerdutyEvents(notice) });

  /** Sends what it has not sent yet: an event that is sent twice is one more entry of its alert. */
  async send({ id, body }: Message, signal: AbortSignal): Promise<Outcome> {
    const events = readEvents(body);
    if (events === null) return { status: "dead", reason: "the stored message is not readable" };
    const before = this.#progress?.id === id ? this.#progress : { id, taken: 0, refused: null };
    this.#progress = null;
    let { refused } = before;
    for (const [place, event] of events.entries()) {
      if (place < before.taken) continue;
      const outcome = await this.#post(event, signal);
      // The other events of the message are none the worse for one that is refused.
      if (outcome.status === "dead") refused ??= outcome;
      else if (outcome.status !== "sent") {
        if (place > 0) this.#progress = { id, taken: place, refused };
        return outcome;
      }
    }
    return refused ?? { status: "sent" };
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #post(event: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Outcome> {
    const { base_url, routing_key } = this.#settings;
    try {
      const answer = await this.#client.post(
        {
          url: `${base_url}/v2/enqueue`,
          headers: { "content-type": "application/json", "user-agent": "tickwatch" },
          body: JSON.stringify({ ...event, routing_key: routing_key.reveal() }),
        },
        signal,
      );
      return unlessPage(outcomeOf(answer, routing_key), answer);
    } catch (error) {
      return outcomeOfError(error);
    }
  }
}

interface Progress {
  /** The message's. */
  readonly id: string;
  /** So many of its events are dealt with. */
  readonly taken: number;
  /** What became of the first of them that was refused for good. */
  readonly refused: Outcome | null;
}

/** 400 is an event that PagerDuty does not understand, unless it says that the key is wrong. */
function outcomeOf(answer: HttpAnswer, key: Secret): Outcome {
  if (answer.status !== 400) return outcomeOfStatus(answer, null);
  const said = JSON.stringify(readMap(answer.body)?.errors ?? "").replaceAll(key.reveal(), "");
  return /routing[_ ]key/i.test(said)
    ? { status: "parked", reason: "HTTP 400, the routing key is refused" }
    : outcomeOfStatus(answer, null);
}

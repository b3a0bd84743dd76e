import type { Dispatcher } from "undici";
import type { ZodType } from "zod";
import { systemClock, withDeadline } from "../base/clock.ts";
import { type JsonMap, readMap } from "../base/json.ts";
import { proxiesFrom } from "../base/network.ts";
import { parseRetryAfter } from "../base/waiting.ts";
import type { Message, Notice } from "../model/index.ts";
import type {
  Channel,
  ChannelKind,
  ChannelTools,
  HttpAnswer,
  HttpClient,
  HttpQuestion,
  Outcome,
  Room,
} from "./channel.ts";

/** A channel kind that posts JSON over HTTP. */
export interface HttpChannelKind<Settings> extends Pick<ChannelKind, "kind" | "forPrograms"> {
  /** Without the key `kind`. Secrets are `Secret`; unknown keys are refused. */
  readonly settings: ZodType<Settings>;
  open(settings: Settings, tools: Pick<ChannelTools, "page">): HttpChannel;
}

/** The posts of an open channel, and the meaning of the answers. */
export interface HttpChannel extends Pick<Channel, "digests" | "gapMs"> {
  readonly room?: Room;
  /** The body that is frozen as JSON, without a secret. Pure. */
  body(notice: Notice): object;
  /**
   * The requests that deliver it, posted one after the other; null: what was frozen is not of this kind. An
   * outcome says why they cannot be made now.
   */
  requests?(frozen: JsonMap, sending: Sending): Requests | Promise<Requests>;
  /** The meaning of an answer; absent: its status decides, and a web page is not a delivery. */
  outcome?(answer: HttpAnswer): Outcome;
  /** In place of `requests` and `outcome`. A rejection is `outcomeOfError`. */
  send?(frozen: JsonMap, sending: Sending): Promise<Outcome>;
}

type Requests = readonly JsonRequest[] | Outcome | null;

/** A post of JSON, whose content type and user agent are given. */
export interface JsonRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One send of a message. */
export interface Sending {
  readonly message: Message;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly post: (request: JsonRequest) => Promise<HttpAnswer>;
  readonly get: (question: HttpQuestion) => Promise<HttpAnswer>;
}

/** The kind as the program uses it. */
export function httpChannel<Settings>(kind: HttpChannelKind<Settings>): ChannelKind<Settings> {
  return {
    ...kind,
    open: (settings, tools) => channelOf(kind.open(settings, tools), tools),
  };
}

/** How far a message of several requests came that was interrupted. */
interface Progress {
  readonly message: string;
  /** So many of its requests are dealt with. */
  readonly done: number;
  /** The outcome of the first one that was refused for good. */
  readonly refused: Outcome | null;
}

function channelOf(channel: HttpChannel, tools: Pick<ChannelTools, "client" | "clock">): Channel {
  const { digests, room, gapMs } = channel;
  const { client = httpClient(), clock = systemClock() } = tools;
  /** The posted parts of the last interrupted message: they are not posted again. */
  let broken: Progress | null = null;

  async function deliver(frozen: JsonMap, sending: Sending): Promise<Outcome> {
    if (channel.send !== undefined) return channel.send(frozen, sending);
    const requests = (await channel.requests?.(frozen, sending)) ?? UNREADABLE;
    if (!isList(requests)) return requests;
    const { id } = sending.message;
    const before = broken?.message === id ? broken : { done: 0, refused: null };
    broken = null;
    let { refused } = before;
    for (const [place, request] of requests.entries()) {
      if (place < before.done) continue;
      const outcome = await answered(request, sending);
      // One rejected request does not stop the others.
      if (outcome.status === "dead") refused ??= outcome;
      else if (outcome.status !== "sent") {
        broken = { message: id, done: place, refused };
        return outcome;
      }
    }
    return refused ?? { status: "sent" };
  }

  async function answered(request: JsonRequest, sending: Sending): Promise<Outcome> {
    try {
      const answer = await sending.post(request);
      return channel.outcome?.(answer) ?? unlessPage(outcomeOfStatus(answer, null), answer);
    } catch (error) {
      return outcomeOfError(error);
    }
  }

  return {
    ...(digests === undefined ? {} : { digests }),
    ...(room === undefined ? {} : { room }),
    ...(gapMs === undefined ? {} : { gapMs }),
    render: (notice) => JSON.stringify(channel.body(notice)),
    async send(message, signal) {
      const frozen = readMap(message.body);
      if (frozen === null) return UNREADABLE;
      try {
        return await deliver(frozen, {
          message,
          now: clock.now(),
          post: ({ url, headers, body }) => {
            const own = {
              ...AGENT,
              ...inSmallLetters(headers),
              "content-type": "application/json",
            };
            return client.post({ url, headers: own, body }, signal);
          },
          get: ({ url, headers, limitBytes }) =>
            client.get(
              { url, headers: { ...AGENT, ...inSmallLetters(headers) }, limitBytes },
              signal,
            ),
        });
      } catch (error) {
        return outcomeOfError(error);
      }
    },
    close: () => client.close(),
  };
}

/** A name that is there twice in different letters would be sent with both values. */
function inSmallLetters(headers: JsonRequest["headers"] = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

const AGENT = { "user-agent": "tickwatch" };
const UNREADABLE: Outcome = { status: "dead", reason: "the stored message cannot be read" };

function isList(requests: NonNullable<Requests>): requests is readonly JsonRequest[] {
  return Array.isArray(requests);
}

/**
 * What a status means for a delivery; `word` is the receiver's own word for it, if one that is
 * known to be harmless. A refusal that is not surely of the message is of the channel, where
 * nothing is lost.
 */
export function outcomeOfStatus(
  { status, retryAfterMs }: HttpAnswer,
  word: string | null,
): Outcome {
  if (status >= 200 && status < 300) return { status: "sent" };
  const reason = word === null ? `HTTP ${status}` : `HTTP ${status}, ${word}`;
  if (status >= 500 || PASSING.has(status)) {
    return retryAfterMs === null
      ? { status: "retry", reason }
      : { status: "retry", reason, afterMs: retryAfterMs };
  }
  if (status >= 300 && status < 400) {
    return { status: "parked", reason: `${reason}: redirects are not followed` };
  }
  return OF_THE_MESSAGE.has(status) ? { status: "dead", reason } : { status: "parked", reason };
}

/**
 * A captive portal or a proxy may answer 200 with a web page: the message was not delivered.
 */
export function unlessPage(outcome: Outcome, { status, body }: HttpAnswer): Outcome {
  return outcome.status === "sent" && body.trimStart().startsWith("<")
    ? { status: "retry", reason: `HTTP ${status} with a web page instead of an answer` }
    : outcome;
}

/** The answer with what its body asks for, in seconds, where that is longer than its header says. */
export function withPatience(answer: HttpAnswer, seconds: unknown): HttpAnswer {
  if (typeof seconds !== "number" || !(seconds >= 0 && seconds < 1e9)) return answer;
  const asked = Math.ceil(seconds * 1_000);
  return { ...answer, retryAfterMs: Math.max(asked, answer.retryAfterMs ?? 0) };
}

/** No answer came. The error itself may name the URL, so only its kind is told. */
export function outcomeOfError(error: unknown): Outcome {
  const names = new Set(causes(error).map(({ name }) => name));
  if (names.has("TimeoutError")) return { status: "retry", reason: "timed out" };
  if (names.has("AbortError")) return { status: "retry", reason: "interrupted" };
  const code = causes(error)
    .map((cause) => ("code" in cause ? String(cause.code) : ""))
    .find((text) => KNOWN_CODES.has(text));
  return { status: "retry", reason: code === undefined ? "no answer" : `no answer (${code})` };
}

/** Refusals of this one message: 400 Bad Request, 413 Content Too Large, 422 Unprocessable. */
const OF_THE_MESSAGE: ReadonlySet<number> = new Set([400, 413, 422]);

/** Passing trouble below 500: Request Timeout, Too Early, Too Many Requests. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

const KNOWN_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_SOCKET",
]);

/** An error and the errors behind it, the outermost first. */
function causes(error: unknown): readonly Error[] {
  const found: Error[] = [];
  let next = error;
  while (next instanceof Error && found.length < 8) {
    found.push(next);
    next = next.cause;
  }
  return found;
}

/** One HTTP request, as channels and the heartbeat send it. */

/** A receiver that takes longer for the whole of a request is not answering. */
const REQUEST_LIMIT_MS = 10_000;
/** The most that is read of an answer; the words that matter are short. */
const BODY_LIMIT_BYTES = 4_096;

/** undici is loaded with the first request. Proxies come from the environment, not for loopback. */
export function httpClient(limitMs: number = REQUEST_LIMIT_MS): HttpClient {
  const proxies = proxiesFrom(process.env);
  let opened: Dispatcher | null = null;
  const exchange = async (
    { url, headers, limitBytes }: HttpQuestion,
    body: string | null,
    signal: AbortSignal,
  ): Promise<HttpAnswer> => {
    const { Agent, EnvHttpProxyAgent, fetch } = await import("undici");
    const dispatcher = (opened ??=
      proxies === null ? new Agent() : new EnvHttpProxyAgent({ ...proxies, proxyTunnel: false }));
    const method = body === null ? "GET" : "POST";
    return await withDeadline(limitMs, signal, async (limited) => {
      const options = { method, headers, body, redirect: "manual", dispatcher } as const;
      const response = await fetch(url, { ...options, signal: limited });
      return {
        status: response.status,
        body: response.body === null ? "" : await readStart(response.body, limitBytes),
        retryAfterMs: readRetryAfter(response.headers),
      };
    });
  };
  return {
    post: ({ url, headers, body }, signal) =>
      exchange({ url, headers, limitBytes: BODY_LIMIT_BYTES }, body, signal),
    get: (question, signal) => exchange(question, null, signal),
    async close() {
      const closing = opened;
      opened = null;
      await closing?.destroy();
    },
  };
}

async function readStart(body: AsyncIterable<Uint8Array>, limitBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest of the body.
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= limitBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, limitBytes).toString("utf8");
}

function readRetryAfter(headers: { get(name: string): string | null }): number | null {
  // The receiver's own clock tells what its date means, if it says what time it has.
  const now = Date.parse(headers.get("date") ?? "");
  return parseRetryAfter(headers.get("retry-after"), Number.isNaN(now) ? Date.now() : now);
}

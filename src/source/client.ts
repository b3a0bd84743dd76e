import pLimit from "p-limit";
import { Pool } from "undici";
import type { Secret } from "../base/secret.ts";
import { type EndpointName, KEY_HEADER } from "../contract/endpoints.ts";
import type { Failure } from "../model.ts";
import { pause } from "./abort.ts";
import { bodyText } from "./decode.ts";
import { ExchangeError, exchange } from "./dispatch.ts";
import { malformed, statusFailure } from "./failure.ts";
import { Gate, type Pass } from "./gate.ts";
import { parseJson } from "./json.ts";
import { RateLimit } from "./rate-limit.ts";
import { type Attempt, parseRetryAfter, retryDelay } from "./retry.ts";

/** A batch of records has 30 kB; what is so much larger is no answer to what we asked. */
const LARGEST_BODY = 16_000_000;
/** Constant: the service is not told who watches. */
const USER_AGENT = "tickwatch";

export type SourceLog = (
  message: string,
  fields: Readonly<Record<string, string | number>>,
) => void;

export interface ClientOptions {
  /** Origin and optional path, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
  /** For one attempt as a whole, in real milliseconds. */
  readonly timeoutMs: number;
  /** Requests at one time, and so connections. */
  readonly concurrency: number;
  readonly requestsPerSecond: number;
  /** The wait before the first retry, in milliseconds. */
  readonly retryMs: number;
  readonly log: SourceLog;
  /** Told once of what a person must put right. */
  readonly warn: SourceLog;
  /** The date in epoch milliseconds, for servers that say by it when to come back. */
  readonly date: () => number;
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
}

/** What came of a request: parsed JSON, or why not. */
export type Outcome =
  | { readonly ok: true; readonly json: unknown; readonly text: string }
  | FailedOutcome;

interface FailedOutcome extends Attempt {
  readonly ok: false;
  /** False: it was not sent, for what earlier requests had come to. */
  readonly sent: boolean;
}

/** One GET. */
export interface Get {
  readonly endpoint: EndpointName;
  /** What works or fails together: an endpoint, on one chain if it has chains. */
  readonly part: string;
  /** Path and query, below the base URL. */
  readonly path: string;
  /** Asked before each attempt after the first; false: there is none. */
  readonly allow?: (() => boolean) | undefined;
}

/**
 * One origin: a pool of connections with its limits, retries where they can help, and no request
 * that could be known to be in vain or unwelcome.
 */
export class Client {
  readonly #options: ClientOptions;
  readonly #prefix: string;
  readonly #pool: Pool;
  readonly #slots: ReturnType<typeof pLimit>;
  readonly #rate: RateLimit;
  readonly #gate: Gate;

  /** Throws TypeError when the base URL is none. */
  constructor(options: ClientOptions) {
    const base = new URL(options.baseUrl);
    this.#options = options;
    this.#prefix = base.pathname.replace(/\/+$/, "");
    this.#pool = new Pool(base.origin, {
      connections: options.concurrency,
      pipelining: 1,
      connect: { timeout: options.timeoutMs },
    });
    this.#slots = pLimit(options.concurrency);
    this.#rate = new RateLimit(options.requestsPerSecond);
    this.#gate = new Gate(options.now, options.warn);
  }

  /** Never rejects. */
  async get(get: Get, signal: AbortSignal): Promise<Outcome> {
    const entered = this.#gate.enter(get.part, signal);
    const pass = entered instanceof Promise ? await entered : entered;
    if (typeof pass === "object") return unsent(pass);
    const outcome = await this.#attempts(get, pass, signal);
    this.#gate.leave(get.part, pass, outcome, signal);
    return outcome;
  }

  /** Stands in the row of those that want to send, and leaves it when its turn has come. */
  room(): Promise<void> {
    return this.#slots(() => {});
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  /** One attempt, and more where another one may help and there is time for it. */
  async #attempts(get: Get, pass: Pass, signal: AbortSignal): Promise<Outcome> {
    const { timeoutMs, retryMs, date, log } = this.#options;
    let attempts = 0;
    for (;;) {
      const held = this.#gate.held(get.endpoint);
      if (held !== null) {
        if (held.ms > timeoutMs) return unsent(held.failure);
        await pause(held.ms, signal);
        if (signal.aborted) return unsent(lateAfter(held.failure));
      }
      // A request that waits for its retry leaves its slot to others.
      const outcome = await this.#slots(this.#attempt, get, pass, signal);
      if (outcome === null) continue;
      if (outcome.ok || !outcome.sent || signal.aborted) return outcome;
      attempts += 1;
      if (pass === "probe") return outcome;
      const delay = retryDelay(outcome, attempts, retryMs, timeoutMs, date());
      if (delay === null || get.allow?.() === false) return outcome;
      const { reason, detail } = outcome.failure;
      log("request is tried again", { reason, detail, attempts, delay: Math.round(delay) });
      await pause(delay, signal);
      if (signal.aborted) return { ...outcome, failure: lateAfter(outcome.failure) };
    }
  }

  /** Null: the endpoint wants to be left alone a little, which was not known before. */
  readonly #attempt = async (
    get: Get,
    pass: Pass,
    signal: AbortSignal,
  ): Promise<Outcome | null> => {
    const { endpoint, part, path } = get;
    const { apiKey, timeoutMs, date } = this.#options;
    // Much may have become known while it waited for its slot, and for its turn below.
    if (this.#gate.held(endpoint) !== null) return null;
    const key = this.#gate.admit(endpoint, part, pass);
    if (typeof key === "object") return unsent(key);
    try {
      const turn = this.#rate.take(signal);
      if (turn !== undefined) {
        await turn;
        if (this.#gate.held(endpoint) !== null) return null;
        const again = key === "try" ? key : this.#gate.admit(endpoint, part, pass);
        if (typeof again === "object") return unsent(again);
      }
      const headers = {
        accept: "application/json",
        "accept-encoding": "identity",
        "user-agent": USER_AGENT,
        [KEY_HEADER]: apiKey.reveal(),
      };
      const limits = { timeoutMs, maxBytes: LARGEST_BODY };
      const answer = await exchange(this.#pool, this.#prefix + path, headers, limits, signal);
      const { status } = answer;
      if (status >= 200 && status < 300) {
        this.#gate.succeeded(endpoint);
        return parsed(await bodyText(answer, LARGEST_BODY), apiKey);
      }
      // What cannot be read of a refusal leaves it one.
      const text = await bodyText(answer, LARGEST_BODY).catch(() => "");
      const failure = statusFailure(status, text, apiKey);
      const retryAfter = answer.headers["retry-after"];
      this.#gate.failed(endpoint, status, failure, parseRetryAfter(retryAfter, date()));
      return { ok: false, failure, status, retryAfter, sent: true };
    } catch (error) {
      const failure = failureOf(error);
      return { ok: false, failure, status: null, retryAfter: undefined, sent: true };
    }
  };
}

function parsed(text: string, key: Secret): Outcome {
  try {
    return { ok: true, json: parseJson(text), text };
  } catch {
    const failure = malformed("the answer is not JSON", text, key);
    return { ok: false, failure, status: 200, retryAfter: undefined, sent: true };
  }
}

function unsent(failure: Failure): FailedOutcome {
  return { ok: false, failure, status: null, retryAfter: undefined, sent: false };
}

function failureOf(error: unknown): Failure {
  if (error instanceof ExchangeError) return { reason: error.reason, detail: error.message };
  return { reason: "network", detail: "the request failed" };
}

/** The time ran out while a retry was waited for; what failed before is the reason to tell. */
function lateAfter({ detail }: Failure): Failure {
  return { reason: "out_of_time", detail: `out of time after: ${detail}` };
}

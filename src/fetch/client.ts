import { type EndpointName, KEY_HEADER } from "../api/endpoints.ts";
import type { Clock } from "../base/clock.ts";
import type { Secret } from "../base/text.ts";
import { parseRetryAfter, pause, RateLimit } from "../base/waiting.ts";
import type { Failure } from "../model/index.ts";
import {
  type Bases,
  ExchangeError,
  exchange,
  type HttpAnswer,
  Origins,
  type Target,
  withKey,
} from "./dispatch.ts";
import { malformed, statusFailure } from "./failure.ts";
import { bodyBytes, readJson, startOf, TooComplex } from "./json.ts";
import { specOf } from "./plan.ts";
import { type Asking, Gate, type Pass } from "./resilience/gate.ts";
import { type Attempt, retryDelay } from "./resilience/retry.ts";
import { Slots } from "./resilience/slots.ts";

/** A batch of records has about 30 kB; a body that is so much larger is not an answer to it. */
const LARGEST_BODY = 16_000_000;
/** Constant: the service is not told who watches. */
const USER_AGENT = "tickwatch";

export type SourceLog = (
  message: string,
  fields: Readonly<Record<string, string | number>>,
) => void;

export interface ClientOptions {
  readonly bases: Bases;
  readonly apiKey: Secret;
  /** For one attempt as a whole, in real milliseconds. */
  readonly timeoutMs: number;
  /** The timer of that limit; default: Node's own. */
  readonly after?: Clock["after"] | undefined;
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
  /** Called for each attempt that was sent and not answered, for the metrics. */
  readonly onFailed?: ((endpoint: EndpointName, reason: Failure["reason"]) => void) | undefined;
}

/** The result of a request: parsed JSON, or why there is none. */
export type Outcome =
  /** `ms`: how long the attempt took that was answered, waiting for its turn left out. */
  | { readonly ok: true; readonly json: unknown; readonly body: Buffer; readonly ms: number }
  | FailedOutcome;

interface FailedOutcome extends Attempt {
  readonly ok: false;
  /** False: it was not sent, for what earlier requests had come to. */
  readonly sent: boolean;
  /** The endpoint's last reaction, even if the time ran out afterwards; null: none. */
  readonly met: Attempt | null;
}

/** One GET. */
export interface Get extends Asking {
  /** Path and query, below the endpoint's address and without a key. */
  readonly path: string;
  /** Asked before each attempt after the first; false: there is none. */
  readonly allow?: (() => boolean) | undefined;
}

/**
 * The service, on one origin or on two: connections within its limits, retries where they can help,
 * and no request that could be known to be in vain or unwelcome. Limits and what is known of the key
 * are the service's, however many origins it has.
 */
export class Client {
  readonly #origins: Origins;
  readonly #slots: Slots;
  readonly #rate: RateLimit;
  readonly #gate: Gate;
  /** Requests that were sent, by round. */
  readonly #sent = new WeakMap<AbortSignal, number>();

  /** Throws TypeError when an address is no URL. */
  constructor(private readonly options: ClientOptions) {
    this.#origins = new Origins(options.bases, options.concurrency, options.timeoutMs);
    this.#slots = new Slots(options.concurrency);
    this.#rate = new RateLimit(options.requestsPerSecond);
    this.#gate = new Gate(options.now, options.warn);
  }

  /** Never rejects. */
  async get(get: Get, signal: AbortSignal): Promise<Outcome> {
    const target = this.#origins.find(get.endpoint);
    if (target === undefined) return unsent(withoutAddress(get.endpoint));
    const entered = this.#gate.enter(get, signal);
    const pass = entered instanceof Promise ? await entered : entered;
    if (typeof pass === "object") return unsent(pass);
    const outcome = await this.#attempts(get, target, pass, signal);
    this.#gate.leave(get, pass, outcome, signal);
    return outcome;
  }

  /** Stands in the row of those that want to ask the endpoint, and leaves it when its turn has come. */
  room(endpoint: EndpointName, signal: AbortSignal): Promise<void> {
    return this.#slots.room(endpoint, signal);
  }

  serves(endpoint: EndpointName): boolean {
    return this.#origins.find(endpoint) !== undefined;
  }

  /** How many requests have been sent under a signal, those that were tried again included. */
  sent(signal: AbortSignal): number {
    return this.#sent.get(signal) ?? 0;
  }

  close(): Promise<void> {
    return this.#origins.close();
  }

  /** One attempt, and more where another one may help and there is time for it. */
  async #attempts(get: Get, to: Target, pass: Pass, signal: AbortSignal): Promise<Outcome> {
    const { timeoutMs, retryMs, log } = this.options;
    let attempts = 0;
    let met: Attempt | null = null;
    for (;;) {
      const held = this.#gate.held(get.endpoint);
      if (held !== null) {
        if (held.ms > timeoutMs) return unsent(held.failure, met);
        await pause(held.ms, signal);
        if (signal.aborted) return unsent(lateAfter(held.failure), met);
      }
      const keyTry = this.#gate.keyTry(get.endpoint, signal);
      if (keyTry !== undefined) {
        await keyTry;
        continue;
      }
      // A request that waits for its retry leaves its slot to others.
      const outcome = await this.#slots.run(get.endpoint, signal, () =>
        this.#attempt(get, to, pass, signal),
      );
      if (outcome === null) continue;
      if (outcome.ok) return outcome;
      if (outcome.sent) this.options.onFailed?.(get.endpoint, outcome.failure.reason);
      if (outcome.failure.reason === "out_of_time" && met !== null) {
        return { ...outcome, failure: lateAfter(met.failure), met };
      }
      met = outcome.met ?? met;
      if (!outcome.sent || signal.aborted) return { ...outcome, met };
      attempts += 1;
      if (pass === "probe") return outcome;
      const delay = retryDelay(outcome, attempts, retryMs, timeoutMs);
      if (delay === null || get.allow?.() === false) return outcome;
      const { reason, detail } = outcome.failure;
      log("request is tried again", { reason, detail, attempts, delay: Math.round(delay) });
      await pause(delay, signal);
      if (signal.aborted) return { ...outcome, failure: lateAfter(outcome.failure) };
    }
  }

  /** Null: it has to wait first, which was not known before: for the endpoint, or for another try of the key. */
  async #attempt(get: Get, to: Target, pass: Pass, signal: AbortSignal): Promise<Outcome | null> {
    const { endpoint, path } = get;
    const { apiKey, date } = this.options;
    // Much may have become known while it waited for its slot, and for its turn below.
    if (signal.aborted) return unsent(OUT_OF_TIME);
    if (this.#gate.held(endpoint) !== null) return null;
    const key = this.#gate.admit(get, pass);
    if (key === "wait") return null;
    if (typeof key === "object") return unsent(key);
    try {
      const turn = this.#rate.take(signal);
      if (turn !== undefined) {
        await turn;
        if (signal.aborted) return unsent(OUT_OF_TIME);
        if (this.#gate.held(endpoint) !== null) return null;
        const again = key === "try" ? key : this.#gate.admit(get, pass);
        if (again === "wait") return null;
        if (typeof again === "object") return unsent(again);
      }
      const begun = this.options.now();
      const answer = await this.#send(endpoint, path, to, signal);
      const { status } = answer;
      if (status >= 200 && status < 300) {
        this.#gate.succeeded(endpoint);
        const body = await bodyBytes(answer, LARGEST_BODY);
        return await parsed(body, apiKey, this.options.now() - begun);
      }
      // A refusal with an unreadable body is still a refusal.
      const text = await bodyBytes(answer, LARGEST_BODY).then(startOf, () => "");
      const failure = statusFailure(status, text, apiKey);
      const retryAfterMs = askedWait(answer.headers, date);
      this.#gate.failed(endpoint, status, failure, retryAfterMs);
      return failedBy({ failure, status, retryAfterMs });
    } catch (error) {
      return failedBy({ failure: failureOf(error), status: null, retryAfterMs: null });
    } finally {
      if (key === "try") this.#gate.tried(endpoint);
    }
  }

  /** The only place that gives the key away: in the header or in the URL, as the family has it. */
  #send(
    endpoint: EndpointName,
    path: string,
    { origin, pool, prefix }: Target,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    const { apiKey, timeoutMs, after } = this.options;
    const headers = {
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": USER_AGENT,
      ...(specOf(endpoint).family === "current" ? { [KEY_HEADER]: apiKey.reveal() } : {}),
    };
    const limits = { timeoutMs, maxBytes: LARGEST_BODY, after };
    if (!signal.aborted) this.#sent.set(signal, this.sent(signal) + 1);
    return exchange(
      pool,
      origin,
      withKey(endpoint, prefix + path, apiKey),
      headers,
      limits,
      signal,
    );
  }
}

async function parsed(body: Buffer, key: Secret, ms: number): Promise<Outcome> {
  try {
    return { ok: true, json: await readJson(body), body, ms };
  } catch (error) {
    const failure: Failure =
      error instanceof TooComplex
        ? { reason: error.reason, detail: `the answer ${error.message}` }
        : malformed("the answer is not JSON", startOf(body), key);
    return failedBy({ failure, status: 200, retryAfterMs: null });
  }
}

/** The wait that the service asks for, by its own clock if it gives its time. */
function askedWait(headers: HttpAnswer["headers"], date: () => number): number | null {
  const asked: string | readonly string[] | undefined = headers["retry-after"];
  if (asked === undefined) return null;
  const own = Date.parse(headers.date ?? "");
  return parseRetryAfter(asked, Number.isNaN(own) ? date() : own);
}

function withoutAddress(endpoint: EndpointName): Failure {
  const { base } = specOf(endpoint);
  const detail = base === "rpc" ? "it needs a node: service.rpc" : `${base} is not configured`;
  return { reason: "refused", detail };
}

const OUT_OF_TIME: Failure = { reason: "out_of_time", detail: "out of time" };

function failedBy(attempt: Attempt): FailedOutcome {
  const met = attempt.failure.reason === "out_of_time" ? null : attempt;
  return { ok: false, ...attempt, sent: true, met };
}

function unsent(failure: Failure, met: Attempt | null = null): FailedOutcome {
  return { ok: false, failure, status: null, retryAfterMs: null, sent: false, met };
}

function failureOf(error: unknown): Failure {
  if (error instanceof ExchangeError) return { reason: error.reason, detail: error.message };
  return { reason: "network", detail: "the request failed" };
}

/** The time ran out while a retry was waited for; what failed before is the reason to tell. */
function lateAfter({ detail }: Failure): Failure {
  return { reason: "out_of_time", detail: `out of time after: ${detail}` };
}

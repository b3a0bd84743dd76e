import pLimit from "p-limit";
import { Pool } from "undici";
import type { Secret } from "../base/secret.ts";
import { ENDPOINTS, KEY_HEADER } from "../contract/endpoints.ts";
import type { Answer, Failure } from "../model.ts";
import { pause } from "./abort.ts";
import { bodyText } from "./decode.ts";
import { ExchangeError, exchange } from "./dispatch.ts";
import { malformed, statusFailure } from "./failure.ts";
import { parseJson } from "./json.ts";
import { match } from "./match.ts";
import { plan } from "./plan.ts";
import { RateLimit } from "./rate-limit.ts";
import { type Attempt, retryDelay } from "./retry.ts";
import type { Request, Source } from "./source.ts";

/** A batch of records has 30 kB; what is so much larger is no answer to what we asked. */
const LARGEST_BODY = 16_000_000;
const FIRST_RETRY_MS = 250;
/** Constant: the service is not told who watches. */
const USER_AGENT = "tickwatch";

export interface HttpSourceOptions {
  /** Origin and optional path, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
  /** For one attempt as a whole, in real milliseconds. */
  readonly timeoutMs: number;
  /** Requests at one time, and so connections. */
  readonly concurrency: number;
  readonly requestsPerSecond: number;
  /** Told of retries and oddities, with constant messages and clean fields. */
  readonly log?: (message: string, fields: Readonly<Record<string, string | number>>) => void;
  /** The wait before the first retry. */
  readonly retryMs?: number;
}

/** What came of a request: parsed JSON, or why not. */
type Outcome =
  | { readonly ok: true; readonly json: unknown; readonly text: string }
  | ({ readonly ok: false } & Attempt);

/** The service over HTTP. Throws TypeError when `baseUrl` is no URL. */
export function createHttpSource(options: HttpSourceOptions): Source {
  const { apiKey, timeoutMs, concurrency, log } = options;
  const base = new URL(options.baseUrl);
  const prefix = base.pathname.replace(/\/+$/, "");
  const pool = new Pool(base.origin, {
    connections: concurrency,
    pipelining: 1,
    connect: { timeout: timeoutMs },
  });
  const slots = pLimit(concurrency);
  const rate = new RateLimit(options.requestsPerSecond);
  const limits = { timeoutMs, maxBytes: LARGEST_BODY };

  async function attempt(path: string, signal: AbortSignal): Promise<Outcome> {
    try {
      await rate.take(signal);
      const headers = {
        accept: "application/json",
        "accept-encoding": "identity",
        "user-agent": USER_AGENT,
        [KEY_HEADER]: apiKey.reveal(),
      };
      const answer = await exchange(pool, prefix + path, headers, limits, signal);
      const text = await bodyText(answer, LARGEST_BODY);
      const { status } = answer;
      if (status >= 200 && status < 300) return parsed(text, apiKey);
      const retryAfter = answer.headers["retry-after"];
      return { ok: false, failure: statusFailure(status, text, apiKey), status, retryAfter };
    } catch (error) {
      return { ok: false, failure: failureOf(error), status: null, retryAfter: undefined };
    }
  }

  /** One attempt, and more where another one may help and there is time for it. */
  async function get(path: string, signal: AbortSignal): Promise<Outcome> {
    for (let attempts = 1; ; attempts++) {
      // A request that waits for its retry leaves its slot to others.
      const outcome = await slots(attempt, path, signal);
      if (outcome.ok || signal.aborted) return outcome;
      const baseMs = options.retryMs ?? FIRST_RETRY_MS;
      const delay = retryDelay(outcome, attempts, baseMs, timeoutMs, Date.now());
      if (delay === null) return outcome;
      const { reason, detail } = outcome.failure;
      log?.("request is tried again", { reason, detail, attempts, delay: Math.round(delay) });
      await pause(delay, signal);
      if (signal.aborted) return { ...outcome, failure: lateAfter(outcome.failure) };
    }
  }

  async function fetch(request: Request, signal: AbortSignal): Promise<readonly Answer[]> {
    const outcome = await get(request.path, signal);
    if (!outcome.ok) return allFailed(request, outcome.failure);
    if (!Array.isArray(outcome.json)) {
      return allFailed(request, malformed("no list in the answer", outcome.text, apiKey));
    }
    const { answers, ignored } = match(request, outcome.json);
    if (ignored > 0) log?.("entries of an answer were ignored", { path: request.path, ignored });
    return answers;
  }

  async function verify(signal: AbortSignal): Promise<"valid" | "invalid" | Failure> {
    const outcome = await get(ENDPOINTS.verify_key.path, signal);
    if (!outcome.ok) {
      return outcome.failure.reason === "unauthorized" ? "invalid" : outcome.failure;
    }
    const { json } = outcome;
    const valid = typeof json === "object" && json !== null && "valid" in json ? json.valid : null;
    if (typeof valid === "boolean") return valid ? "valid" : "invalid";
    return malformed("the answer does not say whether the key is valid", outcome.text, apiKey);
  }

  return { plan, fetch, verify, close: () => pool.destroy() };
}

function parsed(text: string, key: Secret): Outcome {
  try {
    return { ok: true, json: parseJson(text), text };
  } catch {
    const failure = malformed("the answer is not JSON", text, key);
    return { ok: false, failure, status: 200, retryAfter: undefined };
  }
}

function allFailed({ asks }: Request, failure: Failure): readonly Answer[] {
  const answer: Answer = { status: "failed", failure };
  return asks.map(() => answer);
}

function failureOf(error: unknown): Failure {
  if (error instanceof ExchangeError) return { reason: error.reason, detail: error.message };
  return { reason: "network", detail: "the request failed" };
}

/** The time ran out while a retry was waited for; what failed before is the reason to tell. */
function lateAfter({ detail }: Failure): Failure {
  return { reason: "out_of_time", detail: `out of time after: ${detail}` };
}

import type { Secret } from "../base/secret.ts";
import { ENDPOINTS } from "../contract/endpoints.ts";
import type { Answer, Failure } from "../model.ts";
import { Bisection, type Part } from "./bisect.ts";
import { Client, type Outcome, type SourceLog } from "./client.ts";
import { malformed } from "./failure.ts";
import { match } from "./match.ts";
import { plan } from "./plan.ts";
import type { Request, Source } from "./source.ts";

const FIRST_RETRY_MS = 250;

export interface HttpSourceOptions {
  /** Origin and optional path, without a trailing slash. */
  readonly baseUrl: string | null;
  readonly legacyBaseUrl?: string | null;
  readonly apiKey: Secret;
  /** For one attempt as a whole, in real milliseconds. */
  readonly timeoutMs: number;
  /** Requests at one time, and so connections. */
  readonly concurrency: number;
  readonly requestsPerSecond: number;
  /** Told of retries and oddities, with constant messages and clean fields. */
  readonly log?: SourceLog;
  /** Told, once each, of what a person must put right, and when it is. Without it `log` is. */
  readonly warn?: SourceLog;
  /** The wait before the first retry. */
  readonly retryMs?: number;
  /** Milliseconds of a clock that is never set back and runs as timers do. */
  readonly now?: () => number;
}

/** The service over HTTP. Throws TypeError when `baseUrl` is no URL. */
export function createHttpSource(options: HttpSourceOptions): Source {
  const { apiKey, log = () => {}, warn = log, retryMs = FIRST_RETRY_MS } = options;
  const now = options.now ?? (() => performance.now());
  const client = new Client({
    ...options,
    baseUrl: options.baseUrl ?? options.legacyBaseUrl ?? "",
    log,
    warn,
    retryMs,
    now,
    date: () => Date.now(),
  });
  const bisection = new Bisection(send, now, ({ key }, { detail }) => {
    log("an id spoils its batch and is asked alone", { ask: key, detail });
  });

  async function send(request: Request, signal: AbortSignal, allow?: () => boolean): Promise<Part> {
    const { record, endpoint, asks, path } = request;
    const part = `${record}:${asks[0]?.chainId ?? ""}:${asks[0]?.protocol ?? ""}`;
    const outcome = await client.get({ endpoint, part, path, allow }, signal);
    if (!outcome.ok) {
      return { ok: false, failure: outcome.failure, ofContent: isOfContent(outcome) };
    }
    if (!Array.isArray(outcome.json)) {
      const failure = malformed("no list in the answer", outcome.text, apiKey);
      return { ok: false, failure, ofContent: true };
    }
    const { answers, ignored } = match(request, outcome.json);
    if (ignored > 0) log("entries of an answer were ignored", { path, ignored });
    return { ok: true, answers };
  }

  async function verify(signal: AbortSignal): Promise<"valid" | "invalid" | Failure> {
    const { path } = ENDPOINTS.verify_key;
    const outcome = await client.get({ endpoint: "verify_key", part: "verify_key", path }, signal);
    if (!outcome.ok) {
      return outcome.failure.reason === "unauthorized" ? "invalid" : outcome.failure;
    }
    const { json } = outcome;
    const valid = typeof json === "object" && json !== null && "valid" in json ? json.valid : null;
    if (typeof valid === "boolean") return valid ? "valid" : "invalid";
    return malformed("the answer does not say whether the key is valid", outcome.text, apiKey);
  }

  return {
    serves: () => true,
    plan,
    room: () => client.room(),
    fetch: (request: Request, signal: AbortSignal): Promise<readonly Answer[]> =>
      bisection.fetch(request, signal),
    verify,
    close: () => client.close(),
  };
}

/**
 * Whether one of the ids may be what a request failed on: it was refused for what it asks, tripped
 * the server, or was answered with something that cannot be read.
 */
function isOfContent({ failure, status, sent }: Extract<Outcome, { ok: false }>): boolean {
  if (!sent) return false;
  if (failure.reason === "malformed" || failure.reason === "too_large") return true;
  if (status === 500) return true;
  return failure.reason === "refused" && status !== null && status >= 400;
}

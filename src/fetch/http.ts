import { ENDPOINTS, ENDPOINTS_OF, type EndpointName } from "../api/endpoints.ts";
import type { Clock } from "../base/clock.ts";
import { asMap, type JsonMap } from "../base/json.ts";
import type { Secret } from "../base/text.ts";
import { onAbort } from "../base/waiting.ts";
import type { Answer, Ask, Failure } from "../model/index.ts";
import { Bisection, type Part } from "./bad-ids/bisect.ts";
import { Client, type Outcome, type SourceLog } from "./client.ts";
import type { Bases } from "./dispatch.ts";
import { malformed, statusFailure } from "./failure.ts";
import { startOf } from "./json.ts";
import { match, RecordCleaner } from "./match.ts";
import { batchSize, endpointsOf, itemOf, plan, specOf } from "./plan.ts";
import { Health, newestTime } from "./resilience/health.ts";
import type { Request, Source } from "./source.ts";

const FIRST_RETRY_MS = 250;

export interface HttpSourceOptions {
  /** Origin and optional path, without a trailing slash; null: it is not configured. */
  readonly baseUrl: string | null;
  /** The earlier family's, likewise; it may be the same. */
  readonly legacyBaseUrl?: string | null;
  /** The EVM nodes behind `baseUrl`, which know more than the specification; null: a service. */
  readonly rpc?: unknown;
  readonly apiKey: Secret;
  /** For one attempt as a whole, in real milliseconds. */
  readonly timeoutMs: number;
  /** The timer of that limit; default: Node's own. */
  readonly after?: Clock["after"];
  /** Requests at one time, and so connections. */
  readonly concurrency: number;
  readonly requestsPerSecond: number;
  /** Called for retries and oddities, with constant messages and clean fields. */
  readonly log?: SourceLog;
  /** Called once for each problem that a person must fix, and once when it is fixed; default: `log`. */
  readonly warn?: SourceLog;
  /** The wait before the first retry. */
  readonly retryMs?: number;
  /** Milliseconds of a clock that is never set back and runs as timers do. */
  readonly now?: () => number;
  /**
   * Called for each request that was sent, retries included: with the reason of its failure, or null and
   * the milliseconds until its answer.
   */
  readonly onRequest?: (
    endpoint: EndpointName,
    failure: Failure["reason"] | null,
    ms?: number,
  ) => void;
}

/** The service over HTTP. Throws TypeError when an address is no URL. */
export function createHttpSource(options: HttpSourceOptions): Source {
  const { apiKey, log = () => {}, warn = log, retryMs = FIRST_RETRY_MS } = options;
  const now = options.now ?? (() => performance.now());
  const bases = {
    base_url: options.baseUrl,
    legacy_base_url: options.legacyBaseUrl ?? null,
    rpc: (options.rpc ?? null) === null ? null : options.baseUrl,
  };
  const client = new Client({
    ...options,
    bases,
    log,
    warn,
    retryMs,
    now,
    date: () => Date.now(),
    onFailed: options.onRequest,
  });
  const bisection = new Bisection(send, now, ({ key }, { detail }) => {
    log("an id spoils its batch and is asked alone", { ask: key, detail });
  });
  const shared = new SharedRequests((request, signal) => bisection.fetch(request, signal));
  const cleaner = new RecordCleaner(apiKey);
  const choices = new ChoiceLog(log);
  const health = new Health(now);

  async function send(request: Request, signal: AbortSignal, allow?: () => boolean): Promise<Part> {
    const { endpoint, asks, path } = request;
    const part = `${endpoint}:${asks[0]?.chainId ?? ""}:${asks[0]?.protocol ?? ""}`;
    const key = asks[0]?.key ?? "";
    const outcome = await client.get({ endpoint, part, key, path, allow }, signal);
    if (!outcome.ok) {
      const { failure, met, sent } = outcome;
      health.failed(endpoint, met?.failure.reason ?? failure.reason, sent || met !== null);
      return { ok: false, failure, ofContent: isOfContent(outcome) };
    }
    const matched = match(request, outcome.json);
    if ("problem" in matched) {
      const failure = malformed(matched.problem, startOf(outcome.body), apiKey);
      health.failed(endpoint, failure.reason, true);
      options.onRequest?.(endpoint, failure.reason);
      return { ok: false, failure, ofContent: true };
    }
    const told = matched.answers.some((answer) => troubleIn(answer) !== null)
      ? matched.answers.map(refusedAlone)
      : matched.answers;
    const answers = cleaner.clean(endpoint, told);
    const { ignored } = matched;
    options.onRequest?.(endpoint, null, outcome.ms);
    const newest = newestTime(endpoint, asks, answers);
    health.answered(endpoint, outcome.ms, newest, asks[0]?.chainId);
    if (ignored > 0) log("entries of an answer were ignored", { path, ignored });
    return { ok: true, answers };
  }

  /** A record of a batch may hold an error in place of its values. */
  function refusedAlone(answer: Answer): Answer {
    const error = troubleIn(answer);
    if (error === null) return answer;
    return { status: "failed", failure: statusFailure(404, JSON.stringify({ error }), apiKey) };
  }

  async function verify(signal: AbortSignal): Promise<"valid" | "invalid" | Failure> {
    if (!client.serves("verify_key")) return CANNOT_VERIFY;
    const { path } = ENDPOINTS.verify_key;
    const own = "verify_key";
    const outcome = await client.get({ endpoint: own, part: own, key: own, path }, signal);
    if (!outcome.ok) {
      return outcome.failure.reason === "unauthorized" ? "invalid" : outcome.failure;
    }
    options.onRequest?.("verify_key", null);
    const { json } = outcome;
    const valid = typeof json === "object" && json !== null && "valid" in json ? json.valid : null;
    if (typeof valid === "boolean") return valid ? "valid" : "invalid";
    return malformed(
      "the answer does not say whether the key is valid",
      startOf(outcome.body),
      apiKey,
    );
  }

  return {
    serves: (record, chainId) =>
      record === "endpoint" ||
      ENDPOINTS_OF[record].some((endpoint) => {
        const { chains } = specOf(endpoint);
        const has = chainId === undefined || chains === undefined || chains.includes(chainId);
        return has && client.serves(endpoint);
      }),
    ways: (ask) =>
      endpointsOf(ask).map((endpoint) => {
        const { family, base } = specOf(endpoint);
        return { family, base, address: bases[base] };
      }),
    plan: (asks) => {
      const [own, others] = partOwn(asks);
      const requests = plan(others, (endpoint) => client.serves(endpoint));
      choices.note(requests, bases);
      return own === null ? requests : [...requests, own];
    },
    room: ({ endpoint }, signal) => client.room(endpoint, signal),
    fetch: (request: Request, signal: AbortSignal, round = signal): Promise<readonly Answer[]> =>
      request.record === "endpoint"
        ? Promise.resolve(request.asks.map((ask) => health.answer(ask)))
        : shared.fetch(request, signal, round),
    sent: (signal) => client.sent(signal),
    newestTimes: () => health.newestTimes(),
    verify,
    close: () => client.close(),
  };
}

/** Asks about the source itself go in one request without a path, which is not sent. */
function partOwn(asks: readonly Ask[]): [own: Request | null, others: readonly Ask[]] {
  const own = asks.filter(({ record }) => record === "endpoint");
  if (own.length === 0) return [null, asks];
  const others = asks.filter(({ record }) => record !== "endpoint");
  return [{ record: "endpoint", endpoint: "verify_key", asks: own, path: "" }, others];
}

const CANNOT_VERIFY: Failure = {
  reason: "refused",
  detail: "only the current family, at base_url, can say whether the key is good",
};

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

/** The error in a record; null: there is none. */
function troubleIn(answer: Answer): JsonMap | null {
  const [record] = answer.status === "ok" ? answer.records : [];
  const error = record?.error === undefined ? null : asMap(record.error);
  return error !== null && typeof error.message === "string" ? error : null;
}

type Answers = Promise<readonly Answer[]>;

interface Sent {
  readonly request: Request;
  /** Null: they are not kept. */
  answers: Answers | null;
}

/** Sends equal requests of one round once, whichever rules and records they are for. */
class SharedRequests {
  /** By path, which is the same for asks of the same items. */
  readonly #rounds = new WeakMap<object, Map<string, Sent>>();

  constructor(private readonly send: (request: Request, signal: AbortSignal) => Answers) {}

  async fetch(request: Request, signal: AbortSignal, round: object): Answers {
    const { endpoint, path, asks } = request;
    const sent = this.#rounds.get(round) ?? new Map<string, Sent>();
    this.#rounds.set(round, sent);
    const isSingle = batchSize(endpoint) === 1;
    const other = sent.get(path);
    if (other?.answers && isEqual(other.request, request)) {
      const answers = await untilAbort(other.answers, signal);
      // Other rules of the round may have had less time than these.
      const [first] = answers ?? [];
      if (answers !== null && first !== undefined && !answers.some(isOutOfTime)) {
        return isSingle ? asks.map(() => first) : answers;
      }
    }
    const answering = this.send(request, signal);
    const own: Sent = { request, answers: answering };
    sent.set(path, own);
    const answers = await answering;
    // One record, such as token info, is kept until the round is over; batches and lists are too large.
    if (isSingle && specOf(endpoint).shape === "object") return answers;
    if (sent.get(path) === own) sent.delete(path);
    // The tables that a map leaves behind as it is filled anew point each to the next. Once one of them is old, all
    // after it are kept until the next full collection: with nothing in their hands.
    own.answers = null;
    return answers;
  }
}

/** The answers of a batch are in the order of its items; one item may be asked for twice. */
function isEqual(sent: Request, { endpoint, asks }: Request): boolean {
  if (sent.endpoint !== endpoint) return false;
  if (batchSize(endpoint) === 1) return true;
  return (
    sent.asks.length === asks.length &&
    sent.asks.every(
      (ask, i) => asks[i] !== undefined && itemOf(endpoint, ask) === itemOf(endpoint, asks[i]),
    )
  );
}

/** Null: the signal was aborted first. */
async function untilAbort(answers: Answers, signal: AbortSignal) {
  let stopListening = (): void => {};
  const aborted = new Promise<null>((resolve) => {
    stopListening = onAbort(signal, () => resolve(null));
  });
  try {
    return await Promise.race([answers, aborted]);
  } finally {
    stopListening();
  }
}

function isOutOfTime(answer: Answer): boolean {
  return answer.status === "failed" && answer.failure.reason === "out_of_time";
}

/** Says where a value is asked for that two endpoints serve: once for each record, chain and choice. */
class ChoiceLog {
  readonly #said = new Set<string>();

  constructor(private readonly log: SourceLog) {}

  note(requests: readonly Request[], bases: Bases): void {
    // With one address there is nothing to choose.
    if (bases.base_url === null || bases.legacy_base_url === null) return;
    for (const { record, endpoint, asks } of requests) {
      const [first] = asks;
      if (first === undefined || endpointsOf(first).length < 2) continue;
      const chain = first.chainId;
      const key = `${record}:${chain}:${endpoint}`;
      if (this.#said.has(key)) continue;
      this.#said.add(key);
      this.log("of two endpoints one was chosen", { record, chain, endpoint });
    }
  }
}

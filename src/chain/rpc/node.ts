import { isMap, readJson } from "../../base/json.ts";
import type { Secret } from "../../base/text.ts";
import { RateLimit } from "../../base/waiting.ts";
import { quantity } from "../codec/words.ts";
import { cleanerOf, type ErrorKind, kindOf, RpcError } from "./error-kind.ts";
import { type PostAnswer, PostError, Poster } from "./post.ts";

/** One call: a method and its parameters. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The same with its parameters as JSON. */
interface WrittenCall {
  readonly method: string;
  readonly params: string;
}

/** What one call of several came to. */
export type RpcResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: RpcError };

export interface NodeOptions {
  readonly url: Secret;
  /** How it is spoken of, its URL being secret: `node 1`. */
  readonly name: string;
  /** HTTP requests in any second; each may hold many calls. */
  readonly requestsPerSecond: number;
  /** For one HTTP request, in real milliseconds. */
  readonly timeoutMs: number;
}

/** Calls in one HTTP request. */
const LARGEST_BATCH = 100;
/** Bytes in one HTTP request: nodes refuse some millions of them, or drop the connection. */
const LARGEST_REQUEST = 1_000_000;
/** After so many that were answered, larger ones are tried again. */
const BATCHES_UNTIL_LARGER = 100;
/** What a node says where a batch is too large for it, or where it knows none; of both there are many forms. */
const OF_SIZE: ReadonlySet<ErrorKind> = new Set(["too_much", "malformed", "failed", "no_method"]);
/** A rate that was halved is raised again after so long without another complaint. */
const RATE_REST_MS = 60_000;
/** A rate is not halved below one request in so many seconds. */
const LOWEST_RATE = 0.1;

const NEVER = new AbortController().signal;

/**
 * One JSON-RPC endpoint over HTTP. Answers are bounded to 16 MB, requests to the node's rate, and batches
 * are halved where a node refuses them as too large. It knows nothing of other nodes.
 */
export class RpcNode {
  readonly name: string;
  readonly #poster: Poster;
  readonly #clean: (text: string) => string;
  readonly #timeoutMs: number;
  readonly #rate: RateLimit;
  #fullRate: number;
  #ratePerSecond: number;
  #rateChanged = 0;
  #batch = LARGEST_BATCH;
  #wholeBatches = 0;
  #nextId = 1;
  #requests = 0;
  #calls = 0;

  /** Throws TypeError where its URL is none. */
  constructor({ url, name, requestsPerSecond, timeoutMs }: NodeOptions) {
    this.name = name;
    this.#poster = new Poster(url, timeoutMs);
    this.#clean = cleanerOf(url);
    this.#timeoutMs = timeoutMs;
    this.#fullRate = requestsPerSecond;
    this.#ratePerSecond = requestsPerSecond;
    this.#rate = new RateLimit(requestsPerSecond);
  }

  /** HTTP requests sent, and calls in them, since the start. */
  get sent(): { readonly requests: number; readonly calls: number } {
    return { requests: this.#requests, calls: this.#calls };
  }

  /** From now on so many requests go in any second; one that it slowed down by itself stays as much slower. */
  pace(requestsPerSecond: number): void {
    const slowed = this.#ratePerSecond / this.#fullRate;
    this.#fullRate = requestsPerSecond;
    this.#ratePerSecond = requestsPerSecond * slowed;
    this.#rate.set(this.#ratePerSecond);
  }

  /** The result of one call, as JSON. Rejects with RpcError. */
  async call(method: string, params: readonly unknown[], signal = NEVER): Promise<unknown> {
    const [result] = await this.batch([{ method, params }], signal);
    if (result === undefined) throw this.#error("malformed", "no answer");
    if (result.ok) return result.value;
    throw result.error;
  }

  /**
   * What each call came to, in their order. One that failed leaves the others as they are. Rejects with
   * RpcError where the node as a whole did not answer.
   */
  async batch(calls: readonly RpcCall[], signal = NEVER): Promise<readonly RpcResult[]> {
    const results: RpcResult[] = [];
    const written = calls.map(({ method, params }) => ({ method, params: JSON.stringify(params) }));
    for (let from = 0; from < calls.length; ) {
      const part = written.slice(from, from + this.#countOf(written, from));
      const answered = await this.#whole(part, signal);
      if (answered === null) continue;
      results.push(...answered);
      from += part.length;
    }
    return results;
  }

  close(): Promise<void> {
    return this.#poster.close();
  }

  /** How many calls from one on go into a request, one at least. */
  #countOf(calls: readonly WrittenCall[], from: number): number {
    let bytes = 0;
    let count = 0;
    for (const { params } of calls.slice(from, from + this.#batch)) {
      bytes += params.length;
      if (count > 0 && bytes > LARGEST_REQUEST) break;
      count += 1;
    }
    return count;
  }

  /** One HTTP request; null: the batch was too large, and is to be asked in smaller ones. */
  async #whole(
    calls: readonly WrittenCall[],
    signal: AbortSignal,
  ): Promise<readonly RpcResult[] | null> {
    try {
      const results = await this.#request(calls, signal);
      this.#wholeBatches += 1;
      if (this.#wholeBatches % BATCHES_UNTIL_LARGER === 0) {
        this.#batch = Math.min(LARGEST_BATCH, this.#batch * 2);
      }
      return results;
    } catch (error) {
      if (!(error instanceof RpcError) || calls.length === 1) throw error;
      if (!OF_SIZE.has(error.kind)) throw error;
      this.#batch = Math.ceil(calls.length / 2);
      this.#wholeBatches = 0;
      return null;
    }
  }

  async #request(
    calls: readonly WrittenCall[],
    signal: AbortSignal,
  ): Promise<readonly RpcResult[]> {
    await this.#turn(signal);
    const first = this.#nextId;
    this.#nextId += calls.length;
    const messages = calls.map(
      ({ method, params }, i) =>
        `{"jsonrpc":"2.0","id":${first + i},"method":${JSON.stringify(method)},"params":${params}}`,
    );
    this.#requests += 1;
    this.#calls += calls.length;
    // One call alone is sent as such: some nodes know no batches.
    const body = messages.length === 1 ? (messages[0] ?? "") : `[${messages.join()}]`;
    const answer = await this.#post(body, signal);
    const json = readJson(answer.text);
    const method = calls[0]?.method ?? "";
    const list: readonly unknown[] | null = Array.isArray(json) ? json : null;
    if (list === null && (calls.length > 1 || !isReply(json))) {
      throw this.#fault(method, answer, errorIn(json));
    }
    return this.#matched(calls, first, list ?? [json], answer);
  }

  async #post(body: string, signal: AbortSignal): Promise<PostAnswer> {
    try {
      return await this.#poster.post(body, this.#timeoutMs, signal);
    } catch (error) {
      if (!(error instanceof PostError)) throw error;
      throw this.#error(error.isTooLarge ? "too_much" : "unreachable", error.message);
    }
  }

  /** Each call with the reply of its id; ids that are missing, doubled or of no call spoil only what is theirs. */
  #matched(
    calls: readonly WrittenCall[],
    first: number,
    replies: readonly unknown[],
    answer: PostAnswer,
  ): readonly RpcResult[] {
    const found: (RpcResult | undefined)[] = calls.map(() => undefined);
    for (const reply of replies) {
      if (!isMap(reply)) continue;
      const at = typeof reply.id === "number" ? reply.id - first : Number.NaN;
      const call = calls[at];
      if (call === undefined) continue;
      found[at] = found[at] === undefined ? this.#result(call, reply, answer) : this.#twice();
    }
    return found.map((one) => one ?? failed(this.#error("malformed", "no answer to this call")));
  }

  #result(
    { method }: WrittenCall,
    reply: Readonly<Record<string, unknown>>,
    answer: PostAnswer,
  ): RpcResult {
    const fault = errorIn(reply);
    if (fault !== null) return failed(this.#fault(method, answer, fault));
    if (!("result" in reply)) return failed(this.#error("malformed", "neither result nor error"));
    return { ok: true, value: reply.result };
  }

  #twice(): RpcResult {
    return failed(this.#error("malformed", "two answers to one call"));
  }

  /** What is wrong with an answer as a whole, or with one call in it; a complaint about the rate slows it down. */
  #fault(
    method: string,
    { status, text, retryAfterMs }: PostAnswer,
    fault: Fault | null,
  ): RpcError {
    const isGood = status >= 200 && status < 300;
    if (fault === null && isGood) {
      const page = /^\s*</.test(text) ? "a page in place of JSON" : "no JSON-RPC answer";
      return this.#error(page.startsWith("a page") ? "unreachable" : "malformed", page);
    }
    const message = fault?.message ?? text.slice(0, 1_000);
    const code = fault?.code ?? null;
    const kind = kindOf({ method, status, code, message });
    if (kind === "rate_limited") this.#slower();
    const words = fault === null ? `HTTP ${status}` : this.#clean(fault.message);
    const codes = code === null ? "" : ` (${code})`;
    return this.#error(kind, `${words || `HTTP ${status}`}${codes}`, retryAfterMs);
  }

  #error(kind: RpcError["kind"], words: string, retryAfterMs: number | null = null): RpcError {
    return new RpcError(kind, `${this.name}: ${words}`, retryAfterMs);
  }

  async #turn(signal: AbortSignal): Promise<void> {
    if (this.#ratePerSecond < this.#fullRate) this.#maybeFaster();
    await this.#rate.take(signal);
    if (signal.aborted) throw this.#error("unreachable", "out of time");
  }

  #slower(): void {
    const now = performance.now();
    // Those that were under way together complain together, once.
    if (this.#rateChanged > 0 && now - this.#rateChanged < 1_000) return;
    const lowest = Math.min(LOWEST_RATE, this.#ratePerSecond);
    this.#setRate(Math.max(lowest, this.#ratePerSecond / 2));
  }

  #maybeFaster(): void {
    if (performance.now() - this.#rateChanged < RATE_REST_MS) return;
    this.#setRate(Math.min(this.#fullRate, this.#ratePerSecond * 2));
  }

  #setRate(perSecond: number): void {
    this.#ratePerSecond = perSecond;
    this.#rateChanged = performance.now();
    this.#rate.set(perSecond);
  }
}

interface Fault {
  readonly code: number | null;
  readonly message: string;
}

function failed(error: RpcError): RpcResult {
  return { ok: false, error };
}

function isReply(json: unknown): boolean {
  return isMap(json) && json.id !== null && json.id !== undefined;
}

/** The error of a reply; some proxies have a text in place of JSON-RPC's object. */
function errorIn(json: unknown): Fault | null {
  if (!isMap(json) || json.error === undefined || json.error === null) return null;
  const { error } = json;
  if (typeof error === "string") return { code: null, message: error };
  if (!isMap(error)) return { code: null, message: "" };
  const code = typeof error.code === "number" ? error.code : null;
  return { code, message: typeof error.message === "string" ? error.message : "" };
}

/** Which chain a node is of. Rejects with RpcError. */
export async function chainIdOf(node: RpcNode): Promise<number> {
  const id = quantity(await node.call("eth_chainId", []));
  if (id !== null) return id;
  throw new RpcError("malformed", `${node.name}: its chain id is not a number`);
}

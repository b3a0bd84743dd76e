import type { ServerResponse } from "node:http";
import type { EndpointName } from "../api/endpoints.ts";
import { isMap } from "../base/json.ts";

/** What the service does wrong on purpose, so that one can see how a client takes it. */
export type Fault = FaultTime &
  (
    | { readonly kind: "status"; readonly status: number; readonly retryAfter: number | null }
    /** No answer comes while it lasts; the connection stays open. */
    | { readonly kind: "hang" }
    /** The answer comes `ms` (real milliseconds) later. */
    | { readonly kind: "slow"; readonly ms: number }
    /** A list without entries, or an object without keys. */
    | { readonly kind: "empty" }
    /** A page for people in place of JSON, with status 200. */
    | { readonly kind: "html" }
    /** JSON that ends in its middle. */
    | { readonly kind: "truncated" }
    /** These ids are left out of the answer; in lower case. */
    | { readonly kind: "missing"; readonly ids: readonly string[] }
    /** These fields are null in every record. */
    | { readonly kind: "null"; readonly fields: readonly string[] }
    /** The answer is what it was `ms` (the world's milliseconds) before. */
    | { readonly kind: "lag"; readonly ms: number }
  );

interface FaultTime {
  /** Null: all of them. */
  readonly endpoint: EndpointName | null;
  /** From when and for how long, in the world's milliseconds; `at` counts from its start. */
  readonly at: number;
  readonly for: number;
}

/** The first fault of an endpoint at a time (the world's milliseconds since its start). */
export function faultAt(
  faults: readonly Fault[],
  endpoint: EndpointName,
  since: number,
): Fault | null {
  const found = faults.find(
    (fault) =>
      (fault.endpoint === null || fault.endpoint === endpoint) &&
      since >= fault.at &&
      since < fault.at + fault.for,
  );
  return found ?? null;
}

/** An answer's body as a fault makes it; the other kinds of faults leave it as it is. */
export function spoiled(body: unknown, fault: Fault): unknown {
  switch (fault.kind) {
    case "empty":
      return Array.isArray(body) ? [] : {};
    case "null":
      return mapRecords(body, (record) => withNulls(record, fault.fields));
    case "missing":
      return withoutIds(body, new Set(fault.ids));
    default:
      return body;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** An answer is a record, a list of such, or a record with a list of entries in it. */
function mapRecords(body: unknown, change: (record: Fields) => Fields): unknown {
  return isMap(body) ? change(withLists(body, change)) : mapEntries(body, change);
}

function mapEntries(list: unknown, change: (record: Fields) => Fields): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((one: unknown) => (isMap(one) ? change(one) : one));
}

function withLists(record: Fields, change: (entry: Fields) => Fields): Fields {
  return mapValues(record, (value) => mapEntries(value, change));
}

function withNulls(record: Fields, fields: readonly string[]): Fields {
  return mapValues(record, (value, name) => (fields.includes(name) ? null : value));
}

function mapValues(record: Fields, change: (value: unknown, name: string) => unknown): Fields {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, change(value, name)]),
  );
}

/** The fields by which an entry says whose it is. */
const IDS = ["pool_id", "nft_id", "token_address", "wallet_address", "pool_address"] as const;

function withoutIds(body: unknown, ids: ReadonlySet<string>): unknown {
  const isMissing = (one: unknown): boolean =>
    isMap(one) && IDS.some((name) => ids.has(textOf(one[name])));
  const kept = (value: unknown): unknown =>
    Array.isArray(value) ? value.filter((one: unknown) => !isMissing(one)) : value;
  if (isMissing(body)) return {};
  return isMap(body) ? mapValues(body, kept) : kept(body);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.toLowerCase() : "";
}

/** A good answer to a question, as it was so many of the world's milliseconds before. */
export type Answered = (lagMs: number) => Promise<unknown>;

/** Replies as a fault has it; what `answered` rejects with is the caller's to tell. */
export async function replyWith(
  fault: Fault,
  response: ServerResponse,
  answered: Answered,
): Promise<void> {
  switch (fault.kind) {
    case "status": {
      const { status, retryAfter } = fault;
      const headers = retryAfter === null ? {} : { "retry-after": String(retryAfter) };
      const body = { error: { code: "scripted", message: `a scripted HTTP ${status}` } };
      return sendText(response, status, JSON.stringify(body), headers);
    }
    case "hang":
      return;
    case "slow": {
      const text = JSON.stringify(await answered(0));
      const timer = setTimeout(() => sendText(response, 200, text), fault.ms);
      response.on("close", () => clearTimeout(timer));
      return;
    }
    case "html": {
      const page = "<!doctype html><title>Maintenance</title><p>We will be back soon.";
      return sendText(response, 200, page, { "content-type": "text/html; charset=utf-8" });
    }
    case "truncated": {
      const text = JSON.stringify(await answered(0));
      return sendText(response, 200, text.slice(0, Math.ceil(text.length / 2)));
    }
    case "lag":
      return sendText(response, 200, JSON.stringify(await answered(fault.ms)));
    default:
      return sendText(response, 200, JSON.stringify(spoiled(await answered(0), fault)));
  }
}

/** Sends a whole body; JSON unless the headers say otherwise. */
export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

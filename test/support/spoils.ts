import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { CONTRACT } from "./contract-journal.ts";
import { type Asked, type Spoil, sendJson } from "./spoiling-proxy.ts";

/** Makes of each good answer what a bad or odd service would send; by the contract, not by kinds. */

export type Json = Record<string, unknown>;

/** By which records, entries and lists say what they are about. */
export const NAMING: ReadonlySet<string> = new Set([
  "chain_id",
  "chainId",
  "token_address",
  "pool_id",
  "pool_address",
  "pool",
  "nft_id",
  "wallet_address",
  "protocol",
  "period",
]);

/** The field of the list in an object; null: the answer is a list itself, or a record. */
function listOf(endpoint: string): string | null {
  const { response } = CONTRACT.endpoints[endpoint] ?? { response: "" };
  const fields = typeof response === "string" ? CONTRACT.records[response] : undefined;
  const [name] = Object.entries(fields ?? {}).find(([, shape]) => Array.isArray(shape)) ?? [];
  return name ?? null;
}

/** The entries of an answer; null: it is one record. */
export function entriesOf(endpoint: string, body: unknown): readonly Json[] | null {
  if (Array.isArray(body)) return body as Json[];
  const list = listOf(endpoint);
  return list === null ? null : ((body as Json)[list] as Json[]);
}

/** The same answer with other entries. */
export function withEntries(endpoint: string, body: unknown, entries: readonly unknown[]): unknown {
  const list = listOf(endpoint);
  return Array.isArray(body) || list === null ? entries : { ...(body as Json), [list]: entries };
}

/** Changes the entries of lists; a single record is left as it is. */
export function spoilEntries(change: (entries: readonly Json[]) => readonly unknown[]): Spoil {
  return spoilBody((body, { endpoint }) => {
    const entries = entriesOf(endpoint, body);
    return entries === null ? body : withEntries(endpoint, body, change(entries));
  });
}

export function spoilBody(change: (body: unknown, asked: Asked) => unknown): Spoil {
  return (asked, response) =>
    sendJson(response, JSON.stringify(change(JSON.parse(asked.text), asked)));
}

export function spoilText(change: (text: string) => string): Spoil {
  return ({ text }, response) => sendJson(response, change(text));
}

export function status(code: number, headers: () => Record<string, string> = () => ({})): Spoil {
  return ({ request }, response) => {
    // A service that repeats what it was asked repeats the key.
    response.writeHead(code, { "content-type": "text/html", ...headers() });
    response.end(`<h1>Oops</h1>${request.url} ${JSON.stringify(request.headers)}`);
  };
}

/** Only those that `touches` says; the others are answered well. */
export function only(touches: (asked: Asked) => boolean, spoil: Spoil): Spoil {
  return (asked, response, elsewhere) => {
    if (touches(asked)) spoil(asked, response, elsewhere);
    else sendJson(response, asked.text);
  };
}

/** The first so many attempts of each request in a round. */
export function firstly(attempts: number, spoil: Spoil): Spoil {
  return only(({ attempt }) => attempt <= attempts, spoil);
}

/** The numbers of a shuffle that is the same in every run. */
export function shuffled<T>(list: readonly T[]): readonly T[] {
  let state = 42;
  return list
    .map((one) => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return [state, one] as const;
    })
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one);
}

/** The same entry of something else. */
export function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (name === "chain_id" || name === "chainId") return [name, 424_242];
      if (name === "nft_id") return [name, "999999999"];
      if (NAMING.has(name)) return [name, typeof inner === "string" ? turned(inner) : inner];
      return [name, renamed(inner)];
    }),
  );
}

function turned(text: string): string {
  return text.startsWith("0x") ? `0x${"ab".repeat((text.length - 2) / 2)}` : text;
}

/** Whether an entry says by itself what it is about. */
export function isNamed(entry: Json): boolean {
  return [...NAMING].some((name) => name in entry);
}

/** Entries of other things, and what are no entries at all, stand before the list. */
export function withForeign(entries: readonly Json[]): readonly unknown[] {
  const [first] = entries;
  // A holder that is somebody else is a holder; the token and the chain must be others.
  const foreign =
    first !== undefined &&
    Object.keys(first).some((name) => NAMING.has(name) && name !== "wallet_address");
  return [...(foreign ? [renamed(first)] : []), null, 7, "x", ["y"], ...entries];
}

export function upperCase(text: string): string {
  return text.replaceAll(/"0x([0-9a-fA-F]+)(?=[-"])/g, (_, digits: string) => {
    return `"0x${digits.toUpperCase()}`;
  });
}

/** Numbers become strings and strings of a number numbers, digit by digit. */
export function swappedTypes(text: string): string {
  const number = /:(?:"(-?(?:0|[1-9]\d*)(?:\.\d+)?)"|(-?\d[\d.eE+-]*))(?=[,}\]])/g;
  return text.replaceAll(number, (_, quoted?: string, bare?: string) =>
    quoted === undefined ? `:"${bare}"` : `:${quoted}`,
  );
}

/** Everything but names is null, or is not there. */
export function nulled(value: unknown, absent: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => nulled(one, absent));
  if (typeof value !== "object" || value === null) return null;
  const kept: Json = {};
  for (const [name, inner] of Object.entries(value)) {
    if (NAMING.has(name)) kept[name] = inner;
    else if (Array.isArray(inner)) kept[name] = nulled(inner, absent);
    else if (!absent) kept[name] = null;
  }
  return kept;
}

export const reset: Spoil = (_, response) => void response.socket?.resetAndDestroy();

export const resetInBody: Spoil = ({ text }, response) => {
  response.writeHead(200, { "content-length": Buffer.byteLength(text) });
  response.write(text.slice(0, 1), () => response.socket?.resetAndDestroy());
};

export const closing: Spoil = ({ text }, response) => {
  response.setHeader("connection", "close");
  sendJson(response, text);
};

export const elsewhere: Spoil = ({ request }, response, place) => {
  response.writeHead(302, { location: `${place}${request.url}` });
  response.end();
};

export const gzipped: Spoil = ({ text }, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
  response.end(gzipSync(text));
};

let bomb: Buffer | null = null;
export const gzipBomb: Spoil = (_, response) => {
  bomb ??= gzipSync(Buffer.alloc(50_000_000, 32), { level: 1 });
  response.writeHead(200, { "content-encoding": "gzip" });
  response.end(bomb);
};

const MEGABYTE = Buffer.alloc(1_000_000, 32);
/** A few are really sent so many bytes; the others say that they would be. */
export const huge: Spoil = ({ endpoint, attempt }, response) => {
  if (endpoint !== "v3_pool" || attempt > 1) {
    response.writeHead(200, { "content-length": "50000000" });
    response.write("[");
    return;
  }
  let left = 50;
  const send = (): void => {
    left -= 1;
    if (left >= 0 && !response.destroyed) response.write(MEGABYTE, send);
  };
  send();
};

export const dripping: Spoil = ({ text }, response) => {
  response.writeHead(200, { "content-length": Buffer.byteLength(text) + 100_000 });
  response.write(" ");
  const drip = setInterval(() => response.write(" "), 20);
  response.on("close", () => clearInterval(drip));
};

export const hanging: Spoil = () => {};

export function late(ms: number): Spoil {
  return ({ text }, response) => {
    const timer = setTimeout(() => sendJson(response, text), ms);
    response.on("close", () => clearTimeout(timer));
  };
}

export function answerWith(text: string, type = "application/json"): Spoil {
  return (_, response: ServerResponse) => {
    response.writeHead(200, { "content-type": type });
    response.end(text);
  };
}

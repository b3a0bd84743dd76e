import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { WebConfig } from "../model/index.ts";

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::\d{1,5})?$/i;

/**
 * Whether the Host header names this machine: a page in a browser here, whose own name someone has made to
 * resolve to 127.0.0.1, sends that name.
 */
export function createHostCheck({
  host,
  hosts,
}: Pick<WebConfig, "host" | "hosts">): (request: IncomingMessage) => boolean {
  const names = new Set(["localhost", "127.0.0.1", "[::1]", bracketed(host), ...hosts]);
  return ({ headers, socket }) => {
    const name = HOST.exec(headers.host ?? "")?.[1]?.toLowerCase();
    if (name === undefined) return false;
    if (names.has(name) || name.endsWith(".localhost")) return true;
    // Behind a wildcard the address that was called is one that is listened on; no page's name is.
    const own = socket.localAddress?.replace(/^::ffff:(?=\d+\.)/, "");
    return own !== undefined && name === bracketed(own);
  };
}

function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

/** What a bearer sends; null: there is no such header, `""`: one that is not of that form. */
export function bearerOf({ headers }: IncomingMessage): string | null {
  const { authorization } = headers;
  if (authorization === undefined) return null;
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
}

/** Compares secrets in a time that says nothing of where they differ. */
export function areSame(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

/** Of one length, whatever was sent. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { WebConfig } from "../../model/index.ts";

/** Why a request is not answered; null: it is. */
export type Refusal = "host" | "token" | null;

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::\d{1,5})?$/i;

/**
 * Who may ask. The Host header must name this machine: a page in a browser here, whose own name
 * someone has made to resolve to 127.0.0.1, sends that name. Where there is a token, it must be sent.
 */
export function createGuard({
  host,
  hosts,
  token,
}: WebConfig): (request: IncomingMessage) => Refusal {
  const names = new Set(["localhost", "127.0.0.1", "[::1]", bracketed(host), ...hosts]);
  const expected = token === null ? null : digest(token.reveal());

  const isKnown = (name: string, { localAddress }: IncomingMessage["socket"]): boolean => {
    if (names.has(name) || name.endsWith(".localhost")) return true;
    // Behind a wildcard the address that was called is one that is listened on; no page's name is.
    const own = localAddress?.replace(/^::ffff:(?=\d+\.)/, "");
    return own !== undefined && name === bracketed(own);
  };

  return (request) => {
    const name = HOST.exec(request.headers.host ?? "")?.[1]?.toLowerCase();
    if (name === undefined || !isKnown(name, request.socket)) return "host";
    if (expected === null) return null;
    const sent = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
    return timingSafeEqual(digest(sent), expected) ? null : "token";
  };
}

function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

/** Of one length, whatever was sent. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

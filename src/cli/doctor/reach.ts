import { lookup } from "node:dns/promises";
import { get as getHttp } from "node:http";
import { get as getHttps } from "node:https";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { DAY, SECOND } from "../../base/duration.ts";
import { errorCode } from "../../base/error-code.ts";
import { reasonOf } from "./finding.ts";

/** Nobody waits longer for a server that does not answer. */
const PATIENCE_MS = 5 * SECOND;
/** A certificate is renewed long before. */
const SHORT_MS = 7 * DAY;

/** What came of reaching a server, without sending it anything. */
export type Reached =
  | { readonly ok: true; readonly says: string; readonly doubtful: boolean }
  | { readonly ok: false; readonly says: string };

/** Looks up the name of a URL's host, connects, and for `https` and `smtps` looks at the certificate. */
export async function reach(url: URL): Promise<Reached> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const secure = url.protocol === "https:" || url.protocol === "smtps:";
  const port = Number(url.port) || PORTS[url.protocol] || 443;
  try {
    if (isIP(host) === 0) await withPatience(lookup(host), "looking up its name took too long");
  } catch (error) {
    return {
      ok: false,
      says: `its name cannot be looked up (${codeOf(error)}): check the address and DNS`,
    };
  }
  return secure ? await reachTls(host, port) : await reachTcp(host, port);
}

const PORTS: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
  "smtp:": 587,
  "smtps:": 465,
};

async function reachTcp(host: string, port: number): Promise<Reached> {
  const socket = connectTcp({ host, port });
  try {
    await opened(socket, "connect");
    return { ok: true, says: `port ${port} answers, without TLS`, doubtful: false };
  } catch (error) {
    return { ok: false, says: `port ${port} does not answer (${codeOf(error)})` };
  } finally {
    socket.destroy();
  }
}

async function reachTls(host: string, port: number): Promise<Reached> {
  const socket = connectTls({ host, port, servername: isIP(host) === 0 ? host : undefined });
  try {
    await opened(socket, "secureConnect");
    const until = Date.parse(socket.getPeerCertificate().valid_to);
    // The certificate's time is the machine's to compare with, whatever a test's clock says.
    const leftMs = until - performance.timeOrigin - performance.now();
    const days = Math.floor(leftMs / DAY);
    return {
      ok: true,
      says: `port ${port} answers with ${socket.getProtocol() ?? "TLS"}, certificate valid for ${days} days`,
      doubtful: leftMs < SHORT_MS,
    };
  } catch (error) {
    return { ok: false, says: `port ${port}: no TLS connection (${codeOf(error)})` };
  } finally {
    socket.destroy();
  }
}

function opened(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  return withPatience(
    new Promise<void>((resolve, reject) => {
      socket.once(event, resolve).once("error", reject);
    }),
    "timed out",
  );
}

async function withPatience<T>(work: Promise<T>, words: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(words)), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** `ECONNREFUSED`, or what else is known: never an address. */
function codeOf(error: unknown): string {
  return errorCode(error) ?? reasonOf(error);
}

/** By the header Date of any answer, how far a server's clock is ahead of `now()`, in ms; null: it does not say. */
export async function clockAhead(url: URL, now: () => number): Promise<number | null> {
  const get = url.protocol === "https:" ? getHttps : getHttp;
  const asked = now();
  const date = await withPatience(
    new Promise<string | undefined>((resolve, reject) => {
      get(url, { timeout: PATIENCE_MS, agent: false }, (response) => {
        response.destroy();
        resolve(response.headers.date);
      }).once("error", reject);
    }),
    "timed out",
  ).catch(() => undefined);
  const at = Date.parse(date ?? "");
  // It counts whole seconds, and was written somewhere between the question and the answer.
  return Number.isNaN(at) ? null : at + 500 - (asked + now()) / 2;
}

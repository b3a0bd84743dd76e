import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { SECOND } from "../../base/duration.ts";
import type { WebEnv } from "../viewer.ts";
import { type Api, ProblemError } from "./api.ts";

/** Beside those that ask for pages; what is left of the connections is for them. */
const MOST_LISTENERS = 128;
/** Something is said so often, so that a connection that is gone is seen on both ends. */
const PING_MS = 10 * SECOND;
/** Who has not read so much is too slow, and gets the newest when it comes back. */
const MOST_UNREAD = 256 * 1_024;
/** So long a browser waits before it comes back. */
const RETRY_MS = 3 * SECOND;

/** What changes, as server-sent events; a stream ends when its client goes or cannot follow. */
export function eventStreams(api: Pick<Api, "listen">): (c: Context<WebEnv>) => Response {
  let listeners = 0;
  return (c) => {
    if (listeners >= MOST_LISTENERS) {
      // The connection is for somebody else.
      c.env.outgoing.setHeader("connection", "close");
      const detail = `${MOST_LISTENERS} pages listen already; close one, or ask for /api/v1/overview instead`;
      throw new ProblemError(503, "Too many listeners", detail);
    }
    const { outgoing } = c.env;
    if (c.req.method === "HEAD") return c.body(null, 200, { "content-type": "text/event-stream" });
    outgoing.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "x-accel-buffering": "no",
    });
    listeners += 1;
    const write = (text: string): void => {
      if (outgoing.writableLength > MOST_UNREAD) outgoing.destroy();
      else outgoing.write(text);
    };
    write(`retry: ${RETRY_MS}\n\n`);
    const ping = setInterval(() => write(": ping\n\n"), PING_MS);
    const end = api.listen((event) => {
      write(`id: ${event.version}\nevent: live\ndata: ${JSON.stringify(event)}\n\n`);
    });
    outgoing.once("close", () => {
      listeners -= 1;
      clearInterval(ping);
      end();
    });
    return RESPONSE_ALREADY_SENT;
  };
}

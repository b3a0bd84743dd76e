import type { ServerResponse } from "node:http";
import { type Fault, spoiled } from "./faults.ts";

/** A good answer to a question, as it was so many of the world's milliseconds before. */
export type Answered = (lagMs: number) => unknown;

/** Replies as a fault has it; what `answered` throws is the caller's to tell. */
export function replyWith(fault: Fault, response: ServerResponse, answered: Answered): void {
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
      const text = JSON.stringify(answered(0));
      const timer = setTimeout(() => sendText(response, 200, text), fault.ms);
      response.on("close", () => clearTimeout(timer));
      return;
    }
    case "html": {
      const page = "<!doctype html><title>Maintenance</title><p>We will be back soon.";
      return sendText(response, 200, page, { "content-type": "text/html; charset=utf-8" });
    }
    case "truncated": {
      const text = JSON.stringify(answered(0));
      return sendText(response, 200, text.slice(0, Math.ceil(text.length / 2)));
    }
    case "lag":
      return sendText(response, 200, JSON.stringify(answered(fault.ms)));
    default:
      return sendText(response, 200, JSON.stringify(spoiled(answered(0), fault)));
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

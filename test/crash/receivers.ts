import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { createMailbox } from "./mailbox.ts";

/** One time that a receiver got a message whole. */
export interface Arrival {
  readonly channel: string;
  /** The message's id as its receiver sees it; Slack has only the content. */
  readonly id: string;
  readonly body: string;
  /** The receiver said that it has it; otherwise it refused, or went away before it answered. */
  readonly said: boolean;
  /** It has it, whatever it said. */
  readonly has: boolean;
}

/** What becomes of a message when it comes for the first time; later it is always taken. */
type Fate = "taken" | "failed" | "limited" | "dropped";

/** In the order in which new messages come to a channel, and then from the beginning again. */
const FATES: Readonly<Record<string, readonly Fate[]>> = {
  hook: ["taken", "failed", "dropped", "limited", "taken"],
  slack: ["failed", "taken", "limited", "taken", "dropped"],
  mail: ["taken", "dropped", "failed"],
};

export interface Receivers {
  readonly hook: string;
  readonly slack: string;
  readonly mailPort: number;
  /** What came so far, oldest first. */
  readonly arrivals: readonly Arrival[];
  /** Called when a message has come and nobody has answered yet. */
  onArrival: (channel: string) => void;
  close(): Promise<void>;
}

/** Real servers on loopback for the three channels; each keeps what comes and fails by its script. */
export async function startReceivers(): Promise<Receivers> {
  const arrivals: Arrival[] = [];
  const fates = new Map<string, Fate>();
  const note = (channel: string, id: string, body: string): Fate => {
    const key = `${channel} ${id}`;
    const script = FATES[channel] ?? [];
    const known = [...fates.keys()].filter((one) => one.startsWith(`${channel} `)).length;
    const fate = fates.has(key) ? "taken" : (script[known % script.length] ?? "taken");
    fates.set(key, fate);
    const has = fate === "taken" || fate === "dropped";
    arrivals.push({ channel, id, body, said: fate === "taken", has });
    receivers.onArrival(channel);
    return fate;
  };
  const web = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const key = request.headers["idempotency-key"];
      if (request.url === "/hook") answer(response, note("hook", String(key), body));
      else answer(response, note("slack", blocksOf(body), body));
    });
  });
  const mail = startMail((id, body) => note("mail", id, body));
  await new Promise<void>((resolve) => {
    web.listen(0, "127.0.0.1", resolve);
  });
  await new Promise<void>((resolve) => {
    mail.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const receivers: Receivers = {
    hook: origin,
    slack: origin,
    mailPort: (mail.address() as AddressInfo).port,
    arrivals,
    onArrival: () => {},
    async close() {
      await new Promise<void>((resolve) => {
        web.close(() => resolve());
        web.closeAllConnections();
      });
      await new Promise<void>((resolve) => {
        mail.close(() => resolve());
      });
    },
  };
  return receivers;
}

/** What makes a Slack message this one and no other. */
export function blocksOf(body: string): string {
  return JSON.stringify((JSON.parse(body) as { blocks: unknown }).blocks);
}

function answer(response: ServerResponse, fate: Fate): void {
  if (fate === "dropped") response.destroy();
  else if (fate === "failed") response.writeHead(500).end();
  else if (fate === "limited") response.writeHead(429, { "retry-after": "1" }).end();
  else response.end("ok");
}

function startMail(note: (id: string, body: string) => Fate): Server {
  return createMailbox((body) => {
    const id = /^message-id: <([^@>]*)@/im.exec(body)?.[1] ?? "none";
    const fate = note(id, body);
    if (fate === "dropped") return null;
    return fate === "taken" ? "250 Taken" : "451 Not now";
  });
}

import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  /** Such as `http://127.0.0.1:4321`. */
  readonly origin: string;
  /** What came so far, oldest first. */
  readonly received: readonly Received[];
  /** Resolves with the next request once its body is there. */
  next(): Promise<Received>;
  /** Resolves with the first one, past or to come, that fits. */
  first(fits: (one: Received) => boolean): Promise<Received>;
  /** How requests are answered from now on. */
  answer(how: (response: ServerResponse) => void): void;
  close(): Promise<void>;
}

/** A real HTTP server on loopback that notes what it is sent and answers as it is told. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const waiting: ((one: Received) => void)[] = [];
  const looking = new Set<(one: Received) => void>();
  let how = (response: ServerResponse): void => {
    response.end("ok");
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const one = { path: request.url ?? "", headers: request.headers, body };
      received.push(one);
      waiting.shift()?.(one);
      for (const look of looking) look(one);
      how(response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    received,
    next: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
      }),
    first: (fits) =>
      new Promise((resolve) => {
        const known = received.find(fits);
        if (known !== undefined) resolve(known);
        const look = (one: Received): void => {
          if (!fits(one)) return;
          looking.delete(look);
          resolve(one);
        };
        looking.add(look);
      }),
    answer(next) {
      how = next;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

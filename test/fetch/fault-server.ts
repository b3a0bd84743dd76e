import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  /** Counts from 1. */
  attempt: number,
) => void;

export interface FaultServer {
  readonly url: string;
  /** What was asked: path with query, and headers. */
  readonly requests: { readonly path: string; readonly headers: IncomingMessage["headers"] }[];
  /** The most requests that were open at one time. */
  readonly mostOpen: () => number;
  /** How many connections were made. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** A real HTTP server on loopback that answers as the test says. */
export async function faultServer(handler: Handler): Promise<FaultServer> {
  const requests: FaultServer["requests"] = [];
  const sockets = new Set<Socket>();
  let open = 0;
  let mostOpen = 0;
  let connections = 0;
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? "", headers: request.headers });
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    response.on("close", () => {
      open -= 1;
    });
    handler(request, response, requests.length);
  });
  server.on("connection", (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // A client that gives up resets the connection, which is what these tests are about.
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    mostOpen: () => mostOpen,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

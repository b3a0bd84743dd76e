import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A webhook receiver of this process. */
export interface Receiver {
  readonly url: string;
  /** What arrived, and when, in ms since 1970. */
  readonly posts: readonly { readonly at: number; readonly body: string }[];
  stop(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const posts: { at: number; body: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => {
      posts.push({ at: Date.now(), body: Buffer.concat(chunks).toString() });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

type Script = (calls: readonly Asked[], response: ServerResponse, isBatch: boolean) => void;

/** A JSON-RPC server on loopback that answers as a script has it. */
export class ScriptedNode {
  readonly url: string;
  /** The calls of each HTTP request. */
  readonly requests: (readonly Asked[])[] = [];
  readonly close: () => Promise<void>;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.close = close;
  }

  static async start(script: Script, path = "/"): Promise<ScriptedNode> {
    const server = createServer((request, response) => {
      void bodyOf(request).then((text) => {
        const json = JSON.parse(text) as Asked | readonly Asked[];
        const calls = Array.isArray(json) ? (json as readonly Asked[]) : [json as Asked];
        node.requests.push(calls);
        script(calls, response, Array.isArray(json));
      });
    });
    // On a busy machine a connection that idles may be closed just as it is used again.
    server.keepAliveTimeout = 0;
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const node = new ScriptedNode(`http://127.0.0.1:${port}${path}`, async () => {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    });
    return node;
  }
}

/** Each call is answered by what `result` gives; an Error is its error. */
export function answering(result: (call: Asked) => unknown): Script {
  return (calls, response, isBatch) => {
    const replies = calls.map((call) => {
      const value = result(call);
      const base = { jsonrpc: "2.0", id: call.id };
      return value instanceof RpcFailure
        ? { ...base, error: { code: value.code, message: value.message } }
        : { ...base, result: value };
    });
    send(response, 200, isBatch ? replies : replies[0]);
  };
}

export class RpcFailure extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, headers);
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

import { createServer, request as forward } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export interface ForwardProxy {
  readonly url: string;
  /** What it was asked for: `GET http://…` or `CONNECT host:port`. */
  readonly asked: string[];
  /** The headers of each. */
  readonly headers: NodeJS.Dict<string | string[]>[];
  close(): Promise<void>;
}

/**
 * A real HTTP proxy on loopback that knows every host: it forwards what is asked over HTTP to the port
 * `http`, connects tunnels to the port `https`, and refuses both with `refusal` if there is one.
 */
export async function forwardProxy(
  http: number,
  https: number,
  refusal: number | null = null,
): Promise<ForwardProxy> {
  const asked: string[] = [];
  const headers: ForwardProxy["headers"] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    headers.push(request.headers);
    if (refusal !== null) {
      response.writeHead(refusal).end();
      return;
    }
    const { pathname, search } = new URL(request.url ?? "/");
    const { method, headers: given } = request;
    const onward = forward(
      { host: "127.0.0.1", port: http, path: pathname + search, method, headers: given },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(onward);
  });
  server.on("connect", (request, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    headers.push(request.headers);
    if (refusal !== null) {
      socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
      return;
    }
    const onward = connect(https, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.pipe(socket);
      socket.pipe(onward);
    });
    sockets.add(onward);
    for (const one of [onward, socket]) one.on("error", () => {});
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    headers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

import { errorCode } from "../base/error-code.ts";
import { isLoopback } from "../base/network.ts";
import { cleanText } from "../base/text.ts";
import { DEMO_KEY, type Service, type ServiceOptions, startService } from "../serve/server.ts";
import { EXIT, type Io, untilStopped } from "./io.ts";

/** Where a service listens, and for how long (real milliseconds). */
export interface ServeAt {
  readonly port: number;
  readonly host: string;
  readonly for?: number;
}

/** Serves a world until it is to end, and says first where. The exit code. */
export async function serveWorld(
  options: ServeAt & ServiceOptions,
  io: Io,
  introduce: (url: string) => string,
): Promise<number> {
  const { host, port } = options;
  let service: Service;
  try {
    service = await startService(options);
  } catch (error) {
    io.err(`tickwatch: ${whyNot(error, host, port)}\n`);
    return EXIT.unreachable;
  }
  const { hostname, port: taken } = new URL(service.baseUrl);
  if (!isLoopback(hostname) && options.apiKey === DEMO_KEY) {
    io.err(
      `warning: whoever reaches ${hostname} on this machine can use the service; its key is no secret.\n`,
    );
  }
  // Whoever reads that Ctrl-C ends it may press it at once.
  const stop = io.stop();
  io.out(introduce(reachable(hostname, taken)));
  await untilStopped(AbortSignal.any([stop, io.unread]), options.for);
  await service.close();
  io.out(`\n${service.requests()} requests.\n`);
  return EXIT.fine;
}

/** An address that stands for all of the machine's is reached by its loopback address. */
function reachable(hostname: string, port: string): string {
  const host = { "0.0.0.0": "127.0.0.1", "[::]": "[::1]" }[hostname] ?? hostname;
  return `http://${host}:${port}`;
}

/** What to do about a port or an address that cannot be had. */
function whyNot(error: unknown, host: string, port: number): string {
  const where = `${cleanText(host, 60)} port ${port}`;
  switch (errorCode(error)) {
    case "EADDRINUSE":
      return `${where} is taken by another program; choose another --port, or 0 for a free one`;
    case "EACCES":
      return `${where} needs rights that this program does not have; choose a --port above 1023`;
    default:
      return `cannot listen on ${where}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

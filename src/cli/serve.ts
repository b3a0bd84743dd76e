import { acceleratedClock, systemClock } from "../base/clock.ts";
import { isLoopback } from "../base/network.ts";
import { cleanText } from "../base/text.ts";
import { DEMO_KEY, type Service, startService } from "../serve/server.ts";
import { ETH_USDC } from "../simulator/listed-pools.ts";
import { STABLECOIN } from "../simulator/listed-tokens.ts";
import { createMarket } from "../simulator/market.ts";
import { EXIT, type Io, untilStopped } from "./io.ts";
import { NO_SCENARIO, readScenario, type Scenario } from "./scenario.ts";

export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly seed: number;
  readonly speed: number;
  readonly for?: number;
  readonly scenario?: string;
}

/** `tickwatch serve`: the exit code, once it is to end. Throws ConfigError for a wrong scenario. */
export async function serve(options: ServeOptions, io: Io): Promise<number> {
  const { port, host, seed, speed } = options;
  const start = systemClock().now();
  const { script, faults } = await scenarioOf(options);
  const market = createMarket({ seed, start, script });
  const clock = acceleratedClock(start, speed);
  let service: Service;
  try {
    service = await startService({ world: market, clock, apiKey: DEMO_KEY, faults, host, port });
  } catch (error) {
    io.err(`tickwatch: ${whyNot(error, host, port)}\n`);
    return EXIT.unreachable;
  }
  const { hostname, port: taken } = new URL(service.baseUrl);
  if (!isLoopback(hostname)) {
    io.err(
      `warning: whoever reaches ${hostname} on this machine can use the service; its key is no secret.\n`,
    );
  }
  // Whoever reads that Ctrl-C ends it may press it at once.
  const stop = io.stop();
  io.out(introduction(reachable(hostname, taken), speed));
  await untilStopped(AbortSignal.any([stop, io.unread]), options.for);
  await service.close();
  io.out(`\n${service.requests()} requests.\n`);
  return EXIT.fine;
}

/** Throws ConfigError. */
async function scenarioOf({ scenario }: ServeOptions): Promise<Scenario> {
  return scenario === undefined ? NO_SCENARIO : await readScenario(scenario);
}

function introduction(url: string, speed: number): string {
  return [
    `The simulated service runs ${speed === 1 ? "in real time" : `${speed} times as fast as real time`}. Ctrl-C stops it.`,
    "",
    `base_url: ${url}`,
    `legacy_base_url: ${url}`,
    `api_key: ${DEMO_KEY}`,
    "",
    "A question of each family:",
    `curl -H 'x-api-key: ${DEMO_KEY}' '${url}/v1/dexv4/pool?chain_id=1&pool_ids=${ETH_USDC}'`,
    `curl '${url}/api/tokens/price?chainid=1&address=${STABLECOIN}&apikey=${DEMO_KEY}'`,
    "",
    "",
  ].join("\n");
}

/** An address that stands for all of the machine's is reached by its loopback address. */
function reachable(hostname: string, port: string): string {
  const host = { "0.0.0.0": "127.0.0.1", "[::]": "[::1]" }[hostname] ?? hostname;
  return `http://${host}:${port}`;
}

/** What to do about a port or an address that cannot be had. */
function whyNot(error: unknown, host: string, port: number): string {
  const where = `${cleanText(host, 60)} port ${port}`;
  const code = error instanceof Error && "code" in error ? error.code : null;
  switch (code) {
    case "EADDRINUSE":
      return `${where} is taken by another program; choose another --port, or 0 for a free one`;
    case "EACCES":
      return `${where} needs rights that this program does not have; choose a --port above 1023`;
    default:
      return `cannot listen on ${where}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

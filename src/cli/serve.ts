import { acceleratedClock, systemClock } from "../base/clock.ts";
import { DEMO_KEY } from "../serve/server.ts";
import { ETH_USDC } from "../simulator/listed-pools.ts";
import { STABLECOIN } from "../simulator/listed-tokens.ts";
import { createMarket } from "../simulator/market.ts";
import { DEMO_SEED } from "../simulator/units.ts";
import type { Io } from "./io.ts";
import { NO_SCENARIO, readScenario, type Scenario } from "./scenario.ts";
import { type ServeAt, serveWorld } from "./serve-world.ts";

export interface ServeOptions extends ServeAt {
  readonly seed?: number;
  readonly speed: number;
  readonly scenario?: string;
  /** Where the nodes stand that it answers from, in place of the simulated market. */
  readonly rpc?: string;
}

/** `tickwatch serve`: the exit code, once it is to end. Throws ConfigError for a wrong scenario. */
export async function serve(options: ServeOptions, io: Io): Promise<number> {
  const { rpc, seed = DEMO_SEED, speed } = options;
  if (rpc !== undefined) {
    return await (await import("./serve-nodes.ts")).serveNodes({ ...options, rpc }, io);
  }
  const start = systemClock().now();
  const { script, faults } = await scenarioOf(options);
  const market = createMarket({ seed, start, script });
  const clock = acceleratedClock(start, speed);
  const served = { ...options, world: market, clock, apiKey: DEMO_KEY, faults };
  return await serveWorld(served, io, (url) => introduction(url, speed));
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

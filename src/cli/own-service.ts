import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { chainName } from "../base/chains.ts";
import { systemClock } from "../base/clock.ts";
import { SECOND } from "../base/duration.ts";
import { Secret } from "../base/secret.ts";
import { progressLine } from "../chain/index/remaining.ts";
import type { ChainReporter } from "../chain/rpc/nodes.ts";
import type { ChainWorld } from "../chain/world.ts";
import type { RpcSettings, Setup } from "../model/index.ts";
import type { Service } from "../serve/server.ts";

/** A schedule under this is meant to see each block: the newest is read, and not one behind it. */
const FAST_SCHEDULE_MS = 5 * SECOND;

/** Whether the newest block is read, which a reorg may take back. */
export function readsNewest({ rules }: Pick<Setup, "rules">): boolean {
  return rules.some(({ schedule: { everyMs } }) => everyMs !== null && everyMs < FAST_SCHEDULE_MS);
}

/** What is served now. */
interface Served {
  readonly nodes: RpcSettings;
  readonly newest: boolean;
  readonly world: ChainWorld;
}

/**
 * The service that a daemon is to itself where its configuration has nodes in place of an address: on a free
 * port of the loopback address and with a key of its own. Nothing of it is loaded where it is not needed.
 */
export class OwnService {
  readonly #report: ChainReporter;
  readonly #key = `twk_own_${randomBytes(16).toString("hex")}`;
  #served: Served | null = null;
  #service: Service | null = null;

  constructor(report: ChainReporter) {
    this.#report = report;
  }

  /**
   * A setup whose service can be asked over HTTP; without nodes it is as it was. A configuration that is read
   * anew finds it at the same address, and what was read stays as long as it names the same nodes.
   */
  async serve(setup: Setup): Promise<Setup> {
    const { rpc } = setup.service;
    if (rpc === null || rpc === undefined) return setup;
    const newest = readsNewest(setup);
    const { nodes } = this.#served ?? {};
    const isSame = nodes !== undefined && isDeepStrictEqual(shape(nodes), shape(rpc));
    if (!isSame || this.#served?.newest !== newest) await this.#follow(rpc, newest);
    const baseUrl = await this.#listen();
    const address = { baseUrl, legacyBaseUrl: baseUrl, apiKey: new Secret(this.#key) };
    return { ...setup, service: { ...setup.service, ...address } };
  }

  /** What the nodes can do, a line each; none where there are none. */
  async nodeLines(): Promise<readonly string[]> {
    const chains = [...(this.#served?.world.chains.values() ?? [])];
    return (await Promise.all(chains.map((chain) => chain.nodeLines()))).flat();
  }

  /** What of the past is still being read, a line each. */
  progress(): readonly string[] {
    return this.#served?.world.progress().map(progressLine) ?? [];
  }

  async close(): Promise<void> {
    await this.#service?.close();
    await this.#served?.world.close();
  }

  async #follow(nodes: RpcSettings, newest: boolean): Promise<void> {
    const { createChainWorld } = await import("../chain/world.ts");
    // Two indexes in one database would be in each other's way.
    await this.#served?.world.close();
    const clock = systemClock();
    // Blocks and logs are followed from the first question on that needs them: others cost no calls.
    const world = createChainWorld({ settings: nodes, clock, report: this.#report, newest });
    this.#served = { nodes, newest, world };
  }

  async #listen(): Promise<string> {
    const { startService } = await import("../serve/server.ts");
    const worldNow = (): ChainWorld => {
      if (this.#served === null) throw new Error("nothing is served");
      return this.#served.world;
    };
    this.#service ??= await startService({
      get world() {
        return worldNow();
      },
      clock: systemClock(),
      apiKey: this.#key,
    });
    return this.#service.baseUrl;
  }
}

/** Settings as what they hold, so that two can be compared; it must never be shown. */
function shape({ data, chains }: RpcSettings): unknown {
  const revealed = [...chains].map(([chainId, { urls, ...chain }]) => [
    chainId,
    urls.map((url) => url.reveal()),
    chain,
  ]);
  return [data, revealed];
}

/** One line of what is reported of nodes: `Ethereum: a node does not answer: node 1, unreachable`. */
export function reportLine(
  message: string,
  { chain, ...fields }: Readonly<Record<string, string | number>>,
): string {
  const where = typeof chain === "number" ? `${chainName(chain)}: ` : "";
  const details = Object.values(fields).join(", ");
  return `${where}${message}${details === "" ? "" : `: ${details}`}`;
}

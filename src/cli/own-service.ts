import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { chainName } from "../base/chains.ts";
import { systemClock } from "../base/clock.ts";
import { SECOND } from "../base/duration.ts";
import type { Schedule } from "../base/schedule.ts";
import { Secret } from "../base/text.ts";
import { progressLine } from "../chain/index/progress-table.ts";
import type { ChainNeeds } from "../chain/needs.ts";
import type { ChainReporter } from "../chain/rpc/nodes.ts";
import type { ChainWorld } from "../chain/world.ts";
import { chainsOf, type RpcSettings, type Setup } from "../model/index.ts";
import type { Service } from "../serve/server.ts";

/** A schedule under this is meant to see each block: the newest is read, and not one behind it. */
const FAST_SCHEDULE_MS = 5 * SECOND;

/** Which blocks of which chains rules want to see. */
export interface Heads {
  /** Of these the newest block is read, which a reorg may take back. */
  readonly newest: ReadonlySet<number>;
  /** Of these each block: their heads are looked at all the time. */
  readonly watched: ReadonlySet<number>;
}

/** What the schedules of rules want to see of their chains. */
export function headsOf({ rules }: Pick<Setup, "rules">): Heads {
  const chains = (wanted: (schedule: Schedule) => boolean): ReadonlySet<number> =>
    new Set(
      rules.filter(({ schedule }) => wanted(schedule)).flatMap((rule) => [...chainsOf(rule)]),
    );
  const isFast = ({ everyMs }: Schedule): boolean => everyMs !== null && everyMs < FAST_SCHEDULE_MS;
  return {
    newest: chains((schedule) => schedule.eachBlock || isFast(schedule)),
    watched: chains(({ eachBlock }) => eachBlock),
  };
}

/** What is served now. */
interface Served {
  readonly nodes: RpcSettings;
  readonly heads: Heads;
  readonly world: ChainWorld;
}

/**
 * The service that a daemon is to itself where its configuration has nodes in place of an address: on a free
 * port of the loopback address and with a key of its own. Nothing of it is loaded where it is not needed.
 */
export class OwnService {
  readonly #report: ChainReporter;
  readonly #onBlock: ((chainId: number) => void) | null;
  readonly #key = `twk_own_${randomBytes(16).toString("hex")}`;
  #served: Served | null = null;
  #service: Service | null = null;
  #part = 1;

  /** `onBlock`: told of each new block that rules want to see; without it nobody looks at heads all the time. */
  constructor(report: ChainReporter, onBlock: ((chainId: number) => void) | null = null) {
    this.#report = report;
    this.#onBlock = onBlock;
  }

  /**
   * A setup whose service can be asked over HTTP; without nodes it is as it was. A configuration that is read
   * anew finds it at the same address, and what was read stays as long as it names the same nodes.
   */
  async serve(setup: Setup): Promise<Setup> {
    const { rpc } = setup.service;
    if (rpc === null || rpc === undefined) return setup;
    const heads = headsOf(setup);
    const served = this.#served;
    const isSame = served !== null && isDeepStrictEqual(shape(served.nodes), shape(rpc));
    if (!isSame || !isDeepStrictEqual(served.heads, heads)) await this.#follow(rpc, heads);
    const baseUrl = await this.#listen();
    const address = { baseUrl, legacyBaseUrl: baseUrl, apiKey: new Secret(this.#key) };
    return { ...setup, service: { ...setup.service, ...address } };
  }

  /** See ChainWorld.pace: it holds for all nodes, also for those that another configuration names. */
  pace(part: number): void {
    this.#part = part;
    this.#served?.world.pace(part);
  }

  /** See ChainWorld.keep. */
  need(needs: ChainNeeds): void {
    this.#served?.world.keep(needs);
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

  async #follow(nodes: RpcSettings, heads: Heads): Promise<void> {
    const { createChainWorld } = await import("../chain/world.ts");
    // Two indexes in one database would be in each other's way.
    await this.#served?.world.close();
    const clock = systemClock();
    // Blocks and logs are followed from the first question on that needs them: others cost no calls.
    const onBlock = this.#onBlock;
    const world = createChainWorld({
      settings: nodes,
      clock,
      report: this.#report,
      newest: heads.newest,
      ...(onBlock === null ? {} : { watched: { chains: heads.watched, onBlock } }),
    });
    world.pace(this.#part);
    this.#served = { nodes, heads, world };
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

import type { Clock } from "../../../src/base/clock.ts";
import { Secret } from "../../../src/base/text.ts";
import { type ChainWorld, createChainWorld } from "../../../src/chain/world.ts";
import type { RpcChain } from "../../../src/model/index.ts";
import { DEMO_KEY, type Service, startService } from "../../../src/serve/server.ts";
import { ACCOUNT } from "./anvil.ts";
import type { Uniswap } from "./uniswap.ts";

export { ACCOUNT };

/** What is configured unless a test says otherwise. */
export const PLAIN: Omit<RpcChain, "urls" | "contracts"> = {
  requestsPerSecond: 1_000,
  timeoutMs: 10_000,
  entries: 12,
  gas: null,
  days: 7,
  holders: [],
  mostLogs: 5_000_000,
  agree: 1,
  usd: { stable: [], feeds: new Map() },
};

/** The time of the newest block, so that a test's node is never behind; waits are real. */
export class BlockClock implements Clock {
  #now = 0;

  constructor(private readonly uniswap: Uniswap) {}

  async follow(): Promise<void> {
    const { rpc } = this.uniswap.anvil;
    const block = await rpc.call(this.uniswap.anvil, "eth_getBlockByNumber", ["latest", false]);
    this.#now = Number((block as { timestamp: string }).timestamp) * 1_000;
  }

  now(): number {
    return this.#now;
  }

  at(): () => void {
    return () => {};
  }

  elapsed(): number {
    return performance.now();
  }

  after(): () => void {
    return () => {};
  }
}

/** The service from nodes, over HTTP. */
export interface NodeService {
  readonly world: ChainWorld;
  readonly service: Service;
  /** What was reported of nodes, a line each. */
  readonly reports: readonly string[];
  close(): Promise<void>;
}

export async function serveNode(
  uniswap: Uniswap,
  clock: Clock,
  options: Partial<RpcChain> & {
    readonly chainId?: number;
    readonly newest?: boolean;
    readonly data?: string;
  } = {},
): Promise<NodeService> {
  const { chainId = 31_337, newest = true, data = null, ...own } = options;
  const chain = {
    ...PLAIN,
    urls: [new Secret(uniswap.anvil.url)],
    contracts: uniswap.contracts,
    ...own,
  };
  const reports: string[] = [];
  const world = createChainWorld({
    settings: { data, chains: new Map([[chainId, chain]]) },
    clock,
    newest: new Set(newest ? [chainId] : []),
    report: (level, message, fields) => {
      reports.push(`${level} ${message} ${JSON.stringify(fields)}`);
    },
  });
  const service = await startService({ world, clock, apiKey: DEMO_KEY });
  const close = async (): Promise<void> => {
    await service.close();
    await world.close();
  };
  return { world, service, reports, close };
}

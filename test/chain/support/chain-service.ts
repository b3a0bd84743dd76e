import { Secret } from "../../../src/base/text.ts";
import { createChainWorld } from "../../../src/chain/world.ts";
import { DEMO_KEY, startService } from "../../../src/serve/server.ts";
import { FakeChain, type Spoil, serveChain } from "./fake-chain.ts";

/** Unix seconds of the first block. */
const START = 1_764_547_200;

export interface ChainService {
  readonly chain: FakeChain;
  readonly url: string;
  /** What each node was asked: the calls of each method. */
  readonly calls: readonly ReadonlyMap<string, number>[];
  /** What each node does wrong from now on. */
  readonly spoil: Spoil[];
  /** A later moment, at which the newest block is asked for anew. */
  later(): void;
  close(): Promise<void>;
}

/** The service from nodes of a fake chain, over HTTP; its newest block is read. */
export async function chainService(nodes = 1, agree = 1): Promise<ChainService> {
  const chain = new FakeChain(START);
  for (let n = 0; n < 120; n += 1) chain.mine({});
  let elapsed = 0;
  const spoil: Spoil[] = Array.from({ length: nodes }, () => () => undefined);
  const served = await Promise.all(
    spoil.map((_, i) =>
      serveChain(
        () => chain,
        (call, truth) => spoil[i]?.(call, truth),
      ),
    ),
  );
  const clock = {
    now: () => chain.head.time * 1_000,
    elapsed: () => elapsed,
    at: () => () => {},
    after: () => () => {},
  };
  const world = createChainWorld({
    settings: {
      data: null,
      chains: new Map([
        [
          1,
          {
            urls: served.map(({ url }) => new Secret(url)),
            requestsPerSecond: 10_000,
            timeoutMs: 5_000,
            entries: 12,
            gas: null,
            days: 1,
            holders: [],
            mostLogs: 5_000_000,
            agree,
            usd: { stable: [], feeds: new Map() },
            contracts: {},
          },
        ],
      ]),
    },
    clock,
    newest: new Set([1]),
    report: () => {},
  });
  const service = await startService({ world, clock, apiKey: DEMO_KEY });
  return {
    chain,
    url: service.baseUrl,
    calls: served.map(({ calls }) => calls),
    spoil,
    later: () => {
      elapsed += 120_000;
    },
    close: async () => {
      await service.close();
      await world.close();
      await Promise.all(served.map((node) => node.close()));
    },
  };
}

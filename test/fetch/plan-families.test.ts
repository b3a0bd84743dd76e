import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ENDPOINTS,
  ENDPOINTS_OF,
  type EndpointName,
  type EndpointSpec,
  ERC20_CHAINS,
} from "../../src/api/endpoints.ts";
import { plan } from "../../src/fetch/plan.ts";
import { type Ask, RECORDS } from "../../src/model/index.ts";
import { propertyRuns } from "../support/tier.ts";
import { address, anyAsk, askFor, balances, poolId } from "./asks.ts";

type Base = EndpointSpec["base"];
const at =
  (...bases: Base[]) =>
  (endpoint: EndpointName): boolean =>
    bases.includes(ENDPOINTS[endpoint].base);
const BOTH = at("base_url", "legacy_base_url");
const LEGACY = at("legacy_base_url");
const CURRENT = at("base_url");
const pathsOf = (asks: readonly Ask[], served = BOTH): string[] =>
  plan(asks, served).map(({ path }) => path);

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);
const [TOKEN, POOL, WALLET] = [address(1), poolId(1), address(7)];

describe("the address of each record", () => {
  it.each<[Ask["record"], string]>([
    ["token_info", `/api/tokens/info?chainid=1&address=${TOKEN}`],
    ["token_price", `/api/tokens/price?chainid=1&address=${TOKEN}`],
    [
      "price_point",
      `/api/tokens/price/history?chainid=1&address=${TOKEN}&period=h&limit=50&offset=0`,
    ],
    ["v4_pool_24h", `/api/dexv4/pool?chainid=1&poolid=${POOL}`],
    ["v4_swap", `/api/dexv4/pool/swaps?chainid=1&poolid=${POOL}&limit=50&offset=0`],
    ["v4_liquidity", `/api/dexv4/pool/modify-liquidity?chainid=1&poolid=${POOL}&limit=50&offset=0`],
    ["v4_pool_point", `/api/dexv4/pool/data?chainid=1&poolid=${POOL}&period=h&limit=50&offset=0`],
    ["v3_pool", `/dexv3/pool?chainid=1&address=${TOKEN}`],
    ["v3_swap", `/dexv3/pool/swaps?chainid=1&address=${TOKEN}&limit=50&offset=0`],
    ["v3_pool_point", `/dexv3/pool/data?chainid=1&address=${TOKEN}&period=h&limit=50&offset=0`],
    ["holder", `/v1/erc20/holders?chain_id=1&token=${TOKEN}&first=50&offset=0&sort=desc`],
    [
      "supply_point",
      `/v1/erc20/supply-history?chain_id=1&token=${TOKEN}&from=2026-01-01&to=2026-01-30`,
    ],
    [
      "balance_point",
      `/v1/erc20/balance-history?chain_id=1&token=${TOKEN}&wallet=${WALLET}&from=2026-01-01&to=2026-01-30`,
    ],
  ])("for %s is as the specification has it", (record, path) => {
    expect(pathsOf([askFor(record)])).toEqual([path]);
  });

  it.each<[Ask["record"], string]>([
    ["holder", `/api/tokens/holders?chainid=1&address=${TOKEN}&limit=50&offset=0`],
    ["balance", `/api/tokens/balance?chainid=1&address=${TOKEN}&wallets=${WALLET}`],
    // A point for each of the thirty days.
    [
      "balance_point",
      `/api/tokens/balance/history?chainid=1&address=${TOKEN}&wallet=${WALLET}&limit=30`,
    ],
  ])("for %s without base_url is the earlier family's", (record, path) => {
    expect(pathsOf([askFor(record)], LEGACY)).toEqual([path]);
  });
});

describe("the limits", () => {
  it.each([
    [-3, "1"],
    [0, "1"],
    [99.9, "99"],
    [1_000, "1000"],
    [1_001, "1000"],
  ])("make a page of %d entries one of %s", (limit, size) => {
    const [path] = pathsOf([{ ...askFor("v4_swap"), limit }]);
    expect(new URL(path ?? "", "http://x").searchParams.get("limit")).toBe(size);
  });

  it("are asked for once by pages that are cut to the same size", () => {
    const asks = [1_000, 1_001, 999].map((limit) => askFor("v4_swap", { limit }));
    const requests = plan(asks, BOTH).map(({ asks: own }) => own.map(({ limit }) => limit));
    expect(requests).toEqual([[1_000, 1_001], [999]]);
  });

  it("keep holders of the current family to a hundred", () => {
    const [path] = pathsOf([askFor("holder", { limit: 500 })], CURRENT);
    expect(path).toContain("&first=100&");
  });

  it.each<[Ask["record"], number]>([
    ["gas_hour", 90],
    ["supply_point", 365],
    ["balance_point", 365],
  ])("refuse more days of %s than %i", (record, most) => {
    expect(plan([askFor(record, { days: most })], CURRENT)).toHaveLength(1);
    for (const days of [most + 1, 0, Number.NaN]) {
      const ask = Number.isNaN(days)
        ? { ...askFor(record), from: "yesterday" }
        : askFor(record, { days });
      expect(() => plan([ask], CURRENT)).toThrow(RangeError);
    }
  });

  it("put a hundred wallets into one parameter and the next into another request", () => {
    const asks = range(101).map((wallet) => askFor("balance", { wallet }));
    const [first, second] = plan(asks, LEGACY);
    const wallets = new URL(first?.path ?? "", "http://x").searchParams.getAll("wallets");
    expect(wallets).toEqual([range(100).map(address).join(",")]);
    expect(second?.asks).toHaveLength(1);
  });
});

describe("where two endpoints serve a value", () => {
  const endpointsOf = (asks: readonly Ask[]): EndpointName[] => [
    ...new Set(plan(asks, BOTH).map(({ endpoint }) => endpoint)),
  ];

  it("the one that needs fewer requests is asked, and the current one if it is equal", () => {
    const wallets = range(5).map((wallet) => askFor("balance", { wallet }));
    expect(endpointsOf(wallets)).toEqual(["legacy_balances"]);
    const tokens = range(5).map((n) => askFor("balance", { n }));
    expect(endpointsOf(tokens)).toEqual(["balance"]);
    expect(endpointsOf([askFor("balance")])).toEqual(["balance"]);
  });

  it("is chosen chain by chain", () => {
    const asks = [
      ...range(3).map((wallet) => askFor("balance", { wallet, chainId: 1 })),
      ...range(3).map((n) => askFor("balance", { n, chainId: 137 })),
    ];
    expect(plan(asks, BOTH).map(({ endpoint }) => endpoint)).toEqual([
      "legacy_balances",
      "balance",
    ]);
  });

  it.each<[Ask["record"], EndpointName, EndpointName]>([
    ["balance", "balance", "legacy_balances"],
    ["balance_point", "balance_history", "legacy_balance_history"],
    ["holder", "holders", "legacy_holders"],
  ])("%s goes to %s on its six chains, else to %s", (record, current, earlier) => {
    for (const chainId of ERC20_CHAINS) {
      expect(endpointsOf([askFor(record, { chainId })])).toEqual([current]);
    }
    expect(endpointsOf([askFor(record, { chainId: 8453 })])).toEqual([earlier]);
    expect(plan([askFor(record, { chainId: 8453 })], CURRENT)[0]?.endpoint).toBe(current);
  });

  it("what is more than one answer of the current family has goes to the earlier one", () => {
    expect(endpointsOf([askFor("holder", { limit: 101 })])).toEqual(["legacy_holders"]);
    expect(endpointsOf([askFor("balance_point", { days: 366 })])).toEqual([
      "legacy_balance_history",
    ]);
  });
});

describe("the fewest requests", () => {
  /** What a request of an endpoint has in common, and how many it takes, read off the specification. */
  function requestsAt(endpoint: EndpointName, asks: readonly Ask[]): number {
    const many: Partial<Record<EndpointName, number>> = {
      supply: 20,
      balance: 20,
      holder_count: 20,
      v4_pool: 20,
      v4_position: 20,
      v4_fees: 20,
      v4_hold: 20,
      v3_position: 20,
      v3_hold: 20,
      native_balance: 20,
      legacy_balances: 100,
    };
    const size = many[endpoint];
    if (size === undefined) return asks.length;
    const fixed = (ask: Ask): string =>
      endpoint === "legacy_balances" || endpoint === "native_balance"
        ? ask.id
        : `${ask.wallet} ${ask.protocol}`;
    let requests = 0;
    let left = [...asks];
    while (left.length > 0) {
      const same = left.filter((ask) => fixed(ask) === fixed(left[0] as Ask));
      left = left.filter((ask) => !same.includes(ask));
      requests += Math.ceil(same.length / size);
    }
    return requests;
  }

  function fewest(asks: readonly Ask[], bases: readonly Base[]): number {
    let requests = 0;
    for (const record of RECORDS) {
      for (const chainId of [1, 137, 8453]) {
        const mine = asks.filter((ask) => ask.record === record && ask.chainId === chainId);
        const knows = (endpoint: EndpointName): boolean =>
          (ENDPOINTS[endpoint] as EndpointSpec).chains?.includes(chainId) !== false;
        const ways: EndpointName[] = ENDPOINTS_OF[record].filter((endpoint) =>
          bases.includes(ENDPOINTS[endpoint].base),
        );
        const good = ways.filter(knows);
        const counts = (good.length > 0 ? good : ways).map((way) => requestsAt(way, mine));
        requests +=
          counts.length === 0 ? requestsAt(ENDPOINTS_OF[record][0], mine) : Math.min(...counts);
      }
    }
    return requests;
  }

  const anyBases = fc.constantFrom<Base[]>(
    ["base_url", "legacy_base_url"],
    ["base_url"],
    ["legacy_base_url"],
  );
  const asks = fc
    .tuple(fc.array(anyAsk, { maxLength: 150 }), fc.array(balances, { maxLength: 2 }))
    .map(([some, many]) => [
      ...new Map([...some, ...many.flat()].map((ask) => [pageOf(ask), ask])).values(),
    ]);

  /** What an ask is for, however long its page: two that are cut to one length share a request (`the limits`). */
  function pageOf({ key, limit, offset, ...rest }: Ask): string {
    const isPage = limit !== undefined && offset !== undefined;
    return isPage ? JSON.stringify([rest, Math.max(0, offset)]) : key;
  }

  it("are planned for any asks, each of them once", () => {
    fc.assert(
      fc.property(asks, anyBases, (list, bases) => {
        const requests = plan(list, at(...bases));
        const planned = requests.flatMap((request) => request.asks.map(({ key }) => key));
        expect(planned.toSorted()).toEqual(list.map(({ key }) => key).toSorted());
        expect(requests).toHaveLength(fewest(list, bases));
      }),
    );
  });

  it("do not depend on the order of the asks", () => {
    fc.assert(
      fc.property(asks, (list) => {
        const chosen = (some: readonly Ask[]): string[] =>
          plan(some, BOTH)
            .flatMap((request) => request.asks.map(({ key }) => `${key} ${request.endpoint}`))
            .toSorted();
        expect(chosen(list.toReversed())).toEqual(chosen(list));
      }),
      { numRuns: propertyRuns(30) },
    );
  });

  it("keep to every limit of the contract and say what their asks say", () => {
    fc.assert(
      fc.property(asks, anyBases, (list, bases) => {
        for (const { endpoint, record, asks: own, path } of plan(list, at(...bases))) {
          const spec: EndpointSpec = ENDPOINTS[endpoint];
          expect(ENDPOINTS_OF[record]).toContain(endpoint);
          const url = new URL(path, "http://x");
          expect(url.pathname).toBe(spec.path);
          const names = new Set(url.searchParams.keys());
          for (const [name, param] of Object.entries(spec.params)) {
            const given = url.searchParams.getAll(name);
            if (param.required === true) expect([...names]).toContain(name);
            names.delete(name);
            expect(given.length).toBeLessThanOrEqual(param.repeat ?? 1);
            const values = param.joined === undefined ? given : (given[0]?.split(",") ?? []);
            expect(values.length).toBeLessThanOrEqual(param.joined?.max ?? param.repeat ?? 1);
            for (const value of values) {
              if (param.values !== undefined) expect(param.values).toContain(value);
              if (param.pattern !== undefined) expect(value).toMatch(param.pattern);
              if (param.type === "number") {
                expect(value).toMatch(/^\d+$/);
                expect(Number(value)).toBeLessThanOrEqual(param.max ?? Infinity);
              }
            }
            if (name === spec.batch?.param) {
              const field = spec.batch.field === "wallet_address" ? "wallet" : "id";
              expect(values).toEqual(own.map((ask) => ask[field]));
            } else expect(own.length === 1 || spec.batch !== undefined).toBe(true);
          }
          expect([...names]).toEqual([]);
          expect(new Set(own.map(({ chainId }) => chainId)).size).toBe(1);
        }
      }),
      { numRuns: propertyRuns(50) },
    );
  });
});

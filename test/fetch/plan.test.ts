import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ADDRESS, ENDPOINTS, ENDPOINTS_OF, NFT_ID, POOL_ID } from "../../src/api/endpoints.ts";
import { batchSize, plan as planFor } from "../../src/fetch/plan.ts";
import type { Ask } from "../../src/model/index.ts";

/** With base_url alone. */
const plan = (asks: readonly Ask[]) =>
  planFor(asks, (endpoint) => ENDPOINTS[endpoint].base === "base_url");

const poolId = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`;

function pool(n: number, chainId = 1): Ask {
  const id = poolId(n);
  return { key: `v4_pool:${chainId}:${id}`, record: "v4_pool", chainId, id };
}

function position(n: number, chainId: number, protocol: string): Ask {
  const key = `v4_position:${chainId}:${protocol}:${n}`;
  return { key, record: "v4_position", chainId, id: String(n), protocol };
}

function gas(chainId: number, day = 27): Ask {
  const [from, to] = [`2026-11-${day - 1}`, `2026-11-${day}`];
  return {
    key: `gas_hour:${chainId}:${from}:${to}`,
    record: "gas_hour",
    chainId,
    id: "",
    from,
    to,
  };
}

const address = (n: number): string => `0x${n.toString(16).padStart(40, "0")}`;

function token(record: "supply" | "holder_count", n: number, chainId: number): Ask {
  const id = address(n);
  return { key: `${record}:${chainId}:${id}`, record, chainId, id };
}

function balance(n: number, chainId: number, holder: number): Ask {
  const [id, wallet] = [address(n), address(holder)];
  return { key: `balance:${chainId}:${id}:${wallet}`, record: "balance", chainId, id, wallet };
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

const chain = fc.constantFrom(1, 137, 8453);
const ask = fc.oneof(
  fc.tuple(fc.nat(200), chain).map(([n, c]) => pool(n, c)),
  fc
    .tuple(fc.nat(200), chain, fc.constantFrom("dexa", "dexb"))
    .map(([n, c, p]) => position(n, c, p)),
  chain.map((c) => gas(c)),
  fc
    .tuple(fc.constantFrom("supply", "holder_count"), fc.nat(100), chain)
    .map(([record, n, c]) => token(record, n, c)),
  fc.tuple(fc.nat(30), chain, fc.integer({ min: 1, max: 3 })).map(([n, c, w]) => balance(n, c, w)),
);

const asks = fc.uniqueArray(ask, { selector: (a) => a.key, maxLength: 300 });

describe("planning", () => {
  it("asks for twenty ids in one request and for one more in two", () => {
    expect(plan([])).toEqual([]);
    expect(plan(range(20).map((n) => pool(n)))).toHaveLength(1);
    expect(plan(range(21).map((n) => pool(n))).map((r) => r.asks.length)).toEqual([20, 1]);
    expect(plan(range(10_000).map((n) => pool(n)))).toHaveLength(500);
  });

  it("asks in the order of the rules, so that chains go on side by side", () => {
    const both = range(45).flatMap((n) => [pool(n, 1), pool(n, 137)]);
    const requests = plan([...both, gas(1)]);
    expect(requests.map(({ asks: [first] }) => [first?.chainId, first?.record])).toEqual([
      [1, "v4_pool"],
      [137, "v4_pool"],
      [1, "v4_pool"],
      [137, "v4_pool"],
      [1, "v4_pool"],
      [137, "v4_pool"],
      [1, "gas_hour"],
    ]);
    expect(requests[2]?.asks.map(({ id }) => id)).toEqual(range(20).map((n) => poolId(n + 20)));
  });

  it("repeats the parameter's name for each id", () => {
    const [request] = plan([pool(1), pool(2)]);
    expect(request?.path).toBe(
      `/v1/dexv4/pool?chain_id=1&pool_ids=${poolId(1)}&pool_ids=${poolId(2)}`,
    );
  });

  it("keeps chains and protocols apart", () => {
    const requests = plan([
      position(42, 1, "dexa"),
      position(43, 1, "dexb"),
      position(44, 1, "dexa"),
    ]);
    expect(requests.map((r) => r.path)).toEqual([
      "/v1/dexv4/position?chain_id=1&protocol=dexa&nft_ids=42&nft_ids=44",
      "/v1/dexv4/position?chain_id=1&protocol=dexb&nft_ids=43",
    ]);
    expect(plan([pool(1, 1), pool(1, 137)])).toHaveLength(2);
  });

  it("asks for twenty tokens of a chain in one request, and of balances for each wallet", () => {
    expect(plan(range(21).map((n) => token("supply", n, 137))).map((r) => r.asks.length)).toEqual([
      20, 1,
    ]);
    expect(plan([token("supply", 1, 1), token("holder_count", 1, 1)]).map((r) => r.path)).toEqual([
      `/v1/erc20/supply?chain_id=1&token=${address(1)}`,
      `/v1/erc20/holder-count?chain_id=1&token=${address(1)}`,
    ]);
    const requests = plan([
      balance(1, 1, 7),
      balance(1, 1, 8),
      balance(2, 1, 7),
      balance(1, 137, 7),
    ]);
    expect(requests.map((r) => r.path)).toEqual([
      `/v1/erc20/balance?chain_id=1&token=${address(1)}&token=${address(2)}&wallet=${address(7)}`,
      `/v1/erc20/balance?chain_id=1&token=${address(1)}&wallet=${address(8)}`,
      `/v1/erc20/balance?chain_id=137&token=${address(1)}&wallet=${address(7)}`,
    ]);
  });

  it("asks for gas once a chain, with both days", () => {
    expect(plan([gas(1), gas(137)]).map((r) => r.path)).toEqual([
      "/v1/gas/blocks/hourly?chain_id=1&from=2026-11-26&to=2026-11-27",
      "/v1/gas/blocks/hourly?chain_id=137&from=2026-11-26&to=2026-11-27",
    ]);
    expect(plan([gas(1, 26), gas(1, 27)])).toHaveLength(2);
  });

  it("escapes what an id must not smuggle into the address", () => {
    const id = "1&protocol=dexb#/..";
    const [request] = plan([{ ...position(1, 1, "dexa"), id }]);
    expect(new URL(request?.path ?? "", "http://x").searchParams.getAll("nft_ids")).toEqual([id]);
  });

  it("covers every ask exactly once with the fewest requests", () => {
    fc.assert(
      fc.property(asks, (list) => {
        const requests = plan(list);
        const planned = requests.flatMap((r) => r.asks);
        expect(planned.map((a) => a.key).toSorted()).toEqual(list.map((a) => a.key).toSorted());
        const counts = new Map<string, number>();
        for (const a of list) {
          const group = `${a.record} ${a.chainId} ${a.protocol ?? ""} ${a.wallet ?? ""}`;
          counts.set(group, (counts.get(group) ?? 0) + 1);
        }
        let fewest = 0;
        for (const count of counts.values()) fewest += Math.ceil(count / 20);
        expect(requests).toHaveLength(fewest);
      }),
    );
  });

  it("makes requests that keep to the contract and say what their asks say", () => {
    fc.assert(
      fc.property(asks, (list) => {
        for (const request of plan(list)) {
          const url = new URL(request.path, "http://x");
          const [first] = request.asks;
          expect(url.pathname).toBe(ENDPOINTS[ENDPOINTS_OF[request.record][0]].path);
          expect(Number(url.searchParams.get("chain_id"))).toBe(first?.chainId);
          expect(request.asks.length).toBeLessThanOrEqual(batchSize(request.endpoint));
          const ids = request.asks.map((a) => a.id);
          if (request.record === "v4_pool") {
            expect(url.searchParams.getAll("pool_ids")).toEqual(ids);
            for (const id of ids) expect(id).toMatch(POOL_ID);
          }
          if (request.record === "v4_position") {
            expect(url.searchParams.getAll("nft_ids")).toEqual(ids);
            expect(url.searchParams.get("protocol")).toBe(first?.protocol);
            for (const id of ids) expect(id).toMatch(NFT_ID);
          }
          if (/supply|balance|holder_count/.test(request.record)) {
            expect(url.searchParams.getAll("token")).toEqual(ids);
            for (const id of ids) expect(id).toMatch(ADDRESS);
          }
          expect(url.searchParams.get("wallet")).toBe(first?.wallet ?? null);
          expect(new Set(request.asks.map((a) => a.wallet)).size).toBe(1);
        }
      }),
    );
  });
});

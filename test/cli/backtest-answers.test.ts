import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { poolRecord, positionRecord } from "../kinds/records.ts";
import { daemonFiles } from "./daemon-files.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Days count from D0, hours from 12:00 of D9; now it is D10, half past midnight. */
const D0 = Date.UTC(2026, 10, 1);
const H0 = D0 + 9 * DAY + 12 * HOUR;
const NOW = D0 + 10 * DAY + HOUR / 2;

const POOL = `0x${"ab".repeat(32)}`;
const V3 = `0x${"cd".repeat(20)}`;
const STABLE = "0x00000000efe302beaa2b3e6e1b18d08d69a9012a";
const OTHER = `0x${"ee".repeat(20)}`;
const WALLET = `0x${"77".repeat(20)}`;

/** The value of a day or an hour; before the first of them, and after the last, it is the usual one. */
const at = (all: readonly number[], usual: number, i: number): number => all[i] ?? usual;
const SUPPLY = [100, 100, 100, 100, 106, 106, 100, 100, 100, 100];
const BALANCE = [3, 3, 3, 3, 3, 3, 1, 1, 3, 3];
const PRICE = [1, 1, 1, 1, 1, 0.98, 0.98, 1, 1, 1, 1, 1];
const TICK = [-200_000, -200_000, -200_000, -199_000, -199_000];
const VOLUME = [1_000, 1_000, 11_000];
const FEES = [5, 0];
const TIP = [10, 10, 10, 10, 9];

const days = (usual: number, all: readonly number[]): readonly (readonly [string, number])[] =>
  Array.from({ length: 60 }, (_, i) => i - 50)
    .filter((d) => D0 + d * DAY <= NOW)
    .map((d) => [new Date(D0 + d * DAY).toISOString(), at(all, usual, d)] as const);
const hours = (usual: number, all: readonly number[]): readonly (readonly [string, number])[] =>
  Array.from({ length: 100 }, (_, i) => i - 80)
    .filter((k) => H0 + k * HOUR <= NOW)
    .map((k) => [new Date(H0 + k * HOUR).toISOString(), at(all, usual, k)] as const);

/** The newest first, as the earlier family has it. */
function points(
  query: URLSearchParams,
  all: readonly (readonly [string, number])[],
  record: (date: string, value: number, i: number) => unknown,
): unknown[] {
  const offset = Number(query.get("offset") ?? 0);
  const made = all.map(([date, value], i) => record(date, value, i)).toReversed();
  return made.slice(offset, offset + Number(query.get("limit") ?? 30));
}

const sqrtPrice = (tick: number): string =>
  String(BigInt(Math.floor(1.0001 ** (tick / 2) * 2 ** 96)));

function poolPoints(query: URLSearchParams): unknown {
  const ticks = hours(-200_000, TICK);
  const volumes = hours(1_000, VOLUME);
  const fees = hours(5, FEES);
  return {
    period: "h",
    data: points(query, ticks, (date, tick, i) => ({
      date,
      tick,
      sqrtPrice: sqrtPrice(tick),
      liquidity: "1000",
      close: 1.0001 ** tick * 1e12,
      volumeUSD: volumes[i]?.[1],
      collectedFeesUSD: fees[i]?.[1],
    })),
  };
}

const ANSWERS: Readonly<Record<string, (query: URLSearchParams) => unknown>> = {
  "/v1/erc20/supply": (query) =>
    query.getAll("token").map((token_address) => {
      return { token_address, chain_id: Number(query.get("chain_id")), total_supply: "1" };
    }),
  "/v1/erc20/supply-history": (query) =>
    days(query.get("chain_id") === "1" ? 100 : 50, query.get("chain_id") === "1" ? SUPPLY : []).map(
      ([date, millions]) => {
        return { date: date.slice(0, 10), total_supply: String(BigInt(millions) * 10n ** 12n) };
      },
    ),
  // The current family has one token, and this is another one.
  "/v1/erc20/balance": () => [],
  "/v1/erc20/balance-history": () => [],
  "/api/tokens/info": () => ({ token_address: OTHER, chain_id: 1, symbol: "OTH", decimals: 18 }),
  "/api/tokens/balance": () => ({
    token_address: OTHER,
    chain_id: 1,
    balances: [{ wallet_address: WALLET, balance: "3000000000000000000" }],
  }),
  "/api/tokens/balance/history": (query) => ({
    token_address: OTHER,
    wallet_address: WALLET,
    chain_id: 1,
    historical_balances: points(query, days(3, BALANCE), (date, balance) => {
      return { date, balance: String(BigInt(balance) * 10n ** 18n) };
    }),
  }),
  "/api/tokens/price": () => ({
    token_address: STABLE,
    chain_id: 1,
    current_price: { usd: 1 },
    last_updated: new Date(NOW).toISOString(),
  }),
  "/api/tokens/price/history": (query) => ({
    token_address: STABLE,
    chain_id: 1,
    period: "h",
    historical_prices: points(query, hours(1, PRICE), (date, price_usd) => ({ date, price_usd })),
  }),
  "/v1/dexv4/pool": () => [poolRecord({ pool_id: POOL, current_tick: -200_000 })],
  "/v1/dexv4/position": () => [
    positionRecord({ nft_id: "42", pool_id: POOL, lower_tick: -200_250, upper_tick: -199_750 }),
  ],
  "/api/dexv4/pool": () => ({ chain_id: 1, pool_id: POOL, volume_24h: "1", fees_24h: "1" }),
  "/api/dexv4/pool/data": poolPoints,
  "/dexv3/pool": () => ({ chain_id: 1, pool_address: V3, volume_24h: "1", fees_24h: "1" }),
  "/dexv3/pool/data": poolPoints,
  "/v1/gas/blocks/hourly": () =>
    hours(10, TIP).map(([hour, gwei]) => ({
      hour,
      block_count: 300,
      tx_count: "1000",
      avg_gas_used: "15000000",
      avg_priority_fee_top10_threshold: `${gwei}000000000`,
    })),
};

const RULES = `rules:
  - {name: sum, watch: {kind: token_supply, chain: [1, 137], token: "${STABLE}", decimals: 6}, across: sum, when: {metric: total_supply, above: 155M tokens}}
  - {name: moved, watch: {kind: token_supply, chain: 1, token: "${STABLE}", decimals: 6}, when: {metric: total_supply, moves: 5%, since: 2d}}
  - {name: poor, watch: {kind: token_balance, chain: 1, token: "${OTHER}", wallet: "${WALLET}"}, when: {metric: balance, below: 2 tokens}}
  - {name: peg, watch: {kind: token_price, chain: 1, token: "${STABLE}"}, when: {metric: price_usd, below: $0.99}, for: 1h}
  - {name: tick, watch: {kind: v4_pool, chain: 1, pools: ["${POOL}"]}, when: {metric: current_tick, outside: [-200500, -199500]}}
  - {name: volume, watch: {kind: v4_pool_24h, chain: 1, pools: ["${POOL}"]}, when: {metric: volume_24h, above: $30k}}
  - {name: fees, watch: {kind: v3_pool, chain: 1, pools: ["${V3}"]}, when: {metric: fees_24h, below: $117}}
  - {name: cheap, watch: {kind: gas, chain: ethereum}, when: {metric: tip_top10, below: p10, within: 1d}}
  - {name: range, watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}, when: {metric: in_range, equals: false}, for: 1h}
`;

describe("a backtest over a service's answers", () => {
  const files = daemonFiles("", RULES);
  let server: Server;

  beforeEach(async () => {
    server = createServer(({ url = "/" }, response) => {
      const { pathname, searchParams } = new URL(url, "http://service");
      const body = ANSWERS[pathname]?.(searchParams);
      response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(body ?? {}));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await files.write(
      "config.yaml",
      `service: {base_url: "${url}", legacy_base_url: "${url}", api_key: "\${env:KEY}", requests_per_second: 1000}
rules: [rules.yaml]
store: tickwatch.db
channels: {console: {kind: console}, slack: {kind: console}}
`,
    );
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  });
  afterEach(async () => {
    vi.useRealTimers();
    server.close();
    await once(server, "close");
  });

  /** When each rule fired, and when that was over: days or hours of the arrays above, and fractions. */
  async function firingsOf(from: string, unit: number, zero: number, ...rules: string[]) {
    const { code, out, err } = await files.run("backtest", ...rules, "--from", from, "--json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const found: {
      rules: { rule: string; firings: { start: string; end: string | null }[] }[];
    } = JSON.parse(out);
    const place = (time: string): number => (Date.parse(time) - zero) / unit;
    return Object.fromEntries(
      found.rules.map(({ rule, firings }) => [
        rule,
        firings.map(({ start, end }) => [place(start), end === null ? null : place(end)]),
      ]),
    );
  }

  // A day and an hour are known when they are over: the value of day 4 counts on day 5.
  it("fires on days of supply and of balances when they should, whichever family tells them", async () => {
    expect(await firingsOf("9d", DAY, D0, "sum", "moved", "poor")).toEqual({
      sum: [[5, 7]],
      // Up by 6% against days 2 and 3, then down by 6 of 106 against days 4 and 5, which was 106 for sure.
      moved: [[5, 9]],
      poor: [[7, 9]],
    });
  });

  it("fires on hours of prices, pools and gas when they should", async () => {
    const rules = ["peg", "tick", "volume", "fees", "cheap", "range"];
    expect(await firingsOf("12h", HOUR, H0, ...rules)).toEqual({
      // Below from 6 on, for an hour at 7.
      peg: [[7, 8]],
      tick: [[4, 6]],
      // 23 hours of 1,000 and one of 11,000: the sum stays above 30,000 for a day.
      volume: [[3, null]],
      fees: [[2, null]],
      // The lowest tenth of 24 hours of 10 is 10, and of one of 9 and 23 of 10 as well.
      cheap: [[5, 6]],
      range: [[5, 6]],
    });
  });
});

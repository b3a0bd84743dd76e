import { describe, expect, it } from "vitest";
import { LISTED_POOLS, LISTED_V3_POOLS } from "../../src/simulator/listed-pools.ts";
import { LISTED_TOKENS, STABLECOIN, TREASURY_WALLET } from "../../src/simulator/listed-tokens.ts";
import { createMarket } from "../../src/simulator/market.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 2, 14, 9, 48);
const TODAY = Date.UTC(2026, 2, 14);
const market = createMarket({
  seed: 7,
  start: START,
  script: [
    { kind: "mint", chain: 1, amount: 1_000_000, at: -3 * DAY },
    { kind: "transfer", chain: 1, wallet: TREASURY_WALLET, amount: -1_000, at: -2 * DAY },
  ],
});

const year = { from: TODAY - 365 * DAY, to: TODAY };
const page = (size: number, offset = 0) => ({ size, offset });

describe("daily histories of the current family", () => {
  it("reach back a year from the start on every chain, one point a day, oldest first", () => {
    for (const { chainId } of LISTED_TOKENS) {
      const dates = market.supplyHistory(chainId, STABLECOIN, year, START)!.map((p) => p.date);
      expect(dates).toHaveLength(366);
      expect(dates).toEqual(dates.toSorted());
      expect([dates[0], dates.at(-1)]).toEqual(["2025-03-14", "2026-03-14"]);
      const wallet = market.balanceHistory(chainId, STABLECOIN, TREASURY_WALLET, year, START)!;
      expect(wallet.map((p) => p.date)).toEqual(dates);
    }
  });

  it("are what a question at each day's end was answered, and end with the current value", () => {
    const supplies = market.supplyHistory(1, STABLECOIN, year, START)!;
    const balances = market.balanceHistory(1, STABLECOIN, TREASURY_WALLET, year, START)!;
    for (const [i, { date, total_supply }] of supplies.entries()) {
      const end = Math.min(Date.parse(date) + DAY - 1, START);
      expect(total_supply).toBe(market.supply(1, STABLECOIN, end)!.total_supply);
      expect(balances[i]).toEqual({
        date,
        balance: market.balance(1, STABLECOIN, TREASURY_WALLET, end)!.balance,
      });
    }
    expect(supplies.at(-1)!.total_supply).toBe(market.supply(1, STABLECOIN, START)!.total_supply);
    expect(new Set(supplies.map((p) => p.total_supply)).size).toBeGreaterThan(100);
  });

  it("never change for a day that is over", () => {
    const days = { from: TODAY - 10 * DAY, to: TODAY - DAY };
    const now = market.supplyHistory(137, STABLECOIN, days, START);
    expect(market.supplyHistory(137, STABLECOIN, days, START + 40 * DAY)).toEqual(now);
  });

  it("leave out days to come and days before the token was there", () => {
    const next = { from: TODAY, to: TODAY + 9 * DAY };
    expect(market.supplyHistory(1, STABLECOIN, next, START)).toHaveLength(1);
    const ancient = { from: TODAY - 1_000 * DAY, to: TODAY - 900 * DAY };
    expect(market.supplyHistory(1, STABLECOIN, ancient, START)).toEqual([]);
    const { creation_timestamp } = market.tokenInfo(143, STABLECOIN, START)!;
    const all = { from: 0, to: TODAY };
    const first = market.supplyHistory(143, STABLECOIN, all, START)![0]!;
    expect(first.date).toBe(creation_timestamp.slice(0, 10));
  });
});

describe("the balance history of the earlier family", () => {
  it("is the current family's, newest first, with what changed since the day before", () => {
    const { historical_balances: earlier, ...of } = market.legacyBalanceHistory(
      1,
      STABLECOIN.toLowerCase(),
      TREASURY_WALLET,
      page(30),
      START,
    )!;
    expect(of).toEqual({
      token_address: STABLECOIN,
      wallet_address: TREASURY_WALLET,
      chain_id: 1,
    });
    const days = { from: TODAY - 30 * DAY, to: TODAY };
    const current = market
      .balanceHistory(1, STABLECOIN, TREASURY_WALLET, days, START)!
      .toReversed();
    expect(earlier).toHaveLength(30);
    for (const [i, point] of earlier.entries()) {
      expect(point.date).toBe(`${current[i]!.date}T00:00:00Z`);
      expect(point.balance).toBe(current[i]!.balance);
      const change = BigInt(point.balance) - BigInt(current[i + 1]!.balance);
      expect(BigInt(point.balance_change.replace("+", ""))).toBe(change);
      expect(point.balance_change.startsWith("+")).toBe(change > 0n);
      expect(point.balance_change_formatted).toMatch(change < 0n ? /^-/ : /^\+/);
      expect(Number(point.balance_change_formatted)).toBeCloseTo(Number(change) / 1e6, 5);
    }
    const blocks = earlier.map((point) => point.block_number);
    expect(blocks).toEqual(blocks.toSorted((a, b) => b - a));
    const signs = earlier.map((point) => point.balance_change[0]);
    expect(signs).toContain("-");
    expect(signs).toContain("+");
  });

  it("comes in pages that fit together and end where the token began", () => {
    const points = (size: number, offset: number) =>
      market.legacyBalanceHistory(137, STABLECOIN, TREASURY_WALLET, page(size, offset), START)!
        .historical_balances;
    expect([...points(7, 0), ...points(7, 7)]).toEqual(points(14, 0));
    expect(points(0, 0)).toEqual([]);
    const all = points(1_000, 0);
    expect(points(5, all.length)).toEqual([]);
    const first = all.at(-1)!;
    expect(first.balance_change).toBe(`+${first.balance}`);
    const { creation_timestamp } = market.tokenInfo(137, STABLECOIN, START)!;
    expect(first.date.slice(0, 10)).toBe(creation_timestamp.slice(0, 10));
  });
});

describe("what the earlier family tells of a token", () => {
  it("is what the current family tells", () => {
    for (const { chainId, wallets } of LISTED_TOKENS) {
      const at = START + 5 * DAY;
      const info = market.tokenInfo(chainId, STABLECOIN, at)!;
      expect(info.total_supply).toBe(market.supply(chainId, STABLECOIN, at)!.total_supply);
      expect(info.holder_count).toBe(market.holderCount(chainId, STABLECOIN, at)!.holder_count);
      const top = market.legacyHolders(chainId, STABLECOIN, page(100), at)!;
      expect(top.total_holders).toBe(info.holder_count);
      const current = { ...page(100), ascending: false };
      const holders = market.holders(chainId, STABLECOIN, current, at)!;
      expect(top.holders.map((holder) => [holder.wallet_address, holder.balance])).toEqual(
        holders.map((holder) => [holder.wallet_address, holder.balance]),
      );
      const asked = [`0x${"AB".repeat(20)}`, ...wallets.map(({ address }) => address)];
      const { balances } = market.legacyBalances(chainId, STABLECOIN, asked, at)!;
      expect(balances.map((one) => one.wallet_address)).toEqual(
        asked.map((wallet) => wallet.toLowerCase()),
      );
      for (const { wallet_address, balance, balance_formatted } of balances) {
        expect(balance).toBe(market.balance(chainId, STABLECOIN, wallet_address, at)!.balance);
        expect(BigInt(balance_formatted.replace(".", ""))).toBe(BigInt(balance));
      }
    }
  });

  it("covers every token of every pool on its chain, with its metadata", () => {
    for (const { chainId, token0, token1 } of [...LISTED_POOLS, ...LISTED_V3_POOLS]) {
      for (const { address, symbol, name, decimals } of [token0, token1]) {
        const info = market.tokenInfo(chainId, address.toLowerCase(), START);
        expect(info).toMatchObject({ token_address: address, symbol, name, decimals });
        expect(market.tokenPrice(chainId, address, START)).toMatchObject({ symbol, name });
      }
    }
    expect(market.tokenInfo(1, `0x${"ab".repeat(20)}`, START)).toBeUndefined();
    expect(market.tokenInfo(10, STABLECOIN, START)).toBeUndefined();
  });

  it("counts more transfers as time goes by", () => {
    const count = (at: number): number => market.tokenInfo(1, STABLECOIN, at)!.transfer_count;
    expect(count(START + DAY) - count(START)).toBeGreaterThan(10_000);
    expect(count(START)).toBeGreaterThan(count(START - 300 * DAY));
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crowdOf, middleWallets } from "../../src/simulator/holders.ts";
import { EURC_USDC_BASE, LISTED_POOLS } from "../../src/simulator/listed-pools.ts";
import { LISTED_TOKENS, STABLECOIN, TREASURY_WALLET } from "../../src/simulator/listed-tokens.ts";
import { createMarket, type Market } from "../../src/simulator/market.ts";
import { ScriptError, type ScriptEvent } from "../../src/simulator/script.ts";

const START = Date.UTC(2026, 2, 14, 9, 48);
const MINUTE = 60_000;
const DAY = 86_400_000;
const market = createMarket({ seed: 7, start: START });

function bent(...script: ScriptEvent[]): Market {
  return createMarket({ seed: 7, start: START, script });
}

function holders(of: Market, chain: number, at: number, size = 100, offset = 0, ascending = false) {
  return of.holders(chain, STABLECOIN, { size, offset, ascending }, at)!;
}

/** All holders of a token as the earlier family lists them. */
function everybody(of: Market, chain: number, token: string, at: number) {
  const all: { wallet_address: string; balance: string }[] = [];
  for (;;) {
    const page = of.legacyHolders(chain, token, { size: 1_000, offset: all.length }, at)!;
    if (page.holders.length === 0) return { all, total: page.total_holders };
    all.push(...page.holders);
  }
}

const sum = (amounts: readonly { balance: string }[]): bigint =>
  amounts.reduce((total, { balance }) => total + BigInt(balance), 0n);

describe("the holders of the stablecoin", () => {
  it("hold the supply together to the last unit, and are as many as are counted", () => {
    for (const [chain, days] of [
      [1, 0],
      [137, 33],
      [13371, -200],
    ] as const) {
      const at = START + days * DAY;
      const { all, total } = everybody(market, chain, STABLECOIN, at);
      expect(sum(all)).toBe(BigInt(market.supply(chain, STABLECOIN, at)!.total_supply));
      expect(all).toHaveLength(total);
      expect(market.holderCount(chain, STABLECOIN, at)!.holder_count).toBe(total);
      expect(new Set(all.map((holder) => holder.wallet_address)).size).toBe(total);
      expect(all.filter(({ balance }) => BigInt(balance) <= 0n)).toEqual([]);
    }
  });

  it("come by balance, in either direction, in pages that fit together", () => {
    const top = holders(market, 1, START, 100);
    const balances = top.map(({ balance }) => BigInt(balance));
    expect(balances).toEqual(balances.toSorted((a, b) => (a > b ? -1 : a < b ? 1 : 0)));
    const pages = [0, 30, 60, 90].flatMap((offset) => holders(market, 1, START, 30, offset));
    expect(pages.slice(0, 100)).toEqual(top);
    const count = market.holderCount(1, STABLECOIN, START)!.holder_count;
    const last = holders(market, 1, START, 10, count - 10);
    expect(holders(market, 1, START, 10, 0, true)).toEqual(last.toReversed());
    expect(holders(market, 1, START, 10, count - 4)).toHaveLength(4);
    expect(holders(market, 1, START, 10, count - 4, true)).toEqual(
      holders(market, 1, START, 4).toReversed(),
    );
    expect(holders(market, 1, START, 10, count)).toEqual([]);
    expect(holders(market, 1, START, 10, count + 1_000, true)).toEqual([]);
  });

  it("have the balances that they are told when asked about by themselves", () => {
    const offset = fc.integer({ min: 0, max: 40_000 });
    const time = fc.integer({ min: START - 300 * DAY, max: START + 90 * DAY });
    fc.assert(
      fc.property(offset, time, (from, at) => {
        for (const { wallet_address, balance } of holders(market, 137, at, 5, from)) {
          expect(market.balance(137, STABLECOIN, wallet_address, at)!.balance).toBe(balance);
          const earlier = market.legacyBalances(137, STABLECOIN, [wallet_address], at)!;
          expect(earlier.balances[0]!.balance).toBe(balance);
        }
      }),
    );
  });

  it("include the listed wallets, and wallets that pass each other within weeks", () => {
    for (const { chainId, wallets } of LISTED_TOKENS) {
      const listed = wallets.map(({ address }) => address);
      const top = holders(market, chainId, START).map((holder) => holder.wallet_address);
      expect(top).toEqual(expect.arrayContaining(listed));
      expect(top).toEqual(expect.arrayContaining(middleWallets(chainId, STABLECOIN).slice(0, 10)));
      const later = holders(market, chainId, START + 20 * DAY).map((one) => one.wallet_address);
      expect(later).not.toEqual(top);
    }
  });

  it("stay as they are for hours unless somebody trades", () => {
    const minutes = Array.from({ length: 90 }, (_, i) =>
      JSON.stringify(holders(market, 1, START + i * MINUTE, 20)),
    );
    expect(new Set(minutes).size).toBeLessThan(30);
  });
});

describe("a holder who sells", () => {
  const [second = ""] = middleWallets(1, STABLECOIN).slice(1);

  it.each([TREASURY_WALLET, second])(
    "leaves the list, and the others hold what he had: %s",
    (wallet) => {
      const sold = bent({ kind: "sell", chain: 1, wallet, at: 10 * MINUTE });
      const before = START + 10 * MINUTE - 1;
      const after = START + 11 * MINUTE;
      expect(holders(sold, 1, before)).toEqual(holders(market, 1, before));
      expect(BigInt(sold.balance(1, STABLECOIN, wallet, before)!.balance)).toBeGreaterThan(0n);
      expect(sold.balance(1, STABLECOIN, wallet, after)!.balance).toBe("0");
      const { all, total } = everybody(sold, 1, STABLECOIN, after);
      expect(all.map((holder) => holder.wallet_address)).not.toContain(wallet);
      expect(sum(all)).toBe(BigInt(market.supply(1, STABLECOIN, after)!.total_supply));
      expect(total).toBe(market.holderCount(1, STABLECOIN, after)!.holder_count - 1);
      expect(all).toHaveLength(total);
    },
  );

  it("is back with what is transferred to him later, and no more", () => {
    const back = bent(
      { kind: "sell", chain: 1, wallet: TREASURY_WALLET, at: 10 * MINUTE },
      { kind: "transfer", chain: 1, wallet: TREASURY_WALLET, amount: 25, at: 5 * MINUTE },
      { kind: "transfer", chain: 1, wallet: TREASURY_WALLET, amount: 17, at: 20 * MINUTE },
    );
    const balance = (minute: number): string =>
      back.balance(1, STABLECOIN, TREASURY_WALLET, START + minute * MINUTE)!.balance;
    expect(balance(19)).toBe("0");
    expect(balance(21)).toBe("17000000");
    expect(() =>
      bent(
        { kind: "sell", chain: 1, wallet: TREASURY_WALLET, at: 10 * MINUTE },
        { kind: "transfer", chain: 1, wallet: TREASURY_WALLET, amount: -1, at: 20 * MINUTE },
      ),
    ).toThrow(new ScriptError(1, "`amount` takes what the wallet has sold"));
  });

  it("must be there", () => {
    const sell: ScriptEvent = { kind: "sell", chain: 137, wallet: second, at: 0 };
    expect(() => bent(sell)).toThrow(`no wallet ${second} on chain 137`);
    expect(() => bent({ ...sell, chain: 56 })).toThrow("no token on chain 56");
  });
});

describe("the holders under the hardest script", () => {
  it("hold the supply, and nobody less than nothing", () => {
    const hardest = bent(
      { kind: "transfer", chain: 1, wallet: TREASURY_WALLET, amount: 2_353_127_082, at: 0 },
      { kind: "mint", chain: 1, amount: -4_706_254_165, at: 0 },
      { kind: "holders", chain: 1, factor: 40, at: 0, over: 0 },
    );
    fc.assert(
      fc.property(fc.integer({ min: START + MINUTE, max: START + 365 * DAY }), (at) => {
        for (const { balance } of holders(hardest, 1, at)) expect(BigInt(balance) > 0n).toBe(true);
      }),
    );
  });

  it("are the named ones when the script takes nearly everybody away", () => {
    const few = bent({ kind: "holders", chain: 13371, factor: 0.001, at: 0, over: 0 });
    const { all, total } = everybody(few, 13371, STABLECOIN, START + DAY);
    expect(all).toHaveLength(total);
    expect(few.holderCount(13371, STABLECOIN, START + DAY)!.holder_count).toBe(total);
    expect(sum(all)).toBe(BigInt(few.supply(13371, STABLECOIN, START + DAY)!.total_supply));
  });
});

describe("the other tokens", () => {
  it("of the pools have holders in the earlier family, and none in the current one", () => {
    const { token0: euro } = LISTED_POOLS.find(({ id }) => id === EURC_USDC_BASE)!;
    const { address } = euro;
    const info = market.tokenInfo(8453, address, START)!;
    const { all, total } = everybody(market, 8453, address, START);
    expect(all).toHaveLength(total);
    expect(info.holder_count).toBe(total);
    expect(sum(all)).toBe(BigInt(info.total_supply));
    const page = { size: 1, offset: 0, ascending: false };
    expect(market.holders(8453, address, page, START)).toBeUndefined();
    expect(market.supply(8453, address, START)).toBeUndefined();
  });
});

describe("a crowd", () => {
  it("knows its wallets again by their addresses, and no others", () => {
    const crowd = crowdOf("a");
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (index) => {
        const address = crowd.address(index);
        expect(address).toMatch(/^0x[0-9a-f]{40}$/);
        expect(crowd.index(address)).toBe(index);
        expect(crowdOf("b").index(address)).toBeNull();
      }),
    );
    for (const other of [TREASURY_WALLET, "0x", "", `0x${"ab".repeat(20)}`]) {
      expect(crowd.index(other)).toBeNull();
    }
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ESCROW_WALLET,
  LISTED_TOKENS,
  STABLECOIN,
  TREASURY_WALLET,
} from "../../src/simulator/listed-tokens.ts";
import { createMarket, type Market } from "../../src/simulator/market.ts";
import { NETWORKS } from "../../src/simulator/networks.ts";
import { steps } from "../../src/simulator/noise.ts";
import type { ScriptEvent } from "../../src/simulator/script.ts";

const START = Date.UTC(2026, 2, 14, 9, 48);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const market = createMarket({ seed: 7, start: START });

const someToken = fc.constantFrom(...LISTED_TOKENS);
const someTime = fc.integer({ min: START - 90 * DAY, max: START + 90 * DAY });

function supply(of: Market, chain: number, at: number): bigint {
  return BigInt(of.supply(chain, STABLECOIN, at)!.total_supply);
}

function balance(of: Market, chain: number, wallet: string, at: number): bigint {
  return BigInt(of.balance(chain, STABLECOIN, wallet, at)!.balance);
}

function holders(of: Market, chain: number, at: number): number {
  return of.holderCount(chain, STABLECOIN, at)!.holder_count;
}

describe("the stablecoin", () => {
  it("is on the chains of the specification, at one address, and nothing else is", () => {
    expect(LISTED_TOKENS.map((t) => t.chainId)).toEqual([1, 137, 143, 13371, 43114, 747474]);
    for (const { chainId } of NETWORKS) {
      const there = LISTED_TOKENS.some((t) => t.chainId === chainId);
      expect(market.hasToken(chainId)).toBe(there);
      expect(market.supply(chainId, STABLECOIN, START) !== undefined).toBe(there);
      expect(market.holderCount(chainId, STABLECOIN, START) !== undefined).toBe(there);
    }
    expect(market.supply(1, TREASURY_WALLET, START)).toBeUndefined();
    expect(market.balance(1, TREASURY_WALLET, TREASURY_WALLET, START)).toBeUndefined();
    expect(market.holderCount(1, TREASURY_WALLET, START)).toBeUndefined();
    expect(market.supply(1, STABLECOIN.toLowerCase(), START)).toEqual(
      market.supply(1, STABLECOIN, START),
    );
  });

  it("starts with exactly the listed amounts, one of them beyond 2^53", () => {
    for (const { chainId, supply: listed, wallets, holders: count } of LISTED_TOKENS) {
      expect(supply(market, chainId, START)).toBe(listed);
      expect(holders(market, chainId, START)).toBe(count);
      for (const { address, balance: held } of wallets) {
        expect(balance(market, chainId, address, START)).toBe(held);
      }
    }
    expect(market.supply(1, STABLECOIN, START)).toEqual({
      token_address: STABLECOIN,
      chain_id: 1,
      total_supply: "9412508331274519",
    });
    // A double cannot hold every number of that size: this one it gets wrong by one.
    expect(String(Number("9412508331274519"))).not.toBe("9412508331274519");
  });

  it("says the same at any time whoever asks and in whatever order", () => {
    const again = createMarket({ seed: 7, start: START });
    fc.assert(
      fc.property(someToken, someTime, ({ chainId, wallets }, at) => {
        expect(supply(again, chainId, at)).toBe(supply(market, chainId, at));
        expect(holders(again, chainId, at)).toBe(holders(market, chainId, at));
        for (const { address } of wallets) {
          expect(balance(again, chainId, address, at)).toBe(balance(market, chainId, address, at));
        }
      }),
    );
    const later = START + 30 * DAY;
    const other = createMarket({ seed: 8, start: START });
    expect(supply(other, 1, later)).not.toBe(supply(market, 1, later));
  });

  it("is held by its listed wallets in part, and never by them beyond the supply", () => {
    fc.assert(
      fc.property(someToken, someTime, ({ chainId, wallets }, at) => {
        const all = supply(market, chainId, at);
        const held = wallets.map(({ address }) => balance(market, chainId, address, at));
        for (const one of held) expect(one).toBeGreaterThan(0n);
        expect(held.reduce((sum, one) => sum + one, 0n) * 5n).toBeLessThan(all);
        if (chainId === 1) expect(all).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER));
      }),
    );
  });

  it("is held by nobody else", () => {
    const stranger = `0x${"ab".repeat(20)}`;
    expect(market.balance(1, STABLECOIN, stranger.toUpperCase().replace("X", "x"), START)).toEqual({
      token_address: STABLECOIN,
      chain_id: 1,
      wallet_address: stranger,
      balance: "0",
    });
    // Listed on other chains only.
    expect(balance(market, 143, TREASURY_WALLET, START)).toBe(0n);
  });

  it("is minted and burnt in steps: for hours nothing, then an odd amount", () => {
    const supplies = Array.from({ length: 14 * 24 * 12 }, (_, i) =>
      supply(market, 1, START + i * 5 * MINUTE),
    );
    const moves = supplies.slice(1).map((one, i) => one - supplies[i]!);
    const jumps = moves.filter((move) => move !== 0n);
    expect(jumps.length).toBeGreaterThan(14);
    expect(jumps.length).toBeLessThan(moves.length / 20);
    expect(jumps.some((jump) => jump > 0n) && jumps.some((jump) => jump < 0n)).toBe(true);
    expect(jumps.filter((jump) => jump % 1_000_000n !== 0n).length).toBeGreaterThan(14);
  });

  it("stays close within the hour and a half of a demo", () => {
    for (const day of [0, 17, 60]) {
      const from = START + day * DAY;
      const drift = LISTED_TOKENS.map(
        ({ chainId }) =>
          supply(market, chainId, from + 90 * MINUTE) - supply(market, chainId, from),
      ).reduce((sum, one) => sum + one, 0n);
      expect(Math.abs(Number(drift))).toBeLessThan(1_000_000e6);
    }
  });

  it("has more holders every month, and hardly fewer in any hour", () => {
    for (const { chainId } of LISTED_TOKENS) {
      const monthly = [-3, -2, -1, 0, 1, 2, 3].map((m) =>
        holders(market, chainId, START + m * 30 * DAY),
      );
      expect(monthly).toEqual(monthly.toSorted((a, b) => a - b));
      expect(monthly.at(-1)! / monthly[0]!).toBeLessThan(1.2);
      for (let hour = -200; hour < 200; hour += 1) {
        const before = holders(market, chainId, START + hour * HOUR);
        const after = holders(market, chainId, START + (hour + 1) * HOUR);
        expect(after / before).toBeGreaterThan(0.997);
      }
    }
  });
});

describe("an amount that moves in steps", () => {
  it("is its base at time zero and stays within its bounds, to the last unit", () => {
    const base = 9_007_199_254_740_993n;
    const amount = steps(3, "a", base, 1_000_003n, [{ period: HOUR, size: 0.1 }]);
    expect(amount(0)).toBe(base);
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), (t) => {
        const distance = amount(t) - base;
        const most = base / 5n + 2_000_006n;
        expect(distance <= most && -distance <= most).toBe(true);
      }),
    );
  });
});

describe("what a script does to the stablecoin", () => {
  const bent = (...script: ScriptEvent[]) => createMarket({ seed: 7, start: START, script });
  const after = START + HOUR;

  it("mints and burns from the first block on, exactly and for good, on one chain", () => {
    const mint = bent(
      { kind: "mint", chain: 137, amount: 5_900_000, at: 9 * MINUTE },
      { kind: "mint", chain: 137, amount: -1, at: 20 * MINUTE },
    );
    const change = (at: number, chain = 137): bigint =>
      supply(mint, chain, at) - supply(market, chain, at);
    expect(change(START + 9 * MINUTE - 1)).toBe(0n);
    expect(change(START + 9 * MINUTE + 3_000)).toBe(5_900_000_000_000n);
    expect(change(START + 30 * DAY)).toBe(5_899_999_000_000n);
    expect(change(after, 1)).toBe(0n);
  });

  it("moves a wallet's balance and leaves the supply and other wallets alone", () => {
    const paid = bent({
      kind: "transfer",
      chain: 1,
      wallet: TREASURY_WALLET,
      amount: -2_400_000,
      at: 33 * MINUTE,
    });
    const change = (wallet: string, at: number, chain = 1): bigint =>
      balance(paid, chain, wallet, at) - balance(market, chain, wallet, at);
    expect(change(TREASURY_WALLET, START + 33 * MINUTE - 1)).toBe(0n);
    expect(change(TREASURY_WALLET, START + 34 * MINUTE)).toBe(-2_400_000_000_000n);
    expect(change(ESCROW_WALLET, after)).toBe(0n);
    expect(change(TREASURY_WALLET, after, 137)).toBe(0n);
    expect(supply(paid, 1, after)).toBe(supply(market, 1, after));
  });

  it("takes holders away over its time", () => {
    const lost = bent({ kind: "holders", chain: 43114, factor: 0.9, at: 0, over: 10 * MINUTE });
    const share = (minute: number, chain = 43114): number =>
      holders(lost, chain, START + minute * MINUTE) /
      holders(market, chain, START + minute * MINUTE);
    expect(share(5)).toBeCloseTo(Math.sqrt(0.9), 2);
    expect(share(11)).toBeCloseTo(0.9, 3);
    expect(share(11, 1)).toBe(1);
    const atOnce = bent({ kind: "holders", chain: 1, factor: 2, at: MINUTE, over: 0 });
    expect(holders(atOnce, 1, START + 2 * MINUTE) / holders(market, 1, START)).toBeCloseTo(2, 3);
  });

  it("never takes a wallet below nothing or beyond the supply, at any time", () => {
    const hardest = bent(
      { kind: "transfer", chain: 1, wallet: TREASURY_WALLET, amount: -3_107_250, at: 0 },
      { kind: "transfer", chain: 1, wallet: ESCROW_WALLET, amount: 2_353_127_082, at: 0 },
      { kind: "mint", chain: 1, amount: -4_706_254_165, at: 0 },
    );
    fc.assert(
      fc.property(fc.integer({ min: START + MINUTE, max: START + 90 * DAY }), (at) => {
        const all = supply(hardest, 1, at);
        const held = LISTED_TOKENS[0]!.wallets.map((w) => balance(hardest, 1, w.address, at));
        for (const one of held) expect(one).toBeGreaterThan(0n);
        expect(held.reduce((sum, one) => sum + one, 0n)).toBeLessThan(all);
      }),
    );
  });
});

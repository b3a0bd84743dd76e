import { describe, expect, it } from "vitest";
import { ETH_USDC, ETH_USDC_BASE, WBTC_WETH } from "../../src/simulator/listed-pools.ts";
import { TREASURY_WALLET } from "../../src/simulator/listed-tokens.ts";
import { createMarket } from "../../src/simulator/market.ts";
import { LISTED_POSITIONS } from "../../src/simulator/positions.ts";
import { ScriptError, type ScriptEvent } from "../../src/simulator/script.ts";

const START = Date.UTC(2026, 2, 14, 9, 48);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const plain = createMarket({ seed: 7, start: START });

function bent(...script: ScriptEvent[]) {
  return createMarket({ seed: 7, start: START, script });
}

/** What the script makes of a pool's price and TVL at `t`, against the same market without it. */
function change(script: ScriptEvent, pool: string, chainId: number, t: number) {
  const before = plain.pool(chainId, pool, START + t)!;
  const after = bent(script).pool(chainId, pool, START + t)!;
  return { price: after.price0 / before.price0, tvl: after.tvl_usd / before.tvl_usd, after };
}

describe("a price event", () => {
  const there: ScriptEvent = {
    kind: "price",
    pool: ETH_USDC,
    factor: 1.2,
    at: 10 * MINUTE,
    over: 10 * MINUTE,
  };
  const andBack: ScriptEvent = { ...there, hold: 30 * MINUTE, back: 10 * MINUTE };

  it("moves the price by its factor and leaves it there", () => {
    expect(change(there, ETH_USDC, 1, 9 * MINUTE).price).toBe(1);
    expect(change(there, ETH_USDC, 1, 15 * MINUTE).price).toBeCloseTo(Math.sqrt(1.2), 1);
    expect(change(there, ETH_USDC, 1, 21 * MINUTE).price).toBeCloseTo(1.2, 9);
    expect(change(there, ETH_USDC, 1, 48 * HOUR).price).toBeCloseTo(1.2, 9);
  });

  it("comes back when it says so", () => {
    expect(change(andBack, ETH_USDC, 1, 49 * MINUTE).price).toBeCloseTo(1.2, 9);
    expect(change(andBack, ETH_USDC, 1, 61 * MINUTE).price).toBeCloseTo(1, 12);
  });

  it("takes the pools along that follow, and no other", () => {
    expect(change(there, ETH_USDC_BASE, 8453, HOUR).price).toBeCloseTo(1.2, 9);
    const { price, after } = change(there, WBTC_WETH, 1, HOUR);
    expect(price).toBe(1);
    // A bitcoin costs as many ether as before, and each of them is dearer.
    const ether = bent(there).pool(1, ETH_USDC, START + HOUR)!.price0;
    expect(Math.abs(after.token1.price / ether - 1)).toBeLessThan(0.005);
  });

  it("at once, with `over: 0`", () => {
    const jump: ScriptEvent = { ...there, over: 0 };
    expect(change(jump, ETH_USDC, 1, 11 * MINUTE).price).toBeCloseTo(1.2, 9);
  });
});

describe("a liquidity event", () => {
  it("takes its share of what is not in listed positions, and leaves the price alone", () => {
    const pulled: ScriptEvent = {
      kind: "liquidity",
      pool: ETH_USDC,
      factor: 0.6,
      at: 10 * MINUTE,
      over: 5 * MINUTE,
    };
    const { price } = change(pulled, ETH_USDC, 1, 16 * MINUTE);
    expect(price).toBe(1);
    const others = (market: typeof plain) => {
      const at = START + 16 * MINUTE;
      const pool = market.pool(1, ETH_USDC, at)!;
      let [usd, liquidity] = [pool.tvl_usd, Number(pool.liquidity)];
      for (const { nft } of LISTED_POSITIONS.filter((one) => one.pool === ETH_USDC)) {
        const position = market.position(1, "dexa", nft, at)!;
        const { lower_tick: lower, upper_tick: upper } = position;
        usd -= position.core_total_usd;
        if (lower <= pool.current_tick && pool.current_tick < upper) {
          liquidity -= Number(position.liquidity);
        }
      }
      return { usd, liquidity };
    };
    const [before, after] = [others(plain), others(bent(pulled))];
    expect(after.usd / before.usd).toBeCloseTo(0.6, 6);
    expect(after.liquidity / before.liquidity).toBeCloseTo(0.6, 6);
  });
});

describe("a tips event", () => {
  const hour = Math.ceil(START / HOUR) * HOUR;
  const raised: ScriptEvent = {
    kind: "tips",
    chain: 1,
    factor: 5,
    at: hour - START,
    for: 30 * MINUTE,
  };

  it("raises the tips of its chain for its time, and so the average by its share", () => {
    const tip = (market: typeof plain, chain: number, start: number): number => {
      const record = market.gasHours(chain, start, start, start + HOUR)[0];
      return Number(record?.avg_priority_fee_top10_threshold);
    };
    expect(tip(bent(raised), 1, hour) / tip(plain, 1, hour)).toBeCloseTo(3, 0);
    expect(tip(bent(raised), 1, hour + HOUR)).toBe(tip(plain, 1, hour + HOUR));
    expect(tip(bent(raised), 1, hour - HOUR)).toBe(tip(plain, 1, hour - HOUR));
    expect(tip(bent(raised), 137, hour)).toBe(tip(plain, 137, hour));
  });

  it("never takes Polygon's tips below their floor", () => {
    const fallen: ScriptEvent = { ...raised, chain: 137, factor: 0.01 };
    const record = bent(fallen).gasHours(137, hour, hour, hour + HOUR)[0];
    expect(Number(record?.avg_priority_fee_top10_threshold)).toBeGreaterThan(25e9);
  });
});

describe("an impossible event", () => {
  const close = { kind: "close", at: 0 } as const;
  const price = { kind: "price", pool: ETH_USDC, factor: 2, at: 0, over: 1 } as const;

  const transfer = {
    kind: "transfer",
    chain: 1,
    wallet: TREASURY_WALLET,
    amount: 1,
    at: 0,
  } as const;

  it.each<[string, ScriptEvent]>([
    ["no pool", { ...price, pool: "0x12" }],
    ["no pool", { kind: "liquidity", pool: "0x12", factor: 2, at: 0, over: 1 }],
    ["no chain", { kind: "tips", chain: 5, factor: 2, at: 0, for: 1 }],
    ["no position", { ...close, position: { chain: 1, protocol: "dexa", nft: "1" } }],
    ["`factor` must be above zero", { ...price, factor: 0 }],
    ["`factor` must be above zero", { ...price, factor: Number.NaN }],
    ["`at` must be a number", { ...price, at: Number.POSITIVE_INFINITY }],
    ["`over` must be zero or more", { ...price, over: -1 }],
    ["`hold` needs `back`", { ...price, hold: 1 }],
    ["`hold` and `back` must be", { ...price, hold: 1, back: -1 }],
    ["no token on chain 10", { kind: "mint", chain: 10, amount: 1, at: 0 }],
    ["no token on chain 56", { kind: "holders", chain: 56, factor: 1, at: 0, over: 1 }],
    ["no wallet 0x12 on chain 1", { ...transfer, wallet: "0x12" }],
    ["no wallet", { ...transfer, chain: 143 }],
    ["`amount` must be a whole number", { ...transfer, amount: 0.5 }],
    ["`amount` must be a whole number", { kind: "mint", chain: 1, amount: 0, at: 0 }],
    ["`amount` must be a whole number", { kind: "mint", chain: 1, amount: Number.NaN, at: 0 }],
    ["`at` must be a number", { kind: "mint", chain: 1, amount: 1, at: Number.NaN }],
    ["`factor` must be above zero", { kind: "holders", chain: 1, factor: 0, at: 0, over: 1 }],
    ["`over` must be zero or more", { kind: "holders", chain: 1, factor: 1, at: 0, over: -1 }],
    ["`amount` burns more than half", { kind: "mint", chain: 1, amount: -4_706_254_166, at: 0 }],
    ["`amount` takes more than half", { ...transfer, amount: -3_107_251 }],
    ["`amount` moves more than a quarter", { ...transfer, amount: 2_353_127_083 }],
    ["`for` must be zero or more", { kind: "tips", chain: 1, factor: 2, at: 0, for: -1 }],
  ])("is refused with its number: %s", (problem, event) => {
    expect(() => bent(price, event)).toThrow(ScriptError);
    expect(() => bent(price, event)).toThrow(`script event 2: ${problem}`);
  });

  it("is refused for what it does together with those before it in time", () => {
    const half = { ...transfer, amount: -3_107_250 };
    expect(() => bent(half)).not.toThrow();
    expect(() =>
      bent({ ...half, amount: 3_200_000, at: 5 }, { ...half, at: 9 }, half),
    ).not.toThrow();
    expect(() => bent({ ...half, at: 9 }, { ...half, at: 5 })).toThrow(
      "script event 1: `amount` takes more than half",
    );
  });
});

import { describe, expect, it } from "vitest";
import type { Reading } from "../../src/kinds/kind.ts";
import { tokenPrice } from "../../src/kinds/token-price.ts";
import type { RawRecord } from "../../src/model/index.ts";
import { answersOf, ok } from "./records.ts";
import { priceRecord, TOKEN, TOKEN_KEY } from "./token-records.ts";

const subject = tokenPrice.subject({ chainId: 1, id: TOKEN, protocol: null, name: null });
const NOW = Date.UTC(2026, 10, 27, 14, 20);

function read(changes: RawRecord = {}): Reading {
  return tokenPrice.read(subject, answersOf({ token_price: ok(priceRecord(changes)) }), NOW);
}

function value(name: string, changes: RawRecord = {}): string | null {
  return read(changes).rows[0]?.value(name)?.toString() ?? null;
}

const market = (changes: RawRecord): RawRecord => ({
  market_data: { ...(priceRecord().market_data as RawRecord), ...changes },
});

describe("a token's price", () => {
  it("is known by chain and address in lower case", () => {
    expect(subject.key).toBe(`token_price:1:${TOKEN_KEY}`);
    expect(tokenPrice.asks(subject, NOW)).toEqual([
      { key: subject.key, record: "token_price", chainId: 1, id: TOKEN_KEY },
    ]);
  });

  it("has the fields of its objects as metrics of its own", () => {
    expect(value("price_usd")).toBe("0.9987");
    expect(value("price_eth")).toBe("0.000478753");
    expect(value("price_btc")).toBe("0.0000109");
    expect(value("market_cap_usd")).toBe("9400284000.12");
    expect(value("price_change_24h")).toBe("-0.0011");
    expect(value("circulating_supply")).toBe("9412508331.27");
    expect(value("symbol")).toBe("AUSD");
    expect(value("current_price")).toBeNull();
    expect(read().trouble).toBe("max_supply is null");
    expect(tokenPrice.metrics.get("price_usd")).toMatchObject({ quantity: "usd", label: "price" });
    expect(tokenPrice.metrics.get("price_change_percentage_24h")).toMatchObject({
      quantity: "percent",
      signed: true,
    });
  });

  it("takes prices as text, to their last digit", () => {
    expect(value("price_usd", { current_price: { usd: "0.998700000000000000001" } })).toBe(
      "0.998700000000000000001",
    );
    expect(value("price_usd", { current_price: { usd: 1e-18 } })).toBe("0.000000000000000001");
  });

  it.each([
    null,
    undefined,
    [],
    "0.99",
    7,
    { usd: null },
    { usd: -1 },
    { usd: "NaN" },
    { usd: {} },
  ])("is not known when current_price is %j", (current_price) => {
    expect(value("price_usd", { current_price })).toBeNull();
    expect(value("volume_24h_usd", { current_price })).toBe("51000000");
  });

  it("is not 0 for a token that has a market", () => {
    const nothing = { current_price: { usd: 0, eth: 0, btc: 0 } };
    expect(value("price_usd", nothing)).toBeNull();
    expect(read(nothing).trouble).toContain("price_usd is 0 with a market");
    expect(value("price_usd", { ...nothing, ...market({ market_cap_usd: 0 }) })).toBe("0");
    expect(value("price_usd", { ...nothing, market_data: null })).toBe("0");
    expect(value("market_cap_usd", market({ market_cap_usd: 0 }))).toBeNull();
    expect(value("market_cap_usd", market({ market_cap_usd: 0, circulating_supply: 0 }))).toBe("0");
  });

  it("tells when it was made, so that a lagging record is known", () => {
    expect(tokenPrice.ownTime).toBe("last_updated");
    expect(value("last_updated")).toBe("1795789170.5");
    expect(read().marks()).toEqual([{ key: subject.key, block: null, time: 1_795_789_170 }]);
    expect(read({ last_updated: "now" }).marks()).toEqual([
      { key: subject.key, block: null, time: null },
    ]);
  });

  it("is called by its symbol and says what a price counts", () => {
    const { label } = read().describe();
    const unit = (metric: string) => read().describe().unit(metric);
    expect(label).toBe("AUSD");
    expect(unit("price_usd")).toBe("");
    expect(unit("price_eth")).toBe("ETH per AUSD");
    expect(unit("total_supply")).toBe("AUSD");
    expect(read({ symbol: "\u202e" }).describe().label).toBe("0x000000…012a");
    expect(read({ symbol: null }).describe().unit("price_btc")).toBe("BTC per token");
  });
});

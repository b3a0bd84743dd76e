import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import type { Clock } from "../../src/base/clock.ts";
import { Secret } from "../../src/base/text.ts";
import { createHttpSource } from "../../src/fetch/http.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { DEMO_KEY, type Service, startService } from "../../src/serve/server.ts";
import {
  ESCROW_WALLET,
  LISTED_TOKENS,
  STABLECOIN,
  TREASURY_WALLET,
} from "../../src/simulator/listed-tokens.ts";
import { createMarket } from "../../src/simulator/market.ts";
import { DEMO_SEED } from "../../src/simulator/units.ts";
import { askerOf, fault } from "./asking.ts";
import { expectFields } from "./records.ts";

const START = Date.UTC(2026, 2, 14, 9, 48);
const market = createMarket({
  seed: DEMO_SEED,
  start: START,
  script: [{ kind: "mint", chain: 137, amount: 5, at: 30_000 }],
});
let now = START;
const clock: Clock = {
  now: () => now,
  at: () => () => {},
  elapsed: () => 0,
  after: () => () => {},
};
let service: Service;
const { ask, records } = askerOf(() => service.baseUrl);

beforeAll(async () => {
  service = await startService({ world: market, clock, apiKey: DEMO_KEY });
});
afterAll(() => service.close());

const SUPPLY = ENDPOINTS.supply.path;
const BALANCE = ENDPOINTS.balance.path;
const COUNT = ENDPOINTS.holder_count.path;
const OTHER_TOKEN = `0x${"ab".repeat(20)}`;
const ENDPOINTS_OF_TOKENS = [SUPPLY, `${BALANCE}?wallet=${TREASURY_WALLET}`, COUNT].map((path) =>
  path.includes("?") ? `${path}&` : `${path}?`,
);

describe("token records", () => {
  it("have the contract's fields and types, on every chain", async () => {
    for (const { chainId, wallets } of LISTED_TOKENS) {
      const query = `chain_id=${chainId}&token=${STABLECOIN}`;
      const [supply, ...more] = await records(`${SUPPLY}?${query}`);
      expectFields(supply, ENDPOINTS.supply.fields);
      expect(more).toEqual([]);
      expect(supply).toEqual(market.supply(chainId, STABLECOIN, now));
      const [count] = await records(`${COUNT}?${query}`);
      expectFields(count, ENDPOINTS.holder_count.fields);
      for (const wallet of [OTHER_TOKEN, ...wallets.map(({ address }) => address)]) {
        const [balance] = await records(`${BALANCE}?${query}&wallet=${wallet}`);
        expectFields(balance, ENDPOINTS.balance.fields);
        expect(balance).toMatchObject({ chain_id: chainId, wallet_address: wallet });
      }
    }
  });

  it("are exact beyond 2^53", async () => {
    const [supply] = await records(`${SUPPLY}?chain_id=1&token=${STABLECOIN}`);
    expect(supply?.total_supply).toBe("9412508331274519");
    const query = `chain_id=1&token=${STABLECOIN}&wallet=${ESCROW_WALLET}`;
    expect((await records(`${BALANCE}?${query}`))[0]?.balance).toBe("640000000000001");
  });

  it("are found in any letter case, and are left out for another token", async () => {
    for (const path of ENDPOINTS_OF_TOKENS) {
      const query = `chain_id=1&token=${OTHER_TOKEN}&token=${STABLECOIN.toLowerCase()}`;
      const found = await records(path + query);
      expect(found.map((record) => record.token_address)).toEqual([STABLECOIN]);
      expect(await records(`${path}chain_id=1&token=${OTHER_TOKEN}`)).toEqual([]);
    }
  });

  it("are asked about up to 20 at once", async () => {
    for (const path of ENDPOINTS_OF_TOKENS) {
      const query = `chain_id=1${`&token=${STABLECOIN}`.repeat(20)}`;
      expect(await records(path + query)).toHaveLength(20);
      const more = await ask(`${path}${query}&token=${STABLECOIN}`);
      expect(fault(more)).toBe("400 too_many_values");
    }
  });

  it("move with the clock", async () => {
    const path = `${SUPPLY}?chain_id=137&token=${STABLECOIN}`;
    const [before] = await records(path);
    now += 60_000;
    const [after] = await records(path);
    now = START;
    expect(BigInt(String(after?.total_supply)) - BigInt(String(before?.total_supply))).toBe(
      5_000_000n,
    );
  });

  it("need the key, and the right one", async () => {
    for (const path of ENDPOINTS_OF_TOKENS) {
      const whole = `${path}chain_id=1&token=${STABLECOIN}`;
      expect(fault(await ask(whole, {}, null))).toBe("401 missing_key");
      expect(fault(await ask(whole, {}, `${DEMO_KEY}x`))).toBe("401 invalid_key");
    }
  });
});

describe("a faulty parameter", () => {
  const good = `chain_id=1&token=${STABLECOIN}`;
  const balance = `${BALANCE}?${good}`;
  it.each([
    ["missing_parameter", `${SUPPLY}?token=${STABLECOIN}`],
    ["missing_parameter", `${SUPPLY}?chain_id=1`],
    ["missing_parameter", `${COUNT}?chain_id=1`],
    ["missing_parameter", `${COUNT}?token=${STABLECOIN}`],
    ["missing_parameter", balance],
    ["missing_parameter", `${BALANCE}?chain_id=1&wallet=${TREASURY_WALLET}`],
    ["missing_parameter", `${BALANCE}?token=${STABLECOIN}&wallet=${TREASURY_WALLET}`],
    ["duplicate_parameter", `${SUPPLY}?${good}&chain_id=1`],
    ["duplicate_parameter", `${balance}&wallet=${TREASURY_WALLET}&wallet=${ESCROW_WALLET}`],
    ["unknown_parameter", `${SUPPLY}?${good}&wallet=${TREASURY_WALLET}`],
    ["unknown_parameter", `${COUNT}?${good}&first=5`],
    ["unknown_parameter", `${SUPPLY}?${good}&tokens=${STABLECOIN}`],
    ["unknown_parameter", `${balance}&wallet=${TREASURY_WALLET}&from=2026-03-01`],
    ["bad_value", `${SUPPLY}?chain_id=1&token=`],
    ["bad_value", `${SUPPLY}?chain_id=1&token=AUSD`],
    ["bad_value", `${SUPPLY}?chain_id=1&token=${STABLECOIN.slice(0, -1)}`],
    ["bad_value", `${SUPPLY}?${good},${STABLECOIN}`],
    ["bad_value", `${SUPPLY}?${good}&token=0x12`],
    ["bad_value", `${COUNT}?chain_id=one&token=${STABLECOIN}`],
    ["bad_value", `${COUNT}?chain_id=1&token=${STABLECOIN}0`],
    ["bad_value", `${balance}&wallet=`],
    ["bad_value", `${balance}&wallet=${TREASURY_WALLET.slice(2)}`],
    ["bad_value", `${balance}&wallet=treasury`],
    ["unsupported_chain", `${SUPPLY}?chain_id=10&token=${STABLECOIN}`],
    ["unsupported_chain", `${COUNT}?chain_id=8453&token=${STABLECOIN}`],
    ["unsupported_chain", `${COUNT}?chain_id=5&token=${STABLECOIN}`],
    ["unsupported_chain", `${BALANCE}?chain_id=56&token=${STABLECOIN}&wallet=${ESCROW_WALLET}`],
  ])("is refused as %s: %s", async (code, path) => {
    expect(fault(await ask(path))).toBe(`400 ${code}`);
  });
});

describe("a token watch over HTTP", () => {
  it.each([
    ["token_supply", "total_supply", "9412508331274519"],
    ["token_balance", "balance", "6214500318207"],
    ["holder_count", "holder_count", "48412"],
  ])("%s reads its metric from the service", async (name, metric, expected) => {
    const kind = KINDS.get(name)!;
    const subject = kind.subject({
      chainId: 1,
      id: STABLECOIN,
      protocol: null,
      wallet: TREASURY_WALLET,
      name: null,
    });
    const source = createHttpSource({
      baseUrl: service.baseUrl,
      apiKey: new Secret(DEMO_KEY),
      timeoutMs: 5_000,
      concurrency: 1,
      requestsPerSecond: 100,
    });
    const [request, ...more] = source.plan(kind.asks(subject, now));
    expect(more).toEqual([]);
    const [answer] = await source.fetch(request!, new AbortController().signal);
    await source.close();
    const reading = kind.read(
      subject,
      ({ key }) => (key === request!.asks[0]?.key ? answer : undefined),
      now,
    );
    expect(reading.trouble).toBeNull();
    expect(reading.rows[0]?.value(metric)?.toString()).toBe(expected);
  });
});

import { describe, it, type TestContext } from "vitest";
import type { Notice } from "../../src/model/index.ts";
import type { Fault } from "../../src/serve/faults.ts";
import { ETH_USDC, V3_WETH_USDT } from "../../src/simulator/listed-pools.ts";
import { STABLECOIN, TREASURY_WALLET } from "../../src/simulator/listed-tokens.ts";
import {
  ENTRY_LISTS,
  entriesBetween,
  rulesOfEveryKind,
  toldEntries,
} from "../support/every-kind.ts";
import { MARKET_START, MarketWorld } from "../support/market-world.ts";
import { pass } from "../support/tier.ts";

const MINUTE = 60_000;
const EVERY = 3 * MINUTE;
/** Rounds before the fault, while it lasts and when it is over. */
const [BEFORE, DURING, AFTER] = [2, 4, 3];

/** What an alert, or a source, has to say of the whole fault. */
const NO_DATA = "no_data data_back";
const DOWN = "source_down source_up";
/** Of records that are older than before; only where records tell their time. */
const BASELINE = "baseline";

type Given<F> = F extends Fault ? Omit<F, "at" | "for" | "endpoint"> : never;

interface Case {
  readonly name: string;
  readonly fault: Given<Fault>;
  /** Every one of these is told, and nothing else. */
  readonly told: readonly string[];
}

const status = (code: number, told: readonly string[], retryAfter: number | null = null): Case => ({
  name: `status ${code}`,
  fault: { kind: "status", status: code, retryAfter },
  told,
});

const nulls = (name: string, told: readonly string[], ...fields: readonly string[]): Case => ({
  name: `null for ${name}`,
  fault: { kind: "null", fields },
  told,
});

/** What the rules look at, as it is called in either family. */
const VALUES = [
  "avg_base_fee",
  "balance",
  "close",
  "decimals",
  "fee",
  "holder_count",
  "lower_tick",
  "price_usd",
  "symbol",
  "total_supply",
  "total_value_locked_usd",
  "tvl_usd",
  "volume_24h",
];

const CASES: readonly Case[] = [
  // Where everything is refused the source is told of once, and not each of its subjects.
  status(400, [DOWN]),
  status(404, [DOWN]),
  status(401, [DOWN]),
  status(403, [DOWN]),
  status(500, [DOWN]),
  status(429, [DOWN], 0),
  status(503, [DOWN], 0),
  { name: "answers that take their time", fault: { kind: "slow", ms: 60 }, told: [] },
  { name: "empty answers", fault: { kind: "empty" }, told: [NO_DATA, DOWN] },
  { name: "pages for people", fault: { kind: "html" }, told: [DOWN] },
  { name: "JSON that ends in its middle", fault: { kind: "truncated" }, told: [DOWN] },
  {
    name: "answers without what was asked for",
    fault: {
      kind: "missing",
      ids: [ETH_USDC, V3_WETH_USDT, STABLECOIN.toLowerCase(), TREASURY_WALLET, "91777"],
    },
    told: [NO_DATA, DOWN],
  },
  nulls("values", [NO_DATA], ...VALUES),
  nulls("ids", [NO_DATA], "pool_id", "pool_address", "token_address", "wallet_address", "nft_id"),
  nulls("senders", [], "sender", "sender_id", "recipient"),
  nulls("names of transactions", [NO_DATA], "transaction_hash", "id"),
  nulls("blocks and times", [NO_DATA], "block_number", "tx_at_block_number", "timestamp"),
  { name: "nothing", fault: { kind: "hang" }, told: [DOWN] },
  { name: "what was true before", fault: { kind: "lag", ms: 45 * MINUTE }, told: [BASELINE] },
];

/** Of each alert and each source the kinds of its notices, in order; entries and what a start found left out. */
function stories(told: readonly Notice[]): readonly string[] {
  const by = new Map<string, string[]>();
  for (const { rule, subject, kind, began } of told) {
    if (kind === "started" || began === true || (kind === "changed" && isOfEntries(rule))) continue;
    const key = `${rule} ${subject}`;
    by.set(key, [...(by.get(key) ?? []), kind]);
  }
  return [...by.values()].map((kinds) => kinds.join(" "));
}

function isOfEntries(rule: string | null): boolean {
  return ENTRY_LISTS.some((list) => list.rule === rule);
}

async function tellsRightly({ fault, told }: Case, test: TestContext): Promise<void> {
  const { expect } = test;
  const at = (BEFORE + 0.5) * EVERY;
  const world = await MarketWorld.create(test, {
    rules: rulesOfEveryKind(),
    faults: [{ ...fault, endpoint: null, at, for: DURING * EVERY }],
    silenceMs: 250,
    isSilent: (now) => {
      const since = now - MARKET_START - at;
      return fault.kind === "hang" && since >= 0 && since < DURING * EVERY;
    },
  });
  await world.rounds(1, EVERY);
  const begun = world.now();
  await world.rounds(BEFORE - 1 + DURING + AFTER, EVERY);

  // No alert fires, resolves or changes, and nothing is said twice.
  expect([...new Set(stories(world.told))].toSorted()).toEqual([...told].toSorted());
  const ids = world.told.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  // Of lists exactly what the service says was new is told, oldest first.
  for (const list of ENTRY_LISTS) {
    const expected = entriesBetween(world.market, list, begun, world.now());
    expect(expected.length).toBeGreaterThan(0);
    expect(toldEntries(world.told, list)).toEqual(expected);
  }
  // And all goes on: every alert knows its value again, and is what it was before.
  for (const { rule, alerts } of world.app.rounds.memory.rules) {
    for (const { alert } of alerts) {
      expect([rule.name, alert?.missing, alert?.state]).toEqual([
        rule.name,
        null,
        rule.name.endsWith("always") ? "firing" : "ok",
      ]);
    }
  }
  expect(world.records.at(-1)?.failed).toBe(0);
  expect(world.errors).toEqual([]);
}

describe("every watch kind, while the service answers with", () => {
  it.for(pass(CASES, "status 401"))("$name", tellsRightly);
});

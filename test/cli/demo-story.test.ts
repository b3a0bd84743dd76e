import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { DEMO_SCRIPT } from "../../src/simulator/demo.ts";
import { createMarket } from "../../src/simulator/market.ts";
import { DEMO_SEED } from "../../src/simulator/units.ts";
import { MARKET_START, MarketWorld } from "../support/market-world.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { WHOLE } from "../support/tier.ts";

const MINUTE = 60_000;
/** The story begins at minute 48 of an hour. */
const STORY_START = MARKET_START + 9 * MINUTE;

/** The rules that come with the package, in one file. */
function packageRules(): string {
  const texts = readdirSync("rules")
    .filter((name) => name.endsWith(".yaml") && !name.endsWith(".test.yaml"))
    .map((name) => readFileSync(`rules/${name}`, "utf8"));
  const parts = texts.map((text) => text.split(/^(?=rules:$)/m));
  const lists = parts.flatMap((sections) => sections.filter((one) => one.includes("lists:\n")));
  const rules = parts.map((sections) => sections.at(-1)?.replace(/^rules:\n/, "") ?? "");
  return [...lists, "rules:\n", ...rules].join("\n");
}

const STORY: readonly (readonly [minute: number, told: string])[] = [
  // Found at the start: these two are out of range all the time.
  [-8, "my-range fired"],
  [-8, "my-range fired"],
  [6, "price-move fired"],
  [7, "price-move worse"],
  [10, "net-mint fired"],
  [11, "my-range fired"],
  [12, "chain-outflow fired"],
  [17, "tip-spike fired"],
  [22, "price-move resolved"],
  [27, "price-move fired"],
  [28, "near-the-edge fired"],
  [28, "price-move worse"],
  [29, "near-the-edge resolved"],
  [29, "price-move worse"],
  [33, "my-range resolved"],
  [34, "treasury-low fired"],
  [41, "tvl-drop fired"],
  [43, "tvl-drop worse"],
  [44, "tip-spike resolved"],
  [44, "price-move resolved"],
  [50, "holders-leave fired"],
  [50, "holders-milestone changed"],
  [63, "tvl-drop resolved"],
  [70, "treasury-low resolved"],
  [81, "my-range resolved"],
];

it("the demo's story is told by the rules of the package, each part once and at its minute", async (test) => {
  const market = createMarket({ seed: DEMO_SEED, start: STORY_START, script: DEMO_SCRIPT });
  const world = await MarketWorld.create(test, {
    rules: packageRules(),
    market,
    store: createMemoryStore(),
  });
  const last = WHOLE ? 90 : 17;
  await world.rounds(9 + last);
  const told = world.told
    .filter(({ kind }) => kind !== "started")
    .map(({ at, kind, rule }) => [(at - STORY_START) / MINUTE, `${rule} ${kind}`]);
  expect(told).toEqual(STORY.filter(([minute]) => minute <= last));
});

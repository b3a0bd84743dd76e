import { describe, expect, it } from "vitest";
import type { Ask } from "../../src/model/index.ts";
import { AVALANCHE, ETHEREUM, fails, story } from "../support/outage-story.ts";
import { failed, ok, positionRecord } from "../support/world.ts";

const pools = (name: string, chain: number, ids: readonly string[], more = ""): string =>
  `  - {name: ${name}, watch: {kind: v4_pool, chain: ${chain}, pools: [${ids.join(", ")}]}, when: {metric: tvl_usd, below: 500}${more}}\n`;

describe("a key that is refused", () => {
  const refused = fails("unauthorized", "answered 401");

  it("is told also while people know of a chain that is down for another reason", async () => {
    const { lines, headlines } = await story((ask, minute) => {
      if (minute >= 30 && minute <= 50) return refused;
      return ask.chainId === 43114 && minute >= 13 && minute < 30 ? failed : null;
    });
    expect(lines).toEqual([
      "18 source_down chain:43114",
      "34 source_down service",
      "51 source_up chain:43114",
      "51 source_up service",
    ]);
    expect(headlines[1]).toContain("the API key is refused");
  });

  it("for a part only is told anew once it is refused for all", async () => {
    const { lines } = await story((ask, minute) => {
      if (minute >= 30 && minute <= 50) return refused;
      return ask.chainId === 43114 && minute >= 13 && minute < 30 ? refused : null;
    });
    expect(lines).toEqual([
      "18 source_down chain:43114",
      "34 source_down service",
      "51 source_up chain:43114",
      "51 source_up service",
    ]);
  });

  it("is told once, also where the rest was answered shortly before", async () => {
    const rules = `rules:
${pools("pools", 1, ETHEREUM)}  - {name: tips, watch: {kind: gas, chain: [1, 137]}, when: {metric: tip_top10, above: 100 gwei}, schedule: 4m}
`;
    const { lines } = await story(
      (ask, minute) =>
        minute >= (ask.record === "v4_pool" ? 11 : 13) && minute <= 50 ? refused : null,
      { rules },
    );
    expect(lines).toEqual(["15 source_down v4_pool", "51 source_up v4_pool"]);
  });
});

describe("of several scopes in which nothing is answered", () => {
  const CHAIN_137 = ETHEREUM.slice(0, 2);

  it("the one with the most that was asked for is told", async () => {
    const rules = `rules:
${pools("pools", 137, CHAIN_137)}  - {name: tips, watch: {kind: gas, chain: [137, 1]}, when: {metric: tip_top10, above: 100 gwei}, schedule: 1m}
`;
    const { lines } = await story(
      (ask, minute) => (ask.chainId === 137 && minute >= 13 && minute <= 40 ? failed : null),
      { rules },
    );
    expect(lines).toEqual(["17 source_down chain:137", "41 source_up chain:137"]);
  });

  it("of as many the one of which all was asked for is told", async () => {
    const rules = `rules:
${pools("pools", 137, CHAIN_137)}${pools("slow", 1, ETHEREUM.slice(2), ", schedule: 30m")}`;
    const { lines } = await story(
      (ask, minute) => (ask.chainId === 137 && minute >= 13 && minute <= 28 ? failed : null),
      { rules },
    );
    expect(lines).toEqual(["17 source_down chain:137", "29 source_up chain:137"]);
  });

  it("each chain has its own", async () => {
    const rules = `rules:
${pools("a", 1, ETHEREUM.slice(0, 2))}${pools("b", 137, ETHEREUM.slice(2))}${pools("c", 43114, AVALANCHE)}`;
    const { lines } = await story(
      (ask, minute) => (ask.chainId !== 43114 && minute >= 13 && minute <= 28 ? failed : null),
      { rules },
    );
    expect(lines).toEqual([
      "17 source_down chain:1",
      "17 source_down chain:137",
      "29 source_up chain:1",
      "29 source_up chain:137",
    ]);
  });

  it("one that is too young for a rule is told to another", async () => {
    const rules = `rules:
${pools("patient", 1, ETHEREUM.slice(0, 1))}${pools("hasty", 1, ETHEREUM.slice(1), ", missing_after: 2m")}${pools("elsewhere", 137, AVALANCHE)}`;
    const { lines } = await story(
      (ask, minute) => {
        const from = ask.id === ETHEREUM[0] ? 14 : 16;
        return ask.chainId === 1 && minute >= from && minute <= 28 ? failed : null;
      },
      { rules },
    );
    const subject = `v4_pool:1:${ETHEREUM[0] ?? ""}`;
    expect(lines).toEqual([
      `18 no_data ${subject}`,
      "18 source_down chain:1",
      `29 data_back ${subject}`,
      "29 source_up chain:1",
    ]);
  });

  it("a part of one that is told in the same round is not told, whatever the order of rules", async () => {
    const position =
      "  - {name: range, watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}, when: {metric: in_range, equals: false}, missing_after: 8m}\n";
    const other = pools("pools", 1, ETHEREUM);
    for (const rules of [`rules:\n${other}${position}`, `rules:\n${position}${other}`]) {
      const { lines } = await story(
        (ask, minute) => {
          const from = ask.record === "v4_position" ? 10 : 13;
          if (minute >= from && minute <= 28) return failed;
          return ask.record === "v4_position" ? ok(positionRecord({ pool_id: ETHEREUM[0] })) : null;
        },
        { rules },
      );
      expect(lines).toEqual(["17 source_down service", "29 source_up service"]);
    }
  });
});

describe("what an outage blinds", () => {
  it("is counted by rules and alerts that lack what is not answered, and are not known to", async () => {
    const { headlines } = await story((ask, minute) => {
      if (ask.chainId === 43114 && minute >= 13 && minute <= 50) return failed;
      return minute >= 25 && minute <= 40 ? failed : null;
    });
    expect(headlines[1]).toBe("⚪ Source down 5 min: the data service. 3 rules, 8 alerts blind");
    const ofPools = await story((ask, minute) =>
      ask.record === "v4_pool" && minute >= 13 && minute <= 40 ? failed : null,
    );
    expect(ofPools.headlines[0]).toBe(
      "⚪ Source down 5 min: V4 pools. 2 rules, 7 alerts blind, their state is kept",
    );
  });
});

describe("a sum over subjects of one chain", () => {
  const sum = `  - {name: sum, watch: {kind: v4_pool, chain: 1, pools: [${ETHEREUM.join(", ")}]}, across: sum, when: {metric: tvl_usd, below: 500}}\n`;

  it("is blinded by what that chain does not answer, and not told by itself", async () => {
    const rules = `rules:\n${pools("pools", 1, ETHEREUM)}${sum}${pools("other", 137, AVALANCHE)}`;
    const { lines, headlines } = await story(
      (ask, minute) => (ask.chainId === 1 && minute >= 13 && minute <= 28 ? failed : null),
      { rules },
    );
    expect(lines).toEqual(["17 source_down chain:1", "29 source_up chain:1"]);
    expect(headlines[0]).toBe("⚪ No data 5 min: Ethereum. 5 alerts blind, their state is kept");
  });

  it("is told by itself where nothing else is asked for of that chain, or one of them alone fails", async () => {
    const rules = `rules:\n${sum}${pools("other", 137, AVALANCHE)}`;
    for (const isDown of [(ask: Ask) => ask.chainId === 1, (ask: Ask) => ask.id === ETHEREUM[1]]) {
      const { lines } = await story(
        (ask, minute) => (isDown(ask) && minute >= 13 && minute <= 28 ? failed : null),
        { rules },
      );
      expect(lines.map((line) => line.replace(/across:.*/, "sum"))).toEqual([
        "17 no_data sum",
        "29 data_back sum",
      ]);
    }
  });
});

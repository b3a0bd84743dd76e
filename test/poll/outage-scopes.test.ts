import { describe, expect, it } from "vitest";
import type { Answer, Ask } from "../../src/model/index.ts";
import { AVALANCHE, ETHEREUM, fails, story, TOKEN } from "../support/outage-story.ts";
import { absent, failed, ok, poolRecord, positionRecord } from "../support/world.ts";

const pools = (name: string, chain: number, ids: readonly string[], more = ""): string =>
  `  - {name: ${name}, watch: {kind: v4_pool, chain: ${chain}, pools: [${ids.join(", ")}]}, when: {metric: tvl_usd, below: 500}${more}}\n`;

const range = (name: string, id: number | string, schedule: string, chain = 1): string =>
  `  - {name: ${name}, watch: {kind: v4_position, chain: ${chain}, protocol: dexa, positions: [${id}]}, when: {metric: in_range, equals: false}, schedule: "${schedule}"}\n`;

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

  it("is told also where people heard of that chain only afterwards", async () => {
    const { lines } = await story((ask, minute) => {
      if (ask.chainId === 43114 && minute >= 13 && minute <= 18) return failed;
      return minute >= 17 && minute <= 50 ? refused : null;
    });
    expect(lines).toEqual([
      "18 source_down chain:43114",
      "21 source_down service",
      "51 source_up chain:43114",
      "51 source_up service",
    ]);
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

  it("neither is what of one kind, or of one chain, was not answered for longer", async () => {
    const early = `${pools("early", 1, ETHEREUM, ", missing_after: 8m")}${pools("pools", 137, AVALANCHE)}  - {name: supply, watch: {kind: token_supply, chain: 1, token: "${TOKEN}", decimals: 6}, when: {metric: total_supply, below: 5}}\n`;
    const ofKind = await story(
      ({ record, chainId }, minute) =>
        record === "v4_pool" && minute >= (chainId === 1 ? 10 : 13) && minute <= 28 ? failed : null,
      { rules: `rules:\n${early}` },
    );
    expect(ofKind.lines).toEqual(["17 source_down v4_pool", "29 source_up v4_pool"]);
    const positions = (name: string, chain: number, ids: string, more = ""): string =>
      range(name, ids, "1m", chain).replace("}\n", `${more}}\n`);
    const ofChain = await story(
      ({ record, chainId, id }, minute) => {
        const from = record === "v4_position" ? 10 : 13;
        if (chainId === 1 && minute >= from && minute <= 28) return failed;
        if (record !== "v4_position") return null;
        return ok(positionRecord({ nft_id: id, chain_id: chainId, pool_id: ETHEREUM[0] }));
      },
      {
        rules: `rules:\n${pools("pools", 1, ETHEREUM)}${positions("early", 1, "42, 43", ", missing_after: 8m")}${positions("other", 137, "44")}`,
      },
    );
    expect(ofChain.lines).toEqual(["17 source_down chain:1", "29 source_up chain:1"]);
  });
});

describe("an outage that grows", () => {
  it("says what else is not answered, and why", async () => {
    const { notices } = await story(
      ({ chainId }, minute) => {
        if (chainId === 137) return minute >= 13 && minute <= 50 ? failed : null;
        return minute >= 25 && minute <= 40 ? fails("server_error", "answered 503") : null;
      },
      {
        rules: `rules:\n${pools("first", 137, AVALANCHE)}${pools("pools", 1, ETHEREUM)}  - {name: tips, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 100 gwei}, schedule: 1m}\n`,
      },
    );
    const whys = notices.map(
      ({ subject, fields }) => `${subject} ${fields.find(({ name }) => name === "Why")?.value}`,
    );
    expect(whys.slice(0, 2)).toEqual(["chain:137 timed out after 10 s", "chain:1 answered 503"]);
  });

  it("is not told anew of rules that are added in it, where nothing was ever answered", async () => {
    const rules = `rules:\n${pools("pools", 1, ETHEREUM)}`;
    const { lines } = await story((_ask, minute) => (minute <= 40 ? failed : null), {
      rules,
      restartAt: 20,
      edited: `${rules}  - {name: tips, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 100 gwei}, schedule: 1m}\n`,
    });
    expect(lines).toEqual(["5 source_down v4_pool", "41 source_up v4_pool"]);
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

  /** Most are due once an hour; what is asked of the position 43, which is closed, and of swaps is known without their pool. */
  const SLOW = `rules:
${pools("pools", 1, ETHEREUM)}${pools("slow", 137, AVALANCHE, ", schedule: 1h")}${pools("spent", 1, ["0x" + "99".repeat(32)], ', schedule: "0,5 * * * *", once: true')}  - {name: tips, watch: {kind: gas, chain: [1, 137]}, when: {metric: tip_top10, above: 100 gwei}, schedule: 1h}
  - {name: swaps, watch: {kind: v4_swaps, chain: 1, pools: [${ETHEREUM[0]}]}, when: {metric: amount1_abs, above: 1000000000 raw}, schedule: 1m}
${range("open", 42, "1h")}${range("seen", 43, "2m")}${range("now", 43, "17 * * * *")}`;
  const answer = (ask: Ask, minute: number): Answer | null => {
    if (ask.record === "v4_position") {
      const liquidity = ask.id === "43" ? "0" : "5000";
      return ok(positionRecord({ nft_id: ask.id, pool_id: ETHEREUM[0], liquidity }));
    }
    if (ask.record === "v4_swap") return ok();
    const isSpent = ask.id.startsWith("0x99");
    return isSpent ? ok(poolRecord({ pool_id: ask.id, tvl_usd: minute < 5 ? 100 : 1_000 })) : null;
  };

  it("is after a restart also what is looked at later and needs it", async () => {
    const { headlines } = await story(
      (ask, minute) =>
        ask.record === "v4_pool" && minute >= 13 && minute <= 40 ? failed : answer(ask, minute),
      { rules: SLOW, restartAt: 15 },
    );
    expect(headlines[1]).toBe(
      "⚪ Source down 5 min: V4 pools. 3 rules, 8 alerts blind, their state is kept",
    );
  });

  it("is all that needs anything, where the key is refused", async () => {
    const { headlines } = await story(
      (ask, minute) =>
        minute >= 13 && minute <= 40 ? fails("unauthorized", "answered 401") : answer(ask, minute),
      {
        rules: `rules:\n${pools("pools", 1, ETHEREUM)}  - {name: tips, watch: {kind: gas, chain: [1, 137]}, when: {metric: tip_top10, above: 100 gwei}, schedule: 1h}\n`,
        restartAt: 15,
      },
    );
    expect(headlines[0]).toBe(
      "⚪ Source down 5 min: the API key is refused. 2 rules, 6 alerts blind",
    );
  });

  it.each(["first", "last"])(
    "knows nothing since the first of them did not, which is %s",
    async (place) => {
      const early = pools("early", 1, ETHEREUM.slice(0, 1), ", schedule: 3m");
      const others = pools("others", 1, ETHEREUM.slice(1));
      const elsewhere = pools("elsewhere", 137, AVALANCHE);
      const all = place === "first" ? [early, others] : [others, early];
      const { lines, headlines } = await story(
        (ask, minute) => {
          const from = ask.id === ETHEREUM[0] ? 12 : 14;
          return ask.chainId === 1 && minute >= from && minute <= 28 ? failed : null;
        },
        { rules: `rules:\n${all.join("")}${elsewhere}` },
      );
      expect(lines).toEqual(["18 source_down chain:1", "29 source_up chain:1"]);
      expect(headlines[0]).toContain("No data 9 min");
    },
  );
});

describe("what comes back a round after others of its kind", () => {
  it("is not told, at the first start neither", async () => {
    const rules = `rules:\n${pools("pools", 1, ETHEREUM.slice(0, 2))}`;
    const { lines } = await story(
      (ask, minute) => (minute < (ask.id === ETHEREUM[0] ? 5 : 6) ? failed : null),
      { rules },
    );
    expect(lines).toEqual([]);
  });

  it("is told by itself once its rule is patient no more", async () => {
    const rules = `rules:
${pools("pools", 1, ETHEREUM)}${pools("alone", 43114, AVALANCHE.slice(0, 1))}`;
    const { lines } = await story(
      (ask, minute) => (minute >= 13 && minute <= (ask.chainId === 1 ? 40 : 55) ? failed : null),
      { rules },
    );
    const subject = `v4_pool:43114:${AVALANCHE[0] ?? ""}`;
    expect(lines).toEqual([
      "17 source_down v4_pool",
      "41 source_up v4_pool",
      `46 no_data ${subject}`,
      `56 data_back ${subject}`,
    ]);
  });
});

describe("one subject of a chain, over a restart before it is told", () => {
  const ALONE = pools("alone", 137, ETHEREUM.slice(0, 1));
  const tip = (chain: number): string =>
    `  - {name: tip, watch: {kind: gas, chain: ${chain}}, when: {metric: tip_top10, above: 100 gwei}, schedule: 1h}\n`;
  const subject = `v4_pool:137:${ETHEREUM[0] ?? ""}`;
  const BY_ITSELF = [`17 no_data ${subject}`, `41 data_back ${subject}`];
  const down = (ask: Ask, minute: number): boolean =>
    ask.record === "v4_pool" && ask.chainId === 137 && minute >= 13 && minute <= 40;

  it.each<[string, string, (ask: Ask) => Answer | null, readonly string[]]>([
    ["beside one that was answered", tip(137), () => null, BY_ITSELF],
    ["beside one that has no value, though it was answered", tip(137), () => absent, BY_ITSELF],
    ["beside one of another chain that was never answered", tip(1), () => failed, BY_ITSELF],
    [
      "beside one that was never answered",
      tip(137),
      () => failed,
      ["17 source_down chain:137", "41 source_up chain:137"],
    ],
  ])("%s", async (_name, rule, other, expected) => {
    const rules = `rules:\n${ALONE}${rule}${pools("pools", 1, ETHEREUM.slice(1))}`;
    for (const restartAt of [-1, 14, 15, 16]) {
      const { lines } = await story(
        (ask, minute) =>
          down(ask, minute) ? failed : ask.record === "gas_hour" ? other(ask) : null,
        { rules, restartAt, minutes: 45 },
      );
      expect([restartAt, lines]).toEqual([restartAt, expected]);
    }
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

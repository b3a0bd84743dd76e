import { describe, expect, it } from "vitest";
import type { Answer, Ask } from "../../src/model/index.ts";
import { ETHEREUM, fails, ids, OTHER_TOKEN, RULES, story, TOKEN } from "../support/outage-story.ts";
import { failed, ok, poolRecord } from "../support/world.ts";

describe("a restart in an outage", () => {
  it.each([13, 14, 15, 16, 17, 18, 19])(
    "after minute %i forgets nothing that was answered before it",
    async (restartAt) => {
      // Gas of that chain, asked every 5 minutes, is answered: the chain is not down.
      const fault = (ask: Ask, minute: number): Answer | null =>
        minute >= 13 && minute <= 40 && ask.chainId === 1 && ask.record !== "gas_hour"
          ? failed
          : null;
      const { lines } = await story(fault, { restartAt });
      expect(lines).toEqual((await story(fault)).lines);
      expect(lines.filter((line) => line.includes("chain:1"))).toEqual([]);
    },
  );

  it.each([19, 20, 21, 22, 23])(
    "after minute %i is told as one of its chain, also of what is asked again only later",
    async (restartAt) => {
      const rules = `
rules:
  - {name: pool, watch: {kind: v4_pool, chain: 137, pools: [${ETHEREUM[0]}]}, when: {metric: tvl_usd, below: 500}}
  - {name: other, watch: {kind: v4_pool, chain: 1, pools: [${ETHEREUM[1]}]}, when: {metric: tvl_usd, below: 500}}
  - {name: tip, watch: {kind: gas, chain: 137}, when: {metric: tip_top10, above: 100 gwei}, schedule: 10m}
`;
      const fault = (ask: Ask, minute: number): Answer | null =>
        ask.chainId === 137 && minute >= 20 && minute <= 40 ? failed : null;
      const undisturbed = (await story(fault, { rules })).lines;
      expect(undisturbed).toEqual(["24 source_down chain:137", "41 source_up chain:137"]);
      expect((await story(fault, { rules, restartAt })).lines).toEqual(undisturbed);
    },
  );

  it.each([12, 13, 14, 15, 16, 17, 18])(
    "after minute %i leaves a pool as much time as without it, once others are answered again",
    async (restartAt) => {
      const fault = (ask: Ask, minute: number): Answer | null =>
        ask.record === "v4_pool" && ask.chainId === 1 && minute >= 13
          ? minute <= (ask.id === ETHEREUM[0] ? 30 : 16)
            ? failed
            : null
          : null;
      const undisturbed = (await story(fault)).lines;
      expect(undisturbed).toHaveLength(2);
      expect(undisturbed[0]).toMatch(/^18 no_data /);
      expect((await story(fault, { restartAt })).lines).toEqual(undisturbed);
    },
  );
});

describe("an outage of the whole service", () => {
  it.each<[string, Answer]>([
    ["timeouts", failed],
    ["redirects", fails("server_error", "answered 302")],
    ["400 for everything", fails("refused", "answered 400")],
    ["404 for everything", fails("refused", "answered 404")],
    ["a web page", fails("malformed", "the answer is not JSON: maintenance")],
  ])("by %s is one notice, and its end another", async (_, fault) => {
    const { lines, headlines } = await story((_ask, minute) =>
      minute >= 13 && minute <= 40 ? fault : null,
    );
    expect(lines).toEqual(["17 source_down service", "41 source_up service"]);
    expect(headlines[0]).toMatch(
      /^⚪ Source down 5 min: the data service\. 4 rules, 12 alerts blind$/u,
    );
    expect(headlines[1]).toBe("🟢 Source back after 29 min: the data service answers again");
  });

  it("by a key that is refused says so, once", async () => {
    const { lines, headlines } = await story((_ask, minute) =>
      minute >= 13 && minute <= 40 ? fails("unauthorized", "answered 403") : null,
    );
    expect(lines).toEqual(["17 source_down service", "41 source_up service"]);
    expect(headlines[0]).toContain("the API key is refused");
    expect(headlines[1]).toBe("🟢 Source back after 29 min: the API key is accepted again");
  });

  it.each([20, 38, 41])("is one over a restart at %i as well", async (restartAt) => {
    const { lines } = await story(
      (_ask, minute) => (minute >= 13 && minute <= 40 ? failed : null),
      {
        restartAt,
      },
    );
    expect(lines).toEqual(["17 source_down service", "41 source_up service"]);
  });

  it("that ends chain by chain and kind by kind, within the patience of rules, is over as one", async () => {
    const { lines } = await story((ask, minute) => {
      if (minute < 13) return null;
      const late =
        (ask.chainId === 1 ? 0 : ask.chainId === 137 ? 1 : 2) + (ask.record === "supply" ? 1 : 0);
      return minute <= 40 + late ? failed : null;
    });
    expect(lines).toEqual(["17 source_down service", "41 source_up service"]);
  });

  it.each([
    [44, []],
    [55, ["46 no_data sum", "56 data_back sum"]],
  ])(
    "leaves a sum over several chains the time of the last of them, until %i",
    async (until, expected) => {
      const rules = `
rules:
  - {name: pools, watch: {kind: v4_pool, chain: 1, pools: [${ETHEREUM.join(", ")}]}, when: {metric: tvl_usd, below: 500}}
  - {name: sum, watch: {kind: token_supply, chain: [1, 137], token: "${OTHER_TOKEN}", decimals: 6}, across: sum, when: {metric: total_supply, below: 5}}
`;
      for (const restartAt of [-1, 41, 42]) {
        const { lines } = await story(
          (ask, minute) =>
            minute >= 13 && minute <= (ask.chainId === 1 ? 40 : until) ? failed : null,
          { rules, restartAt },
        );
        expect(lines.map((line) => line.replace(/across:.*/, "sum"))).toEqual([
          "17 source_down service",
          "41 source_up service",
          ...expected,
        ]);
      }
    },
  );

  it("leaves what comes back later its time over a restart as well", async () => {
    const late = ids(0x50, 1);
    const rules = `
rules:
  - {name: pools, watch: {kind: v4_pool, chain: 1, pools: [${ETHEREUM.join(", ")}]}, when: {metric: tvl_usd, below: 500}}
  - {name: slow, watch: {kind: v4_pool, chain: 43114, pools: [${late.join(", ")}]}, when: {metric: tvl_usd, below: 500}, schedule: 3m}
`;
    for (const restartAt of [-1, 41]) {
      const { lines } = await story(
        (ask, minute) => (minute >= 13 && minute <= (ask.chainId === 1 ? 40 : 44) ? failed : null),
        { rules, restartAt },
      );
      expect(lines).toEqual(["17 source_down v4_pool", "41 source_up v4_pool"]);
    }
  });

  it("leaves what stays down to be told for itself, as one, when its rules are patient no more", async () => {
    const { lines, headlines } = await story((ask, minute) => {
      if (minute < 13) return null;
      return minute <= 40 || (ask.chainId === 43114 && minute <= 55) ? failed : null;
    });
    expect(lines).toEqual([
      "17 source_down service",
      "41 source_up service",
      "46 source_down chain:43114",
      "56 source_up chain:43114",
    ]);
    expect(headlines[2]).toMatch(
      /^⚪ No data 3\d min: Avalanche\. 4 alerts blind, their state is kept$/u,
    );
    expect(headlines[3]).toMatch(/^🟢 Data back after 4\d min: Avalanche$/u);
  });

  it("that begins again at once is another one", async () => {
    const { lines } = await story((_ask, minute) =>
      (minute >= 13 && minute <= 30) || (minute >= 32 && minute <= 50) ? failed : null,
    );
    expect(lines).toEqual([
      "17 source_down service",
      "31 source_up service",
      "36 source_down service",
      "51 source_up service",
    ]);
  });

  it("at the first start is one as well, whatever it answers", async () => {
    for (const fault of [failed, fails("refused", "answered 404")]) {
      const { lines } = await story((_ask, minute) => (minute <= 30 ? fault : null));
      expect(lines.filter((line) => !line.includes("source_"))).toEqual([]);
      expect(lines).toHaveLength(2);
    }
  });
});

describe("an outage of a part of the service", () => {
  it("one chain of several is one notice, and its end another", async () => {
    const { lines, headlines } = await story((ask, minute) =>
      ask.chainId === 43114 && minute >= 13 && minute <= 40 ? failed : null,
    );
    expect(lines).toEqual(["18 source_down chain:43114", "41 source_up chain:43114"]);
    expect(headlines).toEqual([
      "⚪ No data 6 min: Avalanche. 4 alerts blind, their state is kept",
      "🟢 Data back after 29 min: Avalanche",
    ]);
  });

  it("one kind of records on one chain is one notice", async () => {
    const { lines, headlines } = await story((ask, minute) =>
      ask.record === "v4_pool" && ask.chainId === 1 && minute >= 13 && minute <= 40 ? failed : null,
    );
    expect(lines).toEqual(["17 source_down v4_pool@1", "41 source_up v4_pool@1"]);
    expect(headlines[0]).toBe(
      "⚪ No data 5 min: V4 pools on Ethereum. 4 alerts blind, their state is kept",
    );
  });

  it("one kind of records is one notice", async () => {
    const { lines, headlines } = await story((ask, minute) =>
      ask.record === "v4_pool" && minute >= 13 && minute <= 40 ? failed : null,
    );
    expect(lines).toEqual(["17 source_down v4_pool", "41 source_up v4_pool"]);
    expect(headlines[1]).toBe("🟢 Source back after 29 min: V4 pools answer again");
  });

  it("a single subject among others is told by its own name", async () => {
    for (const fault of [failed, fails("refused", "answered 404")]) {
      const { lines } = await story((ask, minute) =>
        ask.id === ETHEREUM[1] && minute >= 13 && minute <= 40 ? fault : null,
      );
      expect(lines).toEqual([
        `17 no_data v4_pool:1:${ETHEREUM[1] ?? ""}`,
        `41 data_back v4_pool:1:${ETHEREUM[1] ?? ""}`,
      ]);
    }
  });

  it("and so it is where others of its chain fail shortly before it is told, over restarts as well", async () => {
    const rules = `
rules:
  - {name: pools, watch: {kind: v4_pool, chain: 1, pools: [${ETHEREUM.join(", ")}]}, when: {metric: tvl_usd, below: 500}}
`;
    for (const restartAt of [-1, 14, 15, 16]) {
      const { lines } = await story(
        (ask, minute) => {
          const from = ask.id === ETHEREUM[1] ? 13 : 16;
          return minute >= from && minute <= 18 ? failed : null;
        },
        { rules, restartAt, minutes: 30 },
      );
      expect(lines).toEqual([
        `17 no_data v4_pool:1:${ETHEREUM[1] ?? ""}`,
        `19 data_back v4_pool:1:${ETHEREUM[1] ?? ""}`,
      ]);
    }
  });

  it.each([14, 16, 30, 40])("a chain's is one over a restart at %i as well", async (restartAt) => {
    const { lines } = await story(
      (ask, minute) => (ask.chainId === 43114 && minute >= 13 && minute <= 40 ? failed : null),
      { restartAt },
    );
    expect(lines).toEqual(["18 source_down chain:43114", "41 source_up chain:43114"]);
  });

  it("a chain with one subject is told by the subject's name", async () => {
    const { lines } = await story((ask, minute) =>
      ask.chainId === 137 && ask.record === "supply" && minute >= 13 && minute <= 40
        ? failed
        : null,
    );
    expect(lines).toEqual([
      `18 no_data token_supply:137:${TOKEN}`,
      `42 data_back token_supply:137:${TOKEN}`,
    ]);
  });

  it("one that grows to all of the service is told as that, too, and each is over by itself", async () => {
    const { lines } = await story((ask, minute) => {
      if (ask.chainId === 43114 && minute >= 13 && minute <= 50) return failed;
      return minute >= 25 && minute <= 40 ? failed : null;
    });
    expect(lines).toEqual([
      "18 source_down chain:43114",
      "29 source_down service",
      "41 source_up service",
      "51 source_up chain:43114",
    ]);
  });

  it("one of another kind on the same chain is told as well", async () => {
    const rules = `${RULES}
  - {name: other-supply, watch: {kind: token_supply, chain: 1, token: "${OTHER_TOKEN}", decimals: 6}, when: {metric: total_supply, below: 5}}
`;
    const { lines } = await story(
      (ask, minute) => {
        if (ask.chainId !== 1) return null;
        const from = { v4_pool: 13, supply: 20 }[ask.record as string] ?? Infinity;
        return minute >= from && minute <= from + 30 ? failed : null;
      },
      { rules },
    );
    expect(lines).toEqual([
      "17 source_down v4_pool@1",
      "24 source_down supply@1",
      "44 source_up v4_pool@1",
      "51 source_up supply@1",
    ]);
  });

  it.each([
    ["timeouts", failed],
    ["a key that is refused", fails("unauthorized", "HTTP 401")],
  ])("by %s is told once, also where the rest is asked for only later", async (_, fault) => {
    const rules = `
rules:
  - {name: pools, watch: {kind: v4_pool, chain: 1, pools: [${ETHEREUM.join(", ")}]}, when: {metric: tvl_usd, below: 500}}
  - {name: tips, watch: {kind: gas, chain: [1, 137]}, when: {metric: tip_top10, above: 100 gwei}, schedule: 10m}
`;
    const { lines } = await story((_ask, minute) => (minute >= 11 && minute <= 65 ? fault : null), {
      rules,
      minutes: 80,
    });
    expect(lines).toEqual(["15 source_down v4_pool", "66 source_up v4_pool"]);
  });

  it("counts no alert that is over for good", async () => {
    const rules = RULES.replace("below: 500}", "below: 500}, once: true");
    const { lines, headlines } = await story(
      (ask, minute) => {
        if (ask.record !== "v4_pool" || ask.chainId !== 1) return null;
        if (minute >= 13 && minute <= 40) return failed;
        const isLow = ask.id === ETHEREUM[0] || ask.id === ETHEREUM[1];
        return ok(poolRecord({ pool_id: ask.id, tvl_usd: isLow && minute < 5 ? 100 : 1_000 }));
      },
      { rules },
    );
    expect(lines.slice(2)).toEqual(["17 source_down v4_pool@1", "41 source_up v4_pool@1"]);
    expect(headlines[2]).toBe(
      "⚪ No data 5 min: V4 pools on Ethereum. 2 alerts blind, their state is kept",
    );
  });

  it("of one chain is not what a sum over several lacks: that is told by itself", async () => {
    const rules = `${RULES}
  - {name: sum, watch: {kind: token_supply, chain: [1, 137], token: "${OTHER_TOKEN}", decimals: 6}, across: sum, when: {metric: total_supply, below: 5}}
`;
    const { lines, headlines } = await story(
      (ask, minute) => (ask.chainId === 1 && minute >= 13 && minute <= 40 ? failed : null),
      { rules },
    );
    expect(lines.map((line) => line.replace(/across:.*/, "sum")).toSorted()).toEqual([
      "17 no_data sum",
      "17 source_down chain:1",
      "41 data_back sum",
      "41 source_up chain:1",
    ]);
    expect(headlines).toContainEqual(expect.stringMatching(/^⚪ No data 5 min: .* Two chains$/u));
  });
});

import { beforeAll, describe, it } from "vitest";
import { KINDS } from "../../src/kinds/index.ts";
import { needsNode } from "../support/of-nodes.ts";
import { CASES } from "../support/spoilt-cases.ts";
import { limitsBroken } from "../support/spoilt-limits.ts";
import { KINDS_OF_RULES, type Life, live } from "../support/spoilt-run.ts";
import { spoiltLife } from "../support/spoilt-suite.ts";
import { pass } from "../support/tier.ts";

let good: Life;

beforeAll(async () => {
  good = await live({ spoil: null });
});

describe("every watch kind, undisturbed", () => {
  it("is watched on two subjects, fills whole batches, and has something to tell", ({ expect }) => {
    expect([...KINDS_OF_RULES].toSorted()).toEqual(
      [...KINDS.values()]
        .filter((kind) => kind.variantOf === undefined && !needsNode(kind))
        .map(({ kind }) => kind)
        .toSorted(),
    );
    expect(good.journal.deviations).toEqual([]);
    const most = (endpoint: string, param: string): number =>
      Math.max(
        ...good.journal.arrivals
          .filter((one) => one.endpoint === endpoint)
          .map(({ params }) => params.getAll(param).flatMap((text) => text.split(",")).length),
      );
    expect(most("v4_pool", "pool_ids")).toBe(20);
    expect(most("v4_position", "nft_ids")).toBe(20);
    expect(most("supply", "token")).toBe(20);
    expect(most("legacy_balances", "wallets")).toBe(100);
    // A subject is asked once a round; what tokens and pools are each group of rules asks in its first.
    const again = [...good.journal.byRound(({ url }) => url).values()].filter(
      ([first, second]) => second !== undefined && first?.at !== good.journal.arrivals[1]?.at,
    );
    expect(again).toEqual([]);
    expect([...good.alerts.values()].filter((state) => !/^(?:ok|firing)$/.test(state))).toEqual([]);
  });
});

describe("every watch kind, while the service answers harmlessly with", () => {
  it.for(pass(CASES.harmless, "numbers as text and text as numbers"))(
    "$name: exactly the same notices",
    async (one, test) => {
      const { expect } = test;
      const life = await spoiltLife(one, good, test);
      expect(limitsBroken(life, good)).toEqual([]);
    },
  );
});

describe("every watch kind, while one subject is answered with", () => {
  it.for(pass(CASES.ofOne, "nulls for one"))("$name: the others are right", async (one, test) => {
    const { expect } = test;
    const life = await spoiltLife(one, good, test);
    expect(limitsBroken(life, good)).toEqual([]);
  });
});

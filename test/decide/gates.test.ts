import { describe, expect, it } from "vitest";
import { GateFinder, gateOrder, placesOf } from "../../src/decide/gates.ts";
import type { Subject } from "../../src/model/index.ts";
import { makeRule } from "../support/nouns.ts";

const on = (chainId: number, key: string): Subject => ({
  key: `${key}:${chainId}`,
  kind: "v4_pool",
  chainId,
  ids: {},
  name: null,
});

/** Which of a gate's subjects, by their keys, count for each alert of a rule. */
function found(
  rule: { subjects: readonly Subject[]; across?: "sum" },
  gate: { subjects: readonly Subject[]; across?: "sum" },
  anyChain = false,
): readonly (readonly string[])[] {
  const other = makeRule({ across: null, ...gate });
  const keys = placesOf(other).map(({ subject }) => subject.key.replace(/^across:.*/, "all"));
  const finder = new GateFinder(other, keys);
  return placesOf(makeRule({ across: null, ...rule })).map((place) => finder.find(place, anyChain));
}

const pools = [on(1, "a"), on(1, "b"), on(137, "a")];
const gas = [on(1, "gas"), on(137, "gas"), on(56, "gas")];

describe("the alerts of a gate that count", () => {
  it("are the one on the same subject, else those on the same chain", () => {
    expect(found({ subjects: pools }, { subjects: gas })).toEqual([
      ["gas:1"],
      ["gas:1"],
      ["gas:137"],
    ]);
    const mixed = [on(1, "a"), on(1, "c"), on(137, "c")];
    expect(found({ subjects: pools }, { subjects: mixed })).toEqual([
      ["a:1"],
      ["a:1", "c:1"],
      ["c:137"],
    ]);
    expect(found({ subjects: [on(8453, "a")] }, { subjects: gas })).toEqual([[]]);
  });

  it("are all of them anywhere, but for the one on the same subject", () => {
    const all = ["gas:1", "gas:137", "gas:56"];
    expect(found({ subjects: [on(8453, "a")] }, { subjects: gas }, true)).toEqual([all]);
    expect(found({ subjects: [on(137, "gas")] }, { subjects: gas }, true)).toEqual([["gas:137"]]);
  });

  it("with across are those on any of the chains, on either side", () => {
    expect(found({ subjects: pools, across: "sum" }, { subjects: gas })).toEqual([
      ["gas:1", "gas:137"],
    ]);
    expect(
      found({ subjects: [on(137, "x"), on(5, "x")] }, { subjects: pools, across: "sum" }),
    ).toEqual([["all"], []]);
  });
});

describe("the order of gates", () => {
  const gated = (name: string, onlyWhile: readonly string[], unless: readonly string[] = []) => ({
    name,
    gates: { onlyWhile, unless, anyChain: false },
  });

  it("puts every rule after all of its gates, however they are written", () => {
    const rules = [gated("c", ["b"], ["a"]), gated("b", ["a"]), { name: "a", gates: null }];
    for (const order of [rules, rules.toReversed()]) {
      const { ranks, circle } = gateOrder(order);
      expect([ranks.get("a") ?? 0, ranks.get("b"), ranks.get("c")]).toEqual([0, 1, 2]);
      expect(circle).toBeNull();
    }
  });

  it("finds a circle, also where it is not the first rule that stands in it", () => {
    const { circle } = gateOrder([gated("x", ["a"]), gated("a", ["b"]), gated("b", [], ["a"])]);
    expect(circle).toEqual(["a", "b", "a"]);
  });

  it("follows rows and circles of any length", () => {
    const row = Array.from({ length: 20_000 }, (_, i) => gated(`${i}`, [`${i + 1}`]));
    const { ranks, circle } = gateOrder(row);
    expect([ranks.get("0"), ranks.get("19999"), circle]).toEqual([20_000, 1, null]);
    const closed = gateOrder([...row, gated("20000", ["0"])]).circle;
    expect([closed?.length, closed?.at(0), closed?.at(-1)]).toEqual([20_002, "0", "0"]);
  });
});

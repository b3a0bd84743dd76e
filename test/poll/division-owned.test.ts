import { describe, expect, it } from "vitest";
import { acrossSubject } from "../../src/decide/across.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { ownerKey, withHoldings } from "../../src/kinds/owned.ts";
import type { Rule } from "../../src/model/index.ts";
import { Division, SLOTS } from "../../src/poll/division.ts";
import { setupOf } from "../support/world-setup.ts";

const pool = (id: number): string => `0x${id.toString(16).padStart(64, "0")}`;
const poolKey = (id: number): string => `v4_pool:1:${pool(id)}`;
const nftKey = (id: number): string => `v4_position:1:dexa:${id}`;
const OWNER = `0x${"11".repeat(20)}`;
const ALL = new Set(Array.from({ length: SLOTS }, (_, slot) => slot));

const tvl = (name: string, ids: readonly number[], more = "", chain = 1): string =>
  `  - {name: ${name}, watch: {kind: v4_pool, chain: ${chain}, pools: [${ids.map((id) => `"${pool(id)}"`).join(", ")}]}, when: {metric: tvl_usd, below: 900}${more}}\n`;
const OWNED = `  - {name: owned, watch: {kind: v4_position, chain: 1, owner: "${OWNER}"}, when: {metric: value_usd, below: 5}}\n`;

/** `held`: the positions of the owner. */
function rulesOf(rules: string, held: readonly number[] = [], references = ""): readonly Rule[] {
  const of = { chainId: 1, protocol: "dexa", address: OWNER, name: null, options: {} };
  const positions = new Map(held.map((id) => [`${id}`, `#${id}`]));
  const setup = setupOf(`${references}rules:\n${rules}`);
  return withHoldings(setup, new Map([[ownerKey("v4_position", of), positions]]), KINDS).rules;
}

describe("the division of what owners hold", () => {
  it("is one slot, with what came since, and with what it is a gate of", () => {
    const gated = tvl("gated", [1, 2, 3], ", only_while: owned");
    const division = new Division(rulesOf(OWNED + gated));
    const slot = division.slotOf("owned", nftKey(7));
    expect([1, 2, 3].map((id) => division.slotOf("gated", poolKey(id)))).toEqual([
      slot,
      slot,
      slot,
    ]);
    expect(division.holds(nftKey(8), new Set([slot]))).toBe(true);
    expect(division.hasOwned(new Set([slot]))).toBe(true);
  });

  it("is the same whatever they hold", () => {
    const references = `references:\n  other: {watch: {kind: v4_pool, chain: 1, pools: ["${pool(9)}"]}, metric: tvl_usd}\n`;
    const far = tvl("far", [7]).replace("below: 900", "below: other");
    const near = `  - {name: near, watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [1, 2]}, when: {metric: value_usd, below: other}}\n`;
    const slotsOf = (held: readonly number[]): readonly number[] => {
      const rules = rulesOf(OWNED + far + near + tvl("low", [9]), held, references);
      const division = new Division(rules);
      return [division.slotOf("low", poolKey(9)), division.slotOf("near", nftKey(1))];
    };
    const many = Array.from({ length: 1_100 }, (_, id) => id + 100);
    expect(slotsOf(many)).toEqual(slotsOf([]));
    expect(new Set(slotsOf([])).size).toBe(1);
  });

  it("waits for who still decides a rule by the positions that it named", () => {
    const positions = Array.from({ length: 20 }, (_, id) => id + 1);
    const before = new Division(
      rulesOf(
        `  - {name: owned, watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [${positions.join(", ")}]}, when: {metric: value_usd, below: 5}}\n`,
      ),
    );
    const slot = new Division(rulesOf(OWNED)).slotOf("owned", nftKey(1));
    const slots = new Set([...ALL].filter((one) => one !== slot));
    const after = new Division(rulesOf(OWNED), [{ division: before, slots }]);
    for (const id of [...positions, 999]) {
      expect(ALL.has(after.slotOf("owned", nftKey(id)))).toBe(false);
    }
    expect(after.waitingIn(ALL).has(slot)).toBe(true);
  });
});

describe("the division while others decide by the rules before", () => {
  const sum = tvl("sum", [1, 2, 3], ", across: sum");

  it("lets nothing wait that stays where it is", () => {
    const rules = rulesOf(sum + tvl("each", [4, 5, 6]));
    const after = new Division(rules, [{ division: new Division(rules), slots: ALL }]);
    expect(after.waitingIn(ALL)).toEqual(new Set());
  });

  it.each([
    ["is watched one by one", tvl("sum", [1, 2, 3])],
    ["is watched no more", tvl("other", [1, 2, 3])],
  ])("lets nobody end the alert on several subjects together whose rule %s", (_, next) => {
    const [rule] = rulesOf(sum);
    const { key } = acrossSubject("v4_pool", "sum", rule?.subjects ?? []);
    const before = new Division(rulesOf(sum));
    const slots = new Set([before.slotOf("sum", key)]);
    const after = new Division(rulesOf(next), [{ division: before, slots }]);
    expect(ALL.has(after.slotOf("sum", key))).toBe(false);
  });
});

it("who decides an alert has its gates and theirs, also those of what owners will hold", () => {
  const all = Array.from({ length: 40 }, (_, id) => id + 1);
  const rules = rulesOf(
    tvl("gated", all, ", only_while: gate, unless: held") +
      tvl("gate", [2, 3], ", only_while: outer") +
      tvl("outer", [4, 5, 6], ", across: sum, only_while: last") +
      tvl("last", [4, 30]) +
      tvl("held", [7, 8, 9]) +
      tvl("by_owned", [20, 21, 22], ", unless: owned") +
      OWNED.replace("below: 5}", "below: 5}, only_while: behind") +
      tvl("behind", [501, 502]) +
      tvl(
        "free",
        all.map((id) => id + 100),
      ),
  );
  const division = new Division(rules);
  for (const slot of ALL) {
    const its = division.rulesIn(new Set([slot]));
    const names = its.map(({ name }) => name);
    for (const { gates } of its) {
      for (const gate of [...(gates?.onlyWhile ?? []), ...(gates?.unless ?? [])]) {
        expect(names).toContain(gate);
      }
    }
  }
});

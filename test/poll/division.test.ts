import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../src/model/index.ts";
import { Division, SLOTS } from "../../src/poll/division.ts";
import { propertyRuns } from "../support/tier.ts";
import { setupOf } from "../support/world-setup.ts";

const pool = (id: number): string => `0x${id.toString(16).padStart(64, "0")}`;
const pools = (...ids: readonly number[]): string => ids.map((id) => `"${pool(id)}"`).join(", ");
const keyOf = (id: number): string => `v4_pool:1:${pool(id)}`;

function rulesOf(...lines: readonly string[]): readonly Rule[] {
  return setupOf(["rules:", ...lines.map((line) => `  - ${line}`)].join("\n")).rules;
}

const tvl = (name: string, ids: string, more = ""): string =>
  `{name: ${name}, watch: {kind: v4_pool, chain: 1, pools: [${ids}]}, when: {metric: tvl_usd, below: 900}${more}}`;

const ALL = new Set(Array.from({ length: SLOTS }, (_, slot) => slot));
const MANY = Array.from({ length: 60 }, (_, id) => id + 1);

/** Every alert of the rules, as `rule subject`. */
function alertsIn(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ name, subjects }) => subjects.map(({ key }) => `${name} ${key}`));
}

describe("the division of the rules", () => {
  it("gives all rules on one subject the same slot, and spreads subjects over the slots", () => {
    const division = new Division(rulesOf(tvl("one", pools(...MANY)), tvl("two", pools(...MANY))));
    for (const id of MANY) {
      expect(division.slotOf("one", keyOf(id))).toBe(division.slotOf("two", keyOf(id)));
    }
    expect(new Set(MANY.map((id) => division.slotOf("one", keyOf(id)))).size).toBeGreaterThan(40);
  });

  it("keeps the subjects of a rule with across together, with what else watches them", () => {
    const division = new Division(
      rulesOf(tvl("sum", pools(1, 2, 3), ", across: sum"), tvl("each", pools(...MANY))),
    );
    const slots = [1, 2, 3].map((id) => division.slotOf("each", keyOf(id)));
    expect(new Set(slots).size).toBe(1);
    expect(division.slotOf("sum", "across:sum:v4_pool:whatever")).toBe(slots[0]);
  });

  it("keeps a gate with what it is a gate of, on one subject or on the chain", () => {
    const rules = rulesOf(
      tvl("own", pools(1, 2, 3), ", only_while: gate"),
      tvl("gate", pools(1, 2)),
      tvl("free", pools(4, 5)),
    );
    const division = new Division(rules);
    // The gate does not watch the third: any alert of the gate on its chain counts.
    const slots = [1, 2, 3].map((id) => division.slotOf("own", keyOf(id)));
    expect(new Set(slots).size).toBe(1);
    const only = new Set([slots[0] ?? 0]);
    expect(division.rulesIn(only).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["own", "gate"]),
    );
  });

  it("is the same in whatever order rules and subjects stand", () => {
    const lines = [
      tvl("sum", pools(3, 1, 2), ", across: sum"),
      tvl("one", pools(...MANY)),
      tvl("gated", pools(7, 9), ", only_while: one"),
      tvl("other", pools(...MANY.toReversed())),
    ];
    const slotsOf = (order: readonly string[]): readonly number[] => {
      const division = new Division(rulesOf(...order));
      return MANY.map((id) => division.slotOf("one", keyOf(id)));
    };
    expect(slotsOf(lines.toReversed())).toEqual(slotsOf(lines));
  });

  it("puts what is no longer watched where its subject would be", () => {
    const before = new Division(rulesOf(tvl("one", pools(...MANY))));
    const after = new Division(rulesOf(tvl("one", pools(1))));
    expect(after.slotOf("one", keyOf(5))).toBe(before.slotOf("one", keyOf(5)));
    expect(after.slotOf("gone", keyOf(5))).toBe(before.slotOf("one", keyOf(5)));
  });

  it("gives each alert to one part, however the slots are shared", () => {
    const rules = rulesOf(
      tvl("one", pools(...MANY)),
      tvl("sum", pools(11, 12, 13), ", across: sum"),
      tvl("gated", pools(7, 9), ", only_while: one"),
    );
    const division = new Division(rules);
    fc.assert(
      fc.property(fc.array(fc.nat(3), { minLength: SLOTS, maxLength: SLOTS }), (owners) => {
        const parts = [0, 1, 2, 3].map((member) =>
          division.rulesIn(new Set([...ALL].filter((slot) => owners[slot] === member))),
        );
        const found = parts.flatMap(alertsIn).toSorted();
        expect(found).toEqual(alertsIn(rules).toSorted());
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  /** Pools in any number of rules; some are decided together. */
  const anyRules = fc
    .array(
      fc.record({
        ids: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 }),
        more: fc.constantFrom("", ", across: sum", ", across: max"),
      }),
      { minLength: 1, maxLength: 5 },
    )
    .map((rules) =>
      rulesOf(...rules.map(({ ids, more }, at) => tvl(`r${at}`, pools(...ids), more))),
    );

  it("decides nothing twice while some slots are still decided by the rules before", () => {
    fc.assert(
      fc.property(anyRules, anyRules, fc.infiniteStream(fc.boolean()), (old, next, coin) => {
        const behind = new Set([...ALL].filter(() => coin.next().value === true));
        const entered = new Set([...ALL].filter((slot) => !behind.has(slot)));
        const before = new Division(old);
        const after = new Division(next, [{ division: before, slots: behind }]);
        const namesIn = (rules: readonly Rule[]): string[] =>
          rules.flatMap(({ name, across, subjects }) =>
            across === null || subjects.length === 0
              ? subjects.map(({ key }) => `${name} ${key}`)
              : [`${name} together`, ...subjects.map(({ key }) => `${name} ${key}`)],
          );
        const [theirs, mine] = [namesIn(before.rulesIn(behind)), namesIn(after.rulesIn(entered))];
        expect(mine.filter((one) => theirs.includes(one))).toEqual([]);
        // What was decided in a slot that is behind is nobody's to remove.
        for (const rule of old) {
          for (const { key } of rule.across === null ? rule.subjects : []) {
            if (behind.has(before.slotOf(rule.name, key))) {
              expect(entered.has(after.slotOf(rule.name, key))).toBe(false);
            }
          }
        }
        // Nothing waits for ever, and what waits does so for a slot that is behind.
        expect(
          new Division(next)
            .rulesIn(ALL)
            .flatMap((rule) => namesIn([rule]))
            .toSorted(),
        ).toEqual(namesIn(next).toSorted());
        const waits = after.waitingIn(ALL).size > 0;
        if (waits) expect(before.rulesIn(behind).length).toBeGreaterThan(0);
      }),
      { numRuns: propertyRuns(150) },
    );
  });

  it("lets what has moved wait, with all that is decided with it, and nothing else", () => {
    const old = rulesOf(tvl("each", pools(1, 2, 3)));
    const next = rulesOf(tvl("each", pools(1, 2, 3)), tvl("sum", pools(1, 2), ", across: sum"));
    const [before, whole] = [new Division(old), new Division(next)];
    const together = whole.slotOf("each", keyOf(1));
    const moved = [1, 2].find((id) => before.slotOf("each", keyOf(id)) !== together) ?? 0;
    const slots = new Set([before.slotOf("each", keyOf(moved))]);
    const after = new Division(next, [{ division: before, slots }]);
    expect([1, 2].map((id) => ALL.has(after.slotOf("each", keyOf(id))))).toEqual([false, false]);
    expect(after.slotOf("each", keyOf(3))).toBe(before.slotOf("each", keyOf(3)));
    expect(after.waitingIn(ALL)).toEqual(new Set([together]));
    expect(after.slotsOf("sum")).toEqual([]);
  });

  it("lets everything wait where it is unknown what others decide", () => {
    const rules = rulesOf(tvl("each", pools(1, 2, 3)), tvl("sum", pools(1, 2), ", across: sum"));
    const division = new Division(rules, null);
    expect(division.rulesIn(ALL)).toEqual([]);
    expect(division.slotsOf("each")).toEqual([]);
    expect(division.waitingIn(new Set([3, 4]))).toEqual(new Set([3, 4]));
    expect(ALL.has(division.slotOf("each", keyOf(3)))).toBe(false);
  });

  /** More than may be decided together for the sake of a value alone. */
  const CROWD = Array.from({ length: 1_100 }, (_, id) => id + 1);
  const OTHER = 5_000;
  const comparing = (name: string, ids: string, what = "other"): string =>
    `{name: ${name}, watch: {kind: v4_pool, chain: 1, pools: [${ids}]}, when: {metric: tvl_usd, below: ${what}}}`;
  const withOther = (...lines: readonly string[]): readonly Rule[] =>
    setupOf(
      [
        "references:",
        `  other: {watch: {kind: v4_pool, chain: 1, pools: [${pools(OTHER)}]}, metric: tvl_usd}`,
        "rules:",
        ...lines.map((line) => `  - ${line}`),
      ].join("\n"),
    ).rules;
  const slotOf = (division: Division, rule: string, id: number): number =>
    division.slotOf(rule, keyOf(id));

  it("keeps few subjects with what they compare with, and lets many ask for it wherever they are", () => {
    const few = new Division(withOther(comparing("few", pools(...MANY))));
    const together = new Set(MANY.map((id) => slotOf(few, "few", id)));
    expect(together.size).toBe(1);
    expect(few.holds(keyOf(OTHER), together)).toBe(true);
    expect(few.together(10)).toEqual([{ subjects: MANY.length, rules: ["few"] }]);
    const many = new Division(withOther(comparing("many", pools(...CROWD))));
    const slots = CROWD.map((id) => slotOf(many, "many", id));
    expect(new Set(slots).size).toBeGreaterThan(200);
    // One slot has the value itself, and there something compares with it: its samples are written.
    const homes = [...ALL].filter((slot) => many.holds(keyOf(OTHER), new Set([slot])));
    expect(homes).toHaveLength(1);
    expect(many.rulesIn(new Set(homes)).flatMap(({ subjects }) => subjects)).not.toEqual([]);
    expect(many.together(50)).toEqual([]);
  });

  it("lets the subjects of a rule with across be apart where they are too many, with gates together all the same", () => {
    const division = new Division(
      rulesOf(
        tvl("sum", pools(...CROWD), ", across: sum"),
        tvl("each", pools(...CROWD)),
        tvl("gated", pools(1, 2, 3), ", only_while: sum"),
      ),
    );
    expect(new Set(CROWD.map((id) => slotOf(division, "each", id))).size).toBeGreaterThan(200);
    const gate = division.slotOf("sum", "across:sum:v4_pool:whatever");
    expect([1, 2, 3].map((id) => slotOf(division, "gated", id))).toEqual([gate, gate, gate]);
    expect(division.rulesIn(new Set([gate])).map(({ name }) => name)).toContain("sum");
    expect(division.rulesIn(new Set([gate]))[0]?.subjects).toHaveLength(CROWD.length);
  });

  it("keeps subjects with the rule with across that alone asks for them, however many", () => {
    const division = new Division(
      rulesOf(
        tvl("most", pools(...CROWD), ", across: max"),
        tvl("sum", pools(...CROWD), ", across: sum"),
        tvl("each", pools(...CROWD.slice(0, 100))),
      ),
    );
    expect(division.together(50)).toEqual([{ subjects: CROWD.length - 100, rules: ["most"] }]);
    // Each of them is somebody's.
    const held = CROWD.filter((id) => division.holds(keyOf(id), ALL));
    expect(held).toEqual(CROWD);
  });

  it("ties subjects for values in the order of the rules' names, and says which tie the most", () => {
    const half = CROWD.length / 2;
    const lines = [
      comparing("b", pools(...CROWD.slice(half))),
      comparing("a", pools(...CROWD.slice(0, half))),
    ];
    const division = new Division(withOther(...lines));
    expect(division.together(100)).toEqual([{ subjects: half, rules: ["a"] }]);
    const other = new Division(withOther(...lines.toReversed()));
    for (const id of CROWD) {
      const rule = id <= half ? "a" : "b";
      expect(slotOf(other, rule, id)).toBe(slotOf(division, rule, id));
    }
  });

  it("gives each alert to one part, also where subjects are apart from what they compare with", () => {
    const rules = withOther(
      comparing("many", pools(...CROWD)),
      tvl("sum", pools(...CROWD), ", across: sum"),
    );
    const division = new Division(rules);
    const third = (part: number): ReadonlySet<number> =>
      new Set([...ALL].filter((slot) => slot % 3 === part));
    const parts = [0, 1, 2].map((part) => division.rulesIn(third(part)));
    const many = parts.flatMap((part) =>
      part.flatMap(({ name, subjects }) => (name === "many" ? subjects.map(({ key }) => key) : [])),
    );
    expect(many.toSorted()).toEqual(CROWD.map(keyOf).toSorted());
    const sums = parts.flatMap((part) => part.filter(({ name }) => name === "sum"));
    expect(sums.map(({ subjects }) => subjects.length)).toEqual([CROWD.length]);
  });

  it("decides nothing twice while subjects become too many to be with what they compare with, or few enough", () => {
    const [few, many] = [900, 1_100].map((count) =>
      withOther(comparing("many", pools(...CROWD.slice(0, count))), tvl("low", pools(OTHER))),
    );
    const keysIn = (rules: readonly Rule[]): string[] =>
      rules.flatMap(({ name, subjects }) => subjects.map(({ key }) => `${name} ${key}`));
    fc.assert(
      fc.property(fc.boolean(), fc.infiniteStream(fc.boolean()), (grows, coin) => {
        const [old, next] = grows ? [few, many] : [many, few];
        const behind = new Set([...ALL].filter(() => coin.next().value === true));
        const entered = new Set([...ALL].filter((slot) => !behind.has(slot)));
        const before = new Division(old ?? []);
        const after = new Division(next ?? [], [{ division: before, slots: behind }]);
        const theirs = new Set(keysIn(before.rulesIn(behind)));
        const mine = keysIn(after.rulesIn(entered));
        expect(mine.filter((one) => theirs.has(one))).toEqual([]);
      }),
      { numRuns: propertyRuns(16) },
    );
  });
});

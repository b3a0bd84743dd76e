import { describe, expect, it } from "vitest";
import { one, POOL, read, ruleText, said, warned } from "../rules-text.ts";

const OTHER = POOL.replace("0x21", "0x22");

function pool(keys: Readonly<Record<string, string | null>>): string {
  return ruleText({
    watch: `{kind: v4_pool, chain: 1, pools: [${POOL}]}`,
    when: "{metric: tvl_usd, below: 500}",
    ...keys,
  });
}

/** Several rules in one text, by name. */
function several(rules: Readonly<Record<string, Readonly<Record<string, string | null>>>>): string {
  const texts = Object.entries(rules).map(([name, keys]) => pool({ name, ...keys }));
  return `rules:\n${texts.map((text) => text.replace("rules:\n", "")).join("")}`;
}

describe("remind, cooldown, once and on_missing", () => {
  it("are read", () => {
    const rule = one(pool({ remind: "[1h, 6h, 1d]", cooldown: "10m", on_missing: "fire" }));
    expect(rule.remind).toEqual([3_600_000, 21_600_000, 86_400_000]);
    expect(rule).toMatchObject({ cooldownMs: 600_000, once: false, onMissing: "fire" });
    expect(one(pool({ remind: "2h", once: "true" }))).toMatchObject({
      remind: [7_200_000],
      once: true,
    });
    const plain = one(pool({}));
    expect(plain).toMatchObject({ remind: [], cooldownMs: 0, once: false, onMissing: "keep" });
    expect(plain).toMatchObject({ worse: null, gates: null });
    expect(plain.flapping).toEqual({ moreThan: 5, withinMs: 3_600_000 });
  });

  it("say what is wrong with them, where it stands", () => {
    expect(said(pool({ remind: "[]" }))).toEqual([
      "rules.yaml:5:13: remind is empty, expected gaps such as [1h, 6h, 1d] [empty]",
    ]);
    expect(said(pool({ remind: "[1h, 60]" }))[0]).toContain("rules.yaml:5:18:");
    expect(said(pool({ cooldown: "0s" }))[0]).toContain("too short");
    expect(said(pool({ on_missing: "tell" }))[0]).toContain("keep or fire");
    expect(warned(pool({ once: "true", cooldown: "1h" }))[0]).toContain("no effect beside once");
  });

  it("of states do not belong to events", () => {
    const event = { when: "{metric: tvl_usd, changes: true}" };
    for (const [key, value] of [
      ["remind", "[1h]"],
      ["worse_by", "5"],
      ["on_missing", "fire"],
    ] as const) {
      expect(said(pool({ ...event, [key]: value }))[0]).toContain(
        `${key} does not belong to a rule`,
      );
    }
    expect(one(pool({ ...event, cooldown: "1h" })).cooldownMs).toBe(3_600_000);
  });
});

describe("worse_by", () => {
  const worse = (keys: Readonly<Record<string, string>>) => one(pool(keys)).worse?.by;
  const amount = (keys: Readonly<Record<string, string>>): string | null => {
    const by = worse(keys);
    return by?.kind === "absolute" && by.limit.kind === "value" ? String(by.limit.value) : null;
  };

  it("is the distance of a window where the rule does not say it", () => {
    const when = "{metric: tvl_usd, falls: 10%, within: 1h}";
    expect(worse({ when })).toMatchObject({ kind: "percent", text: "10%" });
    expect(worse({ when, worse_by: "5%" })).toMatchObject({ text: "5%" });
    for (const span of ["within: 1h", "since: 1h", "since: last"]) {
      const change = `{metric: tvl_usd, falls: 10%, ${span}}`;
      expect([span, worse({ when: change })]).toMatchObject([span, { text: "10%" }]);
    }
  });

  it("is measured on the first term of all, and of any on none", () => {
    const fall = "{metric: tvl_usd, falls: 10%, within: 1h}";
    const level = "{metric: swap_count, above: 5}";
    expect(worse({ when: `{all: [${fall}, ${level}]}` })).toMatchObject({ text: "10%" });
    expect(worse({ when: `{all: [${level}, ${fall}]}` })).toBeUndefined();
    expect(worse({ when: `{any: [${fall}, ${level}]}` })).toBeUndefined();
    expect(said(pool({ when: `{any: [${fall}]}`, worse_by: "5" }))[0]).toContain("with any");
  });

  it("takes percentages of a share as its points", () => {
    const when = "{metric: utilization, above: 50%}";
    const watch = "{kind: gas, chain: 1}";
    expect(amount({ watch, when, worse_by: "2%" })).toBe("0.02");
    expect(worse({ worse_by: "20%" })).toMatchObject({ kind: "percent", text: "20%" });
  });

  it("needs a direction, and a unit that fits", () => {
    expect(said(pool({ when: "{metric: tvl_usd, inside: [1, 2]}", worse_by: "5" }))[0]).toContain(
      "worse_by does not work with inside",
    );
    expect(said(pool({ when: "{not: {metric: tvl_usd, above: 2}}", worse_by: "5" }))[0]).toContain(
      "worse_by does not work with not",
    );
    expect(said(pool({ worse_by: "5 gwei" }))[0]).toContain("rules.yaml:5:15:");
  });
});

describe("gates", () => {
  const gate = { notify: "[]" };

  it("are read, one or a list", () => {
    const text = several({
      a: { only_while: "b", unless: "[c, c]", any_chain: "true" },
      b: gate,
      c: gate,
    });
    const { rules, warnings } = read(text);
    expect(rules[0]?.gates).toEqual({ onlyWhile: ["b"], unless: ["c"], anyChain: true });
    // What is a gate need not tell anybody.
    expect(warnings).toEqual([]);
    expect(warned(several({ a: {}, b: gate }))).toEqual([
      "rules.yaml:8:13: the rule notifies nobody, expected a channel, or a rule whose gate names it [tells-nobody]",
    ]);
  });

  it("must be there, enabled, and no rules of events", () => {
    expect(said(several({ a: { only_while: "[chep-gas]" }, "cheap-gas": gate }))).toEqual([
      'rules.yaml:5:18: unknown rule "chep-gas"; did you mean `cheap-gas`? [unknown-rule]',
    ]);
    expect(said(several({ a: { unless: "b" }, b: { enabled: "false" } }))).toEqual([
      'rules.yaml:5:13: the rule "b" is not enabled [not-enabled]',
    ]);
    const event = { when: "{metric: tvl_usd, changes: true}" };
    expect(said(several({ a: { unless: "b" }, b: event }))[0]).toContain("never fires");
    expect(said(several({ a: { unless: "b", only_while: "b" }, b: gate }))[0]).toContain(
      "never notify anybody",
    );
    expect(warned(pool({ any_chain: "true" }))[0]).toContain(
      "no effect without only_while or unless",
    );
  });

  it("must not go in a circle", () => {
    const text = several({ a: { only_while: "b" }, b: { unless: "c" }, c: { only_while: "[a]" } });
    expect(said(text)).toEqual([
      'rules.yaml:5:17: the gates form a circle: "a" → "b" → "c" → "a" [gate-never-opens]',
    ]);
    expect(said(several({ a: { only_while: "a" } }))[0]).toContain('"a" → "a"');
  });

  it("must watch something on the chain, unless they count anywhere", () => {
    const far = { watch: "{kind: gas, chain: 137}", when: "{metric: tip_top10, below: 5 gwei}" };
    expect(said(several({ a: { only_while: "b" }, b: { ...far, ...gate } }))).toEqual([
      'rules.yaml:5:17: the rule "b" watches nothing on Ethereum, expected a chain that it watches, or any_chain: true [gate-never-opens]',
    ]);
    const text = several({ a: { only_while: "b", any_chain: "true" }, b: { ...far, ...gate } });
    expect(read(text).rules).toHaveLength(2);
    const two = `{kind: v4_pool, chain: 1, pools: [${POOL}, ${OTHER}]}`;
    const across = { watch: two, across: "sum", ...gate };
    expect(read(several({ a: { only_while: "b" }, b: across })).rules).toHaveLength(2);
  });

  it("are not called missing where a file could not be read", () => {
    const text = `${several({ a: { only_while: "b" } })}  - when: 5\n`;
    expect(said(text).join()).not.toContain("there is no rule");
  });
});

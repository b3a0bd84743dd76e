import { describe, expect, it } from "vitest";
import { scheduleFromKey } from "../../../src/base/schedule.ts";
import { ConfigError, formatProblem } from "../../../src/config/files/text-file.ts";
import { parseRules } from "../../../src/config/rules/rules.ts";
import type { Addresses } from "../../../src/config/settings/addresses.ts";
import { KINDS } from "../../../src/kinds/index.ts";
import { describeRule } from "../../../src/rules/describe/sentence.ts";
import { one as oneRule, problemsOf, ruleText } from "../rules-text.ts";

const NODES: Addresses = new Set(["base_url", "legacy_base_url", "rpc"]);
const SERVICE: Addresses = new Set(["base_url", "legacy_base_url"]);

function read(watch: string, when: string, addresses = NODES) {
  const text = `rules:\n  - name: lp\n    watch: ${watch}\n    when: ${when}\n    for: 5m\n    resolve_after: 5m\n    notify: [console]\n`;
  return parseRules(text, "r.yaml", { watches: KINDS, channels: ["console"], addresses }).rules;
}

/** What is wrong, without the place in the file. */
function faults(watch: string, when: string, addresses = NODES): readonly string[] {
  try {
    read(watch, when, addresses);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((one) => formatProblem({ ...one, source: "" }));
  }
}

const V3 = "{kind: v3_position, chain: 1, positions: [42]}";
const V4 = "{kind: v4_position, chain: 1, protocol: dexa, positions: [42]}";

describe("the schedule block", () => {
  const said = (keys: Readonly<Record<string, string>>, addresses?: Addresses): readonly string[] =>
    problemsOf(ruleText(keys), {
      watches: KINDS,
      channels: ["console"],
      ...(addresses === undefined ? {} : { addresses }),
    }).map((one) => formatProblem({ ...one, source: "" }).trim());

  it("needs a node, and a chain that the rule watches", () => {
    expect(said({ schedule: "block" }, NODES)).toEqual([]);
    expect(said({ schedule: "block" })).toEqual([]);
    expect(said({ schedule: "block" }, SERVICE).join()).toContain(
      "rules.yaml:5:15: the schedule block needs a node: service.rpc",
    );
    const source = {
      schedule: "block",
      watch: "{kind: source, endpoints: [v4_pool]}",
      when: "{metric: latency, above: 5}",
    };
    expect(said(source, NODES)).toEqual([
      "rules.yaml:5:15: a rule on endpoints watches no chain, and so it has no blocks, expected a duration such as 1m [bad-schedule]",
    ]);
  });

  it("is meant by what people write for it, and knows no time zone", () => {
    for (const text of ["every block", "blocks", "each-block"]) {
      expect(said({ schedule: text }, NODES).join()).toContain("did you mean `block`?");
    }
    const rule = oneRule(ruleText({ schedule: "block" }), {
      watches: KINDS,
      channels: ["console"],
      addresses: NODES,
    });
    expect(rule.schedule).toMatchObject({ text: "block", everyMs: null, eachBlock: true });
    expect(scheduleFromKey(rule.schedule.key)).toBe(rule.schedule);
  });
});

describe("positions beyond the specification", () => {
  it("are refused with the reason where there is a service and no node", () => {
    expect(faults(V3, "{metric: in_range, equals: false}", SERVICE)).toEqual([
      expect.stringContaining("r.yaml:3:19: the kind v3_position needs a node: service.rpc"),
    ]);
    for (const metric of ["fees_usd", "fees0", "vs_hold"]) {
      expect(faults(V4, `{metric: ${metric}, above: 1}`, SERVICE).join()).toContain(
        `the metric ${metric} needs a node: service.rpc`,
      );
    }
    expect(faults(V4, "{metric: in_range, equals: false}", SERVICE)).toEqual([]);
    expect(faults(V4, "{metric: fees_usd, above: $5}")).toEqual([]);
  });

  it("say in a sentence what is compared", () => {
    const sentence = (watch: string, when: string): string => {
      const [rule] = read(watch, when);
      const metrics = KINDS.get(rule?.kind ?? "")?.metrics ?? new Map();
      return rule === undefined ? "" : describeRule(rule, { metrics });
    };
    expect(sentence(V3, "{metric: fees_usd, above: $500}")).toContain(
      "when the fees of position #42 on Ethereum have been above $500",
    );
    expect(sentence(V4, "{metric: vs_hold, below: -5%}")).toContain(
      "when the value against holding of position #42 on Ethereum has been below -5%",
    );
  });

  it("take what was put in, exactly, beside the id or for the only one", () => {
    const own = (watch: string) =>
      read(watch, "{metric: vs_hold, below: -5%}")[0]?.subjects[0]?.ids;
    const put = "deposited: {token0: 12.5, token1: 26_075}";
    const expected = { nft: "42", deposited0: "12.5", deposited1: "26075" };
    expect(own(`{kind: v3_position, chain: 1, positions: [{id: 42, ${put}}]}`)).toEqual(expected);
    expect(own(`{kind: v3_position, chain: 1, positions: [42], ${put}}`)).toEqual(expected);
    const long = '{token0: "0.000000000000000001", token1: 0}';
    expect(own(`{kind: v3_position, chain: 1, positions: [42], deposited: ${long}}`)).toMatchObject(
      {
        deposited0: "0.000000000000000001",
        deposited1: "0",
      },
    );
  });

  it.each([
    ["5", "deposited", "expected what was put in"],
    ["{token0: 1}", "token1 is missing", "expected what was put in"],
    ["{token0: -1, token1: 2}", '"-1" is not an amount', ""],
    ["{token0: many, token1: 2}", '"many" is not an amount', ""],
    [
      "{token0: 1, token1: 2, token2: 3}",
      "unknown key `token2` in deposited",
      "did you mean `token0`?",
    ],
  ])("refuse deposits of %s", (deposited, what, hint) => {
    const watch = `{kind: v3_position, chain: 1, positions: [{id: 42, deposited: ${deposited}}]}`;
    const said = faults(watch, "{metric: vs_hold, below: -5%}").join("\n");
    expect(said).toContain(what);
    expect(said).toContain(hint);
  });

  it("refuse deposits of several positions at once", () => {
    const put = "deposited: {token0: 1, token1: 2}";
    const watch = `{kind: v3_position, chain: 1, positions: [42, 43], ${put}}`;
    expect(faults(watch, "{metric: vs_hold, below: -5%}").join()).toContain(
      "deposited is of one position, and the rule names 2",
    );
  });
});

const OWNER = `0x${"1a".repeat(20)}`;

describe("positions by owner", () => {
  const WHEN = "{metric: in_range, equals: false}";

  it("name the owner on each chain, and are said so in a sentence", () => {
    const watch = `{kind: v4_position, chain: [ethereum, base], owner: [{id: "${OWNER}", name: Vault}]}`;
    const [rule] = read(watch, WHEN);
    const owner = { address: OWNER, name: "Vault", protocol: "dexa", options: { invert: "false" } };
    expect(rule?.owners).toEqual([
      { chainId: 1, ...owner },
      { chainId: 8453, ...owner },
    ]);
    expect(rule?.subjects).toEqual([]);
    const metrics = KINDS.get("v4_position")?.metrics ?? new Map();
    expect(rule && describeRule(rule, { metrics })).toContain(
      "any of the positions of Vault on Ethereum, Base",
    );
    const [v3] = read(`{kind: v3_position, chain: 1, owner: "${OWNER}"}`, WHEN);
    expect(v3?.owners).toEqual([{ ...owner, chainId: 1, name: null, protocol: null }]);
  });

  it("are another version of the rule for another owner, and the same in another order", () => {
    const other = `0x${"2b".repeat(20)}`;
    const source = (...owners: readonly string[]) =>
      read(
        `{kind: v3_position, chain: 1, owner: [${owners.map((one) => `"${one}"`).join()}]}`,
        WHEN,
      )[0]?.source;
    expect(source(OWNER, other)).toBe(source(other, OWNER));
    expect(source(OWNER)).not.toBe(source(other));
  });

  it.each([
    [`{kind: v3_position, chain: 1, owner: "${OWNER}", positions: [1]}`, "exclude each other"],
    [`{kind: v3_position, owner: "${OWNER}"}`, "a watch of an owner needs a chain"],
    ["{kind: v3_position, chain: 1, owner: 0x12}", "owner has 2 hex digits"],
    [`{kind: v4_position, chain: 1, owner: "${OWNER}", protocol: dexb}`, "of dexa only"],
    [
      `{kind: v3_position, chain: 1, owner: "${OWNER}", deposited: {token0: 1, token1: 2}}`,
      "an owner may hold any number",
    ],
    [`{kind: v4_pool, chain: 1, owner: "${OWNER}"}`, "unknown key `owner`"],
  ])("are refused as %s", (watch, what) => {
    const when = watch.includes("v4_pool") ? "{metric: tvl_usd, below: 5}" : WHEN;
    expect(faults(watch, when).join("\n")).toContain(what);
  });

  it("are refused where there is a service and no node", () => {
    const watch = `{kind: v4_position, chain: 1, owner: "${OWNER}"}`;
    expect(faults(watch, WHEN, SERVICE)).toEqual([
      expect.stringContaining("a watch by owner needs a node: service.rpc"),
    ]);
  });
});

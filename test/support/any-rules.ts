import fc from "fast-check";
import { ConfigError } from "../../src/config/files/text-file.ts";
import { parseRules } from "../../src/config/rules/rules.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { HOLDERS_TOKEN, POOLS, SUPPLY_TOKEN } from "./any-answers.ts";
import { type AnyComparison, anyComparison, anyEvent, type KindName } from "./any-comparisons.ts";

/** Rules of the whole language, drawn at random and all of them valid. */

/** A rule but for its name and the order of its subjects. */
export interface AnyRule {
  readonly kind: KindName;
  readonly chains: readonly number[];
  readonly keys: Readonly<Record<string, string>>;
  /** The places of its gates among the rules. */
  readonly onlyWhile: readonly number[];
  readonly unless: readonly number[];
}

/** How the same rules are written: nothing of it may matter. */
export interface Wording {
  /** The places of the rules, in the order of the file. */
  readonly order: readonly number[];
  /** By the place of the rule. */
  readonly names: readonly string[];
  /** Subjects go backwards. */
  readonly turned: boolean;
}

/** Of one length, so that a notice of a rule by another name has the same room. */
const NAMES = ["aaaaaa", "ZZZZZZ", "100:10", "rule b", "éééééé", "zz:001", "A-1--A", "__pro_"];

export function plainWording(rules: readonly AnyRule[]): Wording {
  return { order: [...rules.keys()], names: NAMES.slice(0, rules.length), turned: false };
}

export function anyWording(rules: readonly AnyRule[]): fc.Arbitrary<Wording> {
  const all = <T>(of: readonly T[]): fc.Arbitrary<T[]> =>
    fc.shuffledSubarray([...of], { minLength: of.length });
  return fc.record({ order: all([...rules.keys()]), names: all(NAMES), turned: fc.boolean() });
}

/** The rules as a file, which begins with the reference that they may name. */
export function yamlOf(rules: readonly AnyRule[], { order, names, turned }: Wording): string {
  const lists = [
    "references:",
    `  other: {watch: {kind: v4_pool, chain: 137, pools: ["${POOLS[2].id}"]}, metric: swap_count}`,
    "rules:",
  ];
  const sorted = <T>(all: readonly T[]): readonly T[] => (turned ? all.toReversed() : all);
  const named = (all: readonly number[]): string =>
    `[${all.map((place) => JSON.stringify(names[place] ?? "")).join(", ")}]`;
  for (const place of order) {
    const rule = rules[place];
    if (rule === undefined) continue;
    const { kind, chains, keys, onlyWhile, unless } = rule;
    lists.push(`  - name: ${JSON.stringify(names[place])}`);
    lists.push(`    watch: {kind: ${kind}, ${targetsOf(kind, sorted(chains), sorted(POOLS))}}`);
    for (const [key, value] of Object.entries(keys)) lists.push(`    ${key}: ${value}`);
    if (onlyWhile.length > 0) lists.push(`    only_while: ${named(sorted(onlyWhile))}`);
    if (unless.length > 0) lists.push(`    unless: ${named(sorted(unless))}`);
  }
  return `${lists.join("\n")}\n`;
}

function targetsOf(
  kind: KindName,
  chains: readonly number[],
  pools: readonly (typeof POOLS)[number][],
): string {
  const list = `[${chains.join(", ")}]`;
  switch (kind) {
    case "v4_pool": {
      const mine = pools.filter(({ chain }) => chains.includes(chain));
      return `pools: [${mine.map(({ id, chain }) => `{id: "${id}", chain: ${chain}}`).join(", ")}]`;
    }
    case "token_supply":
      return `chain: ${list}, token: "${SUPPLY_TOKEN}", decimals: 0`;
    case "holder_count":
      return `chain: ${list}, token: "${HOLDERS_TOKEN}"`;
    case "gas":
      return `chain: ${list}`;
    case "v4_position":
      return "chain: 1, protocol: dexa, positions: [42]";
  }
}

const pick = fc.constantFrom;
/** Once in so many. */
const opt = (one: fc.Arbitrary<string>, many = 3): fc.Arbitrary<string | null> =>
  fc.oneof({ weight: many - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: one });

type Given = Readonly<Record<string, string | null>>;

const CHAINS: Readonly<Record<KindName, fc.Arbitrary<readonly number[]>>> = {
  v4_pool: pick([1], [1, 137], [1, 137]),
  token_supply: pick([1], [1, 137], [1, 137]),
  holder_count: pick([1]),
  gas: pick([1], [1, 137], [137]),
  v4_position: pick([1]),
};

/** Keys that a rule with a state and one of events may both have. */
function commonKeys(kind: KindName): fc.Arbitrary<Given> {
  return fc.record({
    schedule:
      kind === "gas"
        ? pick("5m", "10m", '"7,37 * * * *"')
        : pick("1m", "1m", "1m", "30s", "2m", "3m", '"30 * * * * *"', '"*/2 * * * *"'),
    missing_after: opt(pick("2m", "10m")),
    cooldown: opt(pick("3m", "10m")),
    once: opt(pick("true"), 8),
    on_missing: opt(pick("fire"), 4),
    send_resolved: opt(pick("false"), 10),
    severity: opt(pick("info", "critical")),
    bucket: kind === "gas" ? opt(pick("complete"), 2) : fc.constant(null),
    notify: opt(pick("[]", "[slack]"), 6),
  });
}

function whenOf(kind: KindName): fc.Arbitrary<AnyComparison> {
  const one = anyComparison(kind);
  const two = fc.tuple(pick("all", "any"), one, one).map(([key, a, b]) => ({
    text: `{${key}: [${a.text}, ${b.text}]}`,
    over: null,
    worse: key === "all" ? a.worse : null,
  }));
  const not = one.map(({ text }) => ({ text: `{not: ${text}}`, over: null, worse: null }));
  return fc.oneof({ weight: 6, arbitrary: one }, { weight: 2, arbitrary: two }, not);
}

function stateKeys(kind: KindName): fc.Arbitrary<Given> {
  const times = kind === "gas" ? pick("1h", "2h") : pick("1m", "2m", "5m");
  return fc
    .record({
      when: whenOf(kind),
      for: opt(times, 2),
      resolve_after: opt(times, 2),
      remind: opt(pick("[2m, 4m]", "3m")),
      resolves: fc.boolean(),
      worsens: fc.boolean(),
    })
    .map(({ when, resolves, worsens, ...timers }) => ({
      ...timers,
      when: when.text,
      resolve_when: resolves ? when.over : null,
      worse_by: worsens ? when.worse : null,
    }));
}

function eventKeys(kind: KindName): fc.Arbitrary<Given> {
  return fc.tuple(anyEvent(kind), fc.option(anyComparison(kind))).map(([event, filter]) => ({
    when: filter === null ? event : `{all: [${event}, ${filter.text}]}`,
  }));
}

/** A rule with gates in places before its own; those that do not fit are left out. */
function ruleOf(kind: KindName): fc.Arbitrary<AnyRule> {
  return fc
    .record({
      chains: CHAINS[kind],
      across: opt(pick("sum", "min", "max"), 3),
      common: commonKeys(kind),
      own: fc.oneof(
        { weight: 4, arbitrary: stateKeys(kind) },
        { weight: 1, arbitrary: eventKeys(kind) },
      ),
      onlyWhile: fc.array(fc.nat(9), { maxLength: 1 }),
      unless: fc.array(fc.nat(9), { maxLength: 1 }),
    })
    .map(({ chains, across, common, own, onlyWhile, unless }) => {
      const all = { ...common, ...own, across: kind === "v4_position" ? null : across };
      const keys = Object.fromEntries(
        Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null),
      );
      return { kind, chains, keys, onlyWhile, unless };
    });
}

const single = fc
  .constantFrom<KindName[]>(
    "v4_pool",
    "v4_pool",
    "token_supply",
    "holder_count",
    "gas",
    "v4_position",
  )
  .chain(ruleOf)
  .filter((rule) => isValid([{ ...rule, onlyWhile: [], unless: [] }]));

/** From one rule to five, any of which may be a gate of those that come after it. */
export const anyRules: fc.Arbitrary<readonly AnyRule[]> = fc
  .array(single, { minLength: 1, maxLength: 5 })
  .map((rules) => rules.map(withFittingGates))
  .filter(isValid);

function withFittingGates(rule: AnyRule, place: number, all: readonly AnyRule[]): AnyRule {
  const before = (given: readonly number[]): readonly number[] =>
    given.filter((gate) => gate < place && all[gate]?.keys.enabled === undefined);
  const onlyWhile = before(rule.onlyWhile);
  const unless = before(rule.unless).filter((gate) => !onlyWhile.includes(gate));
  const shares = (gate: number): boolean =>
    rule.chains.every((chain) => all[gate]?.chains.includes(chain));
  const anyChain = ![...onlyWhile, ...unless].every(shares);
  const keys = anyChain ? { ...rule.keys, any_chain: "true" } : rule.keys;
  return { ...rule, keys, onlyWhile, unless };
}

function isValid(rules: readonly AnyRule[]): boolean {
  return problemsOf(rules).length === 0;
}

/** Why the rules are refused; what is drawn is not. */
function problemsOf(rules: readonly AnyRule[]): readonly string[] {
  try {
    parseRules(yamlOf(rules, plainWording(rules)), "rules.yaml", {
      watches: KINDS,
      channels: ["console", "slack"],
    });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ message }) => message);
  }
}

import type { Written } from "../../base/format.ts";
import type { Description, Metric } from "../../kinds/kind.ts";
import type { Comparison, Condition, RangeFacts, Rule } from "../../model/index.ts";
import { isComparison } from "../lint/overlap.ts";
import { booleanText, writtenAs } from "./metric-words.ts";
import {
  againClauses,
  bucketClauses,
  entriesOf,
  gateClauses,
  type Predicate,
  predicateOf,
  spelledDuration,
} from "./sentence-clauses.ts";
import { isPlural, nounOf, type Who, whoOf } from "./sentence-subjects.ts";

/** What a sentence about a rule is made from beside the rule itself. */
export interface SentenceWords {
  readonly metrics: ReadonlyMap<string, Metric>;
  /** What the chain says of the only subject, where somebody has asked. */
  readonly description?: Description | null;
  /** The length of the kind's buckets in milliseconds; null or absent: it has none. */
  readonly bucketMs?: number | null;
}

/**
 * What a rule does, in one plain sentence: `Tells lp-slack when Ethereum's tip (top 10%) is above
 * 5 gwei; over when below 4 gwei`. Numbers have every digit of the rule. Pure.
 */
export function describeRule(rule: Rule, words: SentenceWords): string {
  const speaker = new Speaker(rule, words);
  const silent = rule.notify.length === 0;
  const entries =
    rule.event && rule.metrics.some((name) => words.metrics.get(name)?.entry === true);
  const what = entries
    ? `${silent ? "" : "of "}${speaker.entries()}`
    : `${silent ? "whether" : "when"} ${speaker.when()}`;
  const told = silent
    ? `Tells nobody: only watches ${what}`
    : `Tells ${listed(rule.notify)} ${what}`;
  const { bucketMs = null } = words;
  const parts = [
    ...gateClauses(rule),
    ...(bucketMs === null ? [] : bucketClauses(rule, bucketMs)),
    ...(rule.event ? [] : speaker.end()),
    // Whom nothing is told, nothing is told again.
    ...(silent ? [] : againClauses(rule, speaker.worse())),
  ];
  return [told, ...parts].join("; ");
}

/** Of which entries a rule tells: `each swap in ETH/USDC whose value is above $500,000`. Pure. */
export function describeEntries(rule: Rule, words: SentenceWords): string {
  return new Speaker(rule, words).entries();
}

/** How a clause is spoken: as it is now, or as it has been for a while. */
type Tense = "now" | "lasting";

class Speaker {
  readonly #rule: Rule;
  readonly #words: SentenceWords;
  readonly #who: Who;
  #last: string | null = null;

  constructor(rule: Rule, words: SentenceWords) {
    this.#rule = rule;
    this.#words = words;
    this.#who = whoOf(rule);
  }

  when(): string {
    const { when, forMs } = this.#rule;
    if (forMs === 0) return this.#condition(when, "now", false);
    const time = spelledDuration(forMs);
    if (isComparison(when) && !("by" in when)) {
      return `${this.#condition(when, "lasting", false)} for ${time}`;
    }
    return `for ${time} ${this.#condition(when, "now", false)}`;
  }

  /** The entries that are told of. */
  entries(): string {
    return entriesOf(this.#rule, {
      name: this.#who.name.replace("any of ", ""),
      label: (comparison) => {
        const metric = this.#metric(comparison);
        return metric?.entryLabel ?? metric?.label ?? comparison.metric;
      },
      predicate: (comparison) => this.#predicate(comparison),
    });
  }

  /** How the value is written that may grow worse. */
  worse(): Written | null {
    const { worse } = this.#rule;
    return worse === null ? null : this.#writtenAs(worse.comparison);
  }

  /** How an alert ends, as far as the rule says something of it. */
  end(): readonly string[] {
    const { when, resolveWhen, resolveAfterMs, sendResolved } = this.#rule;
    const time = resolveAfterMs === 0 ? null : spelledDuration(resolveAfterMs);
    const parts: string[] = [];
    // A new part of the sentence names the value again.
    this.#last = "";
    if (resolveWhen !== null) {
      const same =
        isComparison(when) && isComparison(resolveWhen) && when.metric === resolveWhen.metric;
      const state = same ? this.#predicate(resolveWhen) : null;
      // `over when below 4 gwei`: of what is clear.
      const what =
        state?.verb === "is" && !this.#isBoolean(resolveWhen)
          ? state.rest
          : this.#condition(resolveWhen, "now", false);
      parts.push(`over when ${what}${time === null ? "" : ` for ${time}`}`);
    } else if (time !== null) parts.push(`over after ${time} without that`);
    if (!sendResolved && this.#rule.notify.length > 0) parts.push("says nothing when it is over");
    return parts;
  }

  #condition(condition: Condition, tense: Tense, inner: boolean): string {
    if (isComparison(condition)) return this.#clause(condition, tense, false);
    if (condition.op === "not") {
      if (isComparison(condition.term)) return this.#clause(condition.term, tense, true);
      return `it is not so that (${this.#condition(condition.term, tense, false)})`;
    }
    if (!("terms" in condition)) return "";
    const word = condition.op === "all" ? " and " : " or ";
    const text = condition.terms.map((term) => this.#condition(term, tense, true)).join(word);
    return inner && condition.terms.length > 1 ? `(${text})` : text;
  }

  #clause(comparison: Comparison, tense: Tense, negated: boolean): string {
    const metric = this.#metric(comparison);
    const noun = nounOf(metric?.label ?? comparison.metric, metric?.quantity ?? "");
    if (this.#isBoolean(comparison) && comparison.op === "changes") {
      return `it changes whether ${this.#whole()} is ${noun}`;
    }
    if (this.#isBoolean(comparison)) {
      return `${this.#whole()} ${this.#state(comparison, noun, tense, negated)}`;
    }
    const { verb, rest } = this.#predicate(comparison);
    const said = conjugate(verb, tense, negated, isPlural(noun));
    const before = this.#subjectOf(comparison.metric, noun);
    return [before, said, rest].filter((part) => part !== "").join(" ");
  }

  /** The value that a clause is about; nothing if the clause before was about the same. */
  #subjectOf(metric: string, noun: string): string {
    const last = this.#last;
    this.#last = metric;
    if (last === metric) return "";
    return last === null ? this.#who.first(noun) : this.#who.again(noun);
  }

  /** The subject itself. */
  #whole(): string {
    const first = this.#last === null;
    this.#last = "";
    return first ? this.#who.name : "it";
  }

  /** `is out of range`, `has been closed`. */
  #state(comparison: Comparison, noun: string, tense: Tense, negated: boolean): string {
    const limit = "limit" in comparison && comparison.limit.kind === "value" && comparison.limit;
    const wanted = limit !== false && limit.value === true;
    const yes = (wanted === (comparison.op === "equals")) !== negated;
    const is = tense === "now" ? "is" : "has been";
    if (comparison.metric === "up") return `${is} ${yes ? "up" : "down"}`;
    if (comparison.metric !== "in_range") return `${is} ${booleanText(noun, yes)}`;
    const range = this.#range();
    if (range === null) return `${is} ${yes ? "in range" : "out of range"}`;
    const { lower, upper, unit } = range;
    return `${is} ${yes ? "within" : "outside"} ${lower} to ${upper} ${unit}`.trimEnd();
  }

  #range(): RangeFacts | null {
    return this.#rule.subjects.length === 1 ? (this.#words.description?.range ?? null) : null;
  }

  #predicate(comparison: Comparison): Predicate {
    return predicateOf(comparison, this.#writtenAs(comparison));
  }

  #writtenAs(comparison: Comparison): Written {
    const { subjects, decimals } = this.#rule;
    const metric = this.#metric(comparison) ?? {
      name: comparison.metric,
      quantity: "integer" as const,
      label: comparison.metric,
    };
    const [first] = subjects;
    const known = first === undefined ? null : (decimals.get(first.key) ?? null);
    return writtenAs(metric, known, this.#described(), LONGEST_UNIT);
  }

  /** The names that all subjects share stand in for what nobody has asked the chain for. */
  #described(): Description {
    const { subjects } = this.#rule;
    const names = new Set(subjects.map(({ name }) => name));
    const [label] = names.size === 1 ? names : [];
    const asked = subjects.length === 1 ? this.#words.description : null;
    return asked ?? { label: label ?? "", chain: "", link: null, range: null, unit: () => "" };
  }

  #metric({ metric }: Comparison): Metric | undefined {
    return this.#words.metrics.get(metric);
  }

  #isBoolean(comparison: Condition): boolean {
    return isComparison(comparison) && this.#metric(comparison)?.quantity === "boolean";
  }
}

const LONGEST_UNIT = 20;

const STEMS = {
  rises: "rise",
  falls: "fall",
  moves: "move",
  changes: "change",
  crosses: "cross",
  stays: "stay",
};

function conjugate(
  verb: Predicate["verb"],
  tense: Tense,
  negated: boolean,
  plural: boolean,
): string {
  const not = negated ? " not" : "";
  if (verb === "is") {
    if (tense === "lasting") return `${plural ? "have" : "has"}${not} been`;
    return `${plural ? "are" : "is"}${not}`;
  }
  if (negated) return `${plural ? "do" : "does"} not ${STEMS[verb]}`;
  return plural ? STEMS[verb] : verb;
}

const MOST_CHANNELS = 4;

/** `a`, `a and b`, `a, b and c`. */
function listed(names: readonly string[]): string {
  const left = names.length - MOST_CHANNELS;
  const shown = left > 1 ? [...names.slice(0, MOST_CHANNELS), `${left} more`] : [...names];
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} and ${last}`;
}

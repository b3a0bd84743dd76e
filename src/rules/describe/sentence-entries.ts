import type { Comparison, Condition, Rule } from "../../model/index.ts";
import { isComparison } from "../lint/overlap.ts";
import type { Predicate } from "./sentence-clauses.ts";

/** What one entry of a kind is called, with the word before what it is in. */
const NOUNS: Readonly<Record<string, string>> = {
  v4_swaps: "swap in",
  v3_swaps: "swap in",
  v4_liquidity: "change of liquidity in",
};

/** Where the label of a metric speaks of the record, and not of one entry of it. */
const LABELS: Readonly<Record<string, string>> = {
  amount_usd: "value",
  removed_share: "removed share of the active liquidity",
  removed_usd: "removed value",
};

/** What a sentence about entries is made from. */
export interface EntryWords {
  /** The pool or the token, or several. */
  readonly name: string;
  readonly label: (comparison: Comparison) => string;
  readonly predicate: (comparison: Comparison) => Predicate;
}

/** `each swap in ETH/USDC whose value is above $500,000`. */
export function entriesOf({ kind, when, subjects }: Rule, words: EntryWords): string {
  const clause = new Clause(words).of(when, false);
  if (kind !== "holders") return `each ${NOUNS[kind] ?? "entry of"} ${words.name} ${clause}`;
  const tops = new Set(subjects.map(({ ids }) => ids.top));
  const [top] = tops;
  const list = tops.size === 1 && top !== undefined ? `top ${top}` : "largest";
  const told = clause.replaceAll(LIST, () => list);
  const place = told.includes(`the ${list}`) ? "" : ` among the ${list} holders of ${words.name}`;
  return `each wallet${place} ${place === "" ? told.replaceAll(WHOSE, () => words.name) : told}`;
}

/** Stand for what is known when the whole clause is: a name cannot hold them. */
const LIST = "\u0001";
const WHOSE = "\u0002";

class Clause {
  constructor(private readonly words: EntryWords) {}

  of(condition: Condition, inner: boolean): string {
    if (isComparison(condition)) return this.#comparison(condition);
    if (!("terms" in condition)) return "";
    const text = condition.terms
      .map((term) => this.of(term, true))
      .join(condition.op === "all" ? " and " : " or ");
    return inner && condition.terms.length > 1 ? `(${text})` : text;
  }

  #comparison(comparison: Comparison): string {
    const { metric, op } = comparison;
    if (metric === "entered" || metric === "left") {
      const wanted = "limit" in comparison && comparison.limit.kind === "value";
      const yes = (wanted && comparison.limit.value === true) === (op === "equals");
      const verb = metric === "entered" ? "enter" : "leave";
      return `that ${yes ? `${verb}s` : `does not ${verb}`} the ${LIST} holders of ${WHOSE}`;
    }
    const { verb, rest } = this.words.predicate(comparison);
    return `whose ${LABELS[metric] ?? this.words.label(comparison)} ${verb} ${rest}`.trimEnd();
  }
}

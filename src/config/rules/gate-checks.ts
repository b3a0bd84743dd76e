import { chainName } from "../../base/chains.ts";
import { isMap } from "../../base/json.ts";
import { nearest } from "../../base/nearest.ts";
import { type Hint, someOf } from "../../base/settings.ts";
import { suggestList } from "../../base/suggest.ts";
import { GateFinder, gateOrder, placesOf } from "../../decide/gates.ts";
import type { Rule } from "../../model/index.ts";
import { errorAt, type Path, shown, warningAt } from "../../rules/finding.ts";
import { comparisonOf } from "../../rules/parse/comparison-keys.ts";
import type { Document } from "../files/document.ts";

/** A rule of some file that other rules may name, or that names others. */
interface ReadRule {
  readonly document: Document;
  readonly path: Path;
  readonly name: string;
  readonly enabled: boolean;
  /** Null: it is wrong itself, which was said. */
  readonly rule: Rule | null;
}

const KEYS = ["only_while", "unless"] as const;
const CONDITION =
  "the name of a rule: this condition needs one of its own, with notify: [] if it tells nobody";

/** What rules say of each other, which can be checked once all of them are read. */
export class GateChecks {
  readonly #names = new Map<string, Pick<ReadRule, "enabled" | "rule">>();
  /** Only of these the files are kept: most rules name no other. */
  readonly #gated: ReadRule[] = [];
  readonly #silent: (Omit<ReadRule, "enabled" | "rule"> & { readonly routed: boolean })[] = [];
  /** The names of all of them, once they are read. */
  #known: readonly string[] = [];
  #missing = false;

  /** Something could not be read that may have held rules: no name is surely unknown. */
  missSome(): void {
    this.#missing = true;
  }

  add(read: ReadRule, raw: unknown): void {
    const { document, path, name, enabled, rule } = read;
    this.#names.set(name, { enabled, rule });
    if (!enabled || rule === null) return;
    if (rule.gates !== null) this.#gated.push(read);
    if (rule.notify.length > 0) return;
    const routed = isMap(raw) && raw.notify === undefined;
    this.#silent.push({ document, path, name, routed });
  }

  /** Reports gates that are not there, that can never open, and circles. */
  report(): void {
    this.#known = [...this.#names.keys()];
    const used = new Set<string>();
    for (const read of this.#gated) {
      const { gates } = read.rule ?? { gates: null };
      if (gates === null) continue;
      for (const key of KEYS) {
        const names = key === "unless" ? gates.unless : gates.onlyWhile;
        for (const [i, name] of names.entries()) {
          used.add(name);
          this.#check(read, name, [...read.path, key, i]);
        }
      }
    }
    this.#reportCircle();
    for (const { document, path, name, routed } of this.#silent) {
      if (!used.has(name)) {
        const expected = `a ${routed ? "route for it" : "channel"}, or a rule whose gate names it`;
        const message = routed
          ? "no route matches the rule: it notifies nobody"
          : "the rule notifies nobody";
        document.report(
          warningAt("tells-nobody", [...path, routed ? "name" : "notify"], message, expected),
        );
      }
    }
  }

  #check({ document, rule }: ReadRule, name: string, at: Path): void {
    const gate = this.#names.get(name);
    if (gate === undefined) {
      if (this.#missing) return;
      const hint = document.isFull() ? {} : this.#hintFor(name, at);
      document.report(errorAt("unknown-rule", at, `unknown rule ${shown(name)}`, hint));
    } else if (!gate.enabled) {
      document.report(errorAt("not-enabled", at, `the rule ${shown(name)} is not enabled`));
    } else if (gate.rule !== null && rule !== null) {
      if (gate.rule.event) {
        const message = `the rule ${shown(name)} sends events and never fires`;
        document.report(errorAt("gate-never-opens", at, message, "a rule whose condition lasts"));
      } else this.#checkPlaces(document, rule, gate.rule, at);
    }
  }

  /** What somebody meant who names a gate that is not there: a rule, several, its opposite, a condition. */
  #hintFor(name: string, at: Path): Hint {
    const isRule = (one: string): boolean => this.#names.has(one);
    const several = suggestList(name, isRule);
    if (several !== null) return { expected: "a list", suggestion: several };
    const [, negated = ""] = /^(?:not\s+|!\s*)(.+)$/i.exec(name) ?? [];
    if (isRule(negated)) {
      const key = at.at(-2) === "unless" ? "only_while" : "unless";
      return { suggestion: `${key}: [${negated}]` };
    }
    const near = nearest(name, this.#known);
    if (near !== null) return { suggestion: near };
    const others = this.#known.length > 1 ? `, such as ${someOf(this.#known)}` : "";
    return { expected: comparisonOf(name) === null ? `the name of a rule${others}` : CONDITION };
  }

  /** Every alert of the rule needs at least one of the gate. */
  #checkPlaces(document: Document, rule: Rule, gate: Rule, at: Path): void {
    // Nobody knows yet on which chains owners hold something.
    if (gate.owners !== undefined) return;
    const finder = new GateFinder(gate, placesOf(gate));
    const anyChain = rule.gates?.anyChain ?? false;
    const lost = placesOf(rule).find((place) => finder.find(place, anyChain).length === 0);
    if (lost === undefined) return;
    const chains = lost.chains.map(chainName).join(", ");
    const expected = `a chain that it watches, or any_chain: true`;
    const message = `the rule ${shown(gate.name)} watches nothing on ${chains}`;
    document.report(errorAt("gate-never-opens", at, message, expected));
  }

  #reportCircle(): void {
    const rules = [...this.#names.values()].flatMap(({ rule }) => (rule === null ? [] : [rule]));
    const { circle } = gateOrder(rules);
    const [first, second] = circle ?? [];
    const read = this.#gated.find(({ name }) => name === first);
    if (circle === null || read === undefined || second === undefined) return;
    const key = read.rule?.gates?.onlyWhile.includes(second) === true ? "only_while" : "unless";
    const names = circle.map((name) => shown(name)).join(" → ");
    read.document.report(
      errorAt("gate-never-opens", [...read.path, key], `the gates form a circle: ${names}`),
    );
  }
}

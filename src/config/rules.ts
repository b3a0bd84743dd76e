import { nearest } from "../base/nearest.ts";
import { errorAt, errorAtKey, type Path, warningAt } from "../engine/finding.ts";
import type { Place, Rule } from "../model.ts";
import { Document } from "./document.ts";
import { byPlace, ConfigError, type Problem } from "./problem.ts";
import { type RulesContext, readRule } from "./rule.ts";
import { Schedules } from "./schedules.ts";
import { isMap, unknownKey } from "./shape.ts";
import { TextFile } from "./text-file.ts";

const FILE_WORDS = {
  what: "a rules file",
  keys: ["rules"],
  notBuilt: new Set(["lists", "references"]),
};

/** Reads rules files one after the other; names are unique over all of them. */
export class RulesReader {
  readonly rules: Rule[] = [];
  readonly errors: Problem[] = [];
  readonly warnings: Problem[] = [];
  /** Rules that were there, good or not, enabled or not. */
  seen = 0;
  readonly #places = new Map<string, Place>();
  readonly #schedules = new Schedules();

  constructor(private readonly context: RulesContext) {}

  read(file: TextFile): void {
    const document = new Document(file);
    this.#readRoot(document);
    this.errors.push(...document.errors.toSorted(byPlace));
    this.warnings.push(...document.warnings.toSorted(byPlace));
  }

  #readRoot(document: Document): void {
    const { root } = document;
    if (root === undefined) {
      // What cannot be read may have been full of rules.
      this.seen++;
      return;
    }
    if (!isMap(root)) {
      const expected = "rules: and below it a list of rules";
      document.report(errorAt([], "the file is no map", { expected }));
      return;
    }
    for (const key of Object.keys(root)) {
      if (key !== "rules") document.report(unknownKey(key, [key], FILE_WORDS));
    }
    const { rules } = root;
    if (!Array.isArray(rules)) {
      const expected = "a list of rules, each beginning with '- name: …'";
      if (rules !== undefined) document.report(errorAt(["rules"], "is no list", { expected }));
      else if (nearest(Object.keys(root)[0] ?? "", ["rules"]) === null) {
        document.report(errorAt(["rules"], "is missing", { expected }));
      }
      return;
    }
    const items: readonly unknown[] = rules;
    for (const [i, raw] of items.entries()) this.#readRule(raw, ["rules", i], document);
  }

  #readRule(raw: unknown, path: Path, document: Document): void {
    this.seen++;
    refuseReferences(raw, path, document);
    const place = document.place(path);
    const { name, enabled, rule } = readRule(
      raw,
      path,
      place,
      this.context,
      this.#schedules,
      (finding) => document.report(finding),
    );
    if (name !== null) {
      const first = this.#places.get(name);
      const at = [...path, "name"];
      if (first !== undefined) {
        const where = `${first.file}:${first.line}`;
        document.report(errorAt(at, `a rule "${name}" is there already, in ${where}`));
        return;
      }
      this.#places.set(name, document.place(at));
    }
    if (!enabled) {
      document.report(warningAt([...path, "enabled"], `the rule "${name ?? ""}" is not enabled`));
    } else if (rule !== null) this.rules.push(rule);
  }
}

/** Secrets belong into config.yaml: what a rule says is stored and sent. */
function refuseReferences(value: unknown, path: Path, document: Document): void {
  if (typeof value === "string") {
    if (!/\$\{(?:env|file):/.test(value)) return;
    document.report(errorAt(path, "references to secrets are for config.yaml, not for rules"));
  } else if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    for (const [i, item] of items.entries()) refuseReferences(item, [...path, i], document);
  } else if (isMap(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (key.includes("${")) document.report(errorAtKey([...path, key], "a key is no reference"));
      refuseReferences(item, [...path, key], document);
    }
  }
}

/**
 * Reads rules from a text, as from a file called `file`, without touching any file. Throws
 * ConfigError with everything that is wrong.
 */
export function parseRules(
  text: string,
  file: string,
  context: RulesContext,
): { rules: readonly Rule[]; warnings: readonly Problem[] } {
  const reader = new RulesReader(context);
  reader.read(new TextFile(file, text));
  if (reader.errors.length > 0) throw new ConfigError(reader.errors);
  return { rules: reader.rules, warnings: reader.warnings };
}

import { isMap } from "../../base/json.ts";
import { nearest } from "../../base/nearest.ts";
import { atOnce, inTurns, type Steps } from "../../base/turns.ts";
import type { Place, Rule } from "../../model/index.ts";
import { loadTemplates } from "../../notices/template/library.ts";
import { errorAt, errorAtKey, type Path, warningAt } from "../../rules/finding.ts";
import { Document } from "../files/document.ts";
import { unknownKey } from "../files/shape.ts";
import { byPlace, ConfigError, type Problem, TextFile } from "../files/text-file.ts";
import { GateChecks } from "./gate-checks.ts";
import { Lists } from "./lists.ts";
import { ReferenceTable } from "./reference-keys.ts";
import { type RulesContext, readRule } from "./rule.ts";
import { Schedules } from "./schedules.ts";
import { TokenDecimals } from "./token-decimals.ts";

const KEYS = ["rules", "lists", "references"];
/** What only a configuration has; its `rules` are names of files. */
const OF_CONFIGURATION = ["service", "channels"];
const FILE_WORDS = { what: "a rules file", keys: KEYS };

/** A text without these cannot have `lists` or `references` as a key; `\` may write them another way. */
const PERHAPS_SHARED = /lists|references|\\/;
/** Likewise of a template in a `title` or `note`; between its braces may be what cleaning takes out. */
const PERHAPS_TEMPLATE = /\{[^ -~\n]*[{%]|\\/;

/** Likewise a reference to a secret. */
const PERHAPS_REFERENCE = /\$\{|\\/;

export interface RulesRead {
  readonly rules: readonly Rule[];
  readonly errors: readonly Problem[];
  /** Errors that were found beside those. */
  readonly unlisted: number;
  readonly warnings: readonly Problem[];
  /** Rules that were there, good or not, enabled or not. */
  readonly seen: number;
}

/**
 * Reads rules files, lists and references first, since every file may use those of every other. Names are
 * unique over all of them. A Problem stands for a file that is no text. `withTests`: a file that
 * holds rule tests as well; who reads those knows its other keys. What templates need is loaded if there
 * may be one.
 */
export async function readRuleFiles(
  files: readonly (TextFile | Problem)[],
  context: RulesContext,
  withTests: TextFile | null = null,
): Promise<RulesRead> {
  const templates = files.some(
    (file) => file instanceof TextFile && PERHAPS_TEMPLATE.test(file.text),
  );
  if (templates) await loadTemplates();
  return await inTurns(readAll(files, context, withTests));
}

function* readAll(
  files: readonly (TextFile | Problem)[],
  context: RulesContext,
  withTests: TextFile | null,
): Steps<RulesRead> {
  const reader = new RulesReader(context);
  // What a parsed file takes is free before the next is read, but for those that hold lists.
  const withLists = new Map<TextFile, Document>();
  for (const file of files) {
    if (!(file instanceof TextFile)) {
      reader.lists.missSome();
      reader.references.missSome();
      reader.gates.missSome();
    } else if (PERHAPS_SHARED.test(file.text)) withLists.set(file, reader.collect(file));
    yield;
  }
  const found: Pick<Document, "errors" | "unlisted" | "warnings">[] = [];
  for (const file of files) {
    if (file instanceof TextFile) {
      const kept = withLists.get(file);
      const document = kept ?? new Document(file);
      yield;
      yield* reader.read(document, file === withTests);
      const { errors, unlisted, warnings } = document;
      found.push(kept ?? { errors, unlisted, warnings });
    } else found.push({ errors: [file], unlisted: { count: 0 }, warnings: [] });
  }
  // Those that no rule uses are read as well, and may use lists.
  reader.references.reportUnused();
  reader.lists.reportUnused();
  reader.gates.report();
  return {
    rules: reader.rules,
    errors: found.flatMap(({ errors }) => errors.toSorted(byPlace)),
    unlisted: found.reduce((sum, { unlisted }) => sum + unlisted.count, 0),
    warnings: found.flatMap(({ warnings }) => warnings.toSorted(byPlace)),
    seen: reader.seen,
  };
}

class RulesReader {
  readonly rules: Rule[] = [];
  readonly lists = new Lists();
  readonly references: ReferenceTable;
  readonly gates = new GateChecks();
  seen = 0;
  readonly #places = new Map<string, Place>();
  readonly #schedules = new Schedules();
  readonly #decimals = new TokenDecimals();

  constructor(private readonly context: RulesContext) {
    this.references = new ReferenceTable(context, this.lists, this.#decimals);
  }

  collect(file: TextFile): Document {
    const document = new Document(file);
    const { root } = document;
    if (!isMap(root)) {
      this.lists.missSome();
      this.references.missSome();
      return document;
    }
    for (const key of ["lists", "references"] as const) {
      if (!(key in root)) continue;
      refuseReferences(root[key], [key], document);
      this[key].collect(root[key], document);
    }
    return document;
  }

  *read(document: Document, holdsTests: boolean): Steps<void> {
    const { root } = document;
    if (root === undefined) {
      // What cannot be read may have been full of rules.
      this.seen++;
      this.gates.missSome();
      return;
    }
    if (!isMap(root)) {
      const expected = "rules: and below it a list of rules";
      document.report(errorAt("wrong-type", [], "the file is not a map", expected));
      return;
    }
    const own = OF_CONFIGURATION.find((key) => key in root);
    if (own !== undefined) {
      const message = `the file is a configuration, not a rules file: it has ${own}`;
      document.report(errorAtKey("wrong-kind-of-file", [own], message));
      this.gates.missSome();
      return;
    }
    for (const key of Object.keys(root)) {
      if (!KEYS.includes(key) && !holdsTests) document.report(unknownKey(key, [key], FILE_WORDS));
    }
    const { rules } = root;
    if (!Array.isArray(rules)) {
      const expected = "a list of rules, each beginning with '- name: …'";
      if (rules !== undefined)
        document.report(errorAt("wrong-type", ["rules"], "is not a list", expected));
      else if (
        !("lists" in root || "references" in root) &&
        nearest(Object.keys(root)[0] ?? "", KEYS) === null
      ) {
        document.report(errorAt("missing-key", ["rules"], "is missing", expected));
      }
      return;
    }
    const items: readonly unknown[] = rules;
    const { edit } = this.context;
    const mayRefer = edit !== undefined || PERHAPS_REFERENCE.test(document.file.text);
    for (const [i, written] of items.entries()) {
      const raw = edit === undefined ? written : edit(written);
      if (mayRefer) refuseReferences(raw, ["rules", i], document);
      this.#readRule(raw, ["rules", i], document);
      yield;
    }
  }

  #readRule(raw: unknown, path: Path, document: Document): void {
    this.seen++;
    const place = document.place(path);
    const { name, enabled, rule } = readRule(
      raw,
      path,
      place,
      {
        ...this.context,
        lists: this.lists,
        references: this.references,
        schedules: this.#schedules,
      },
      (finding) => document.report(finding),
    );
    if (rule !== null && isMap(raw)) {
      this.#decimals.check({ owners: [], ...rule }, raw.watch, [...path, "watch"], document);
    }
    if (name !== null) {
      const first = this.#places.get(name);
      const at = [...path, "name"];
      if (first !== undefined) {
        const where = `${first.file}:${first.line}`;
        const message = `a rule "${name}" is already used, in ${where}`;
        document.report(errorAt("duplicate-name", at, message, "another name"));
        return;
      }
      this.#places.set(name, document.place(at));
    }
    if (!enabled) {
      document.report(
        warningAt("not-enabled", [...path, "enabled"], `the rule "${name ?? ""}" is not enabled`),
      );
    } else if (rule !== null) this.rules.push(rule);
    if (name === null) this.gates.missSome();
    else this.gates.add({ document, path, name, enabled, rule }, raw);
  }
}

/** The channels that the rules of a file name, for whoever reads it without its configuration. */
export function channelsNamedIn(file: TextFile): readonly string[] {
  const { root } = new Document(file);
  const rules: unknown = isMap(root) ? root.rules : [];
  const items: readonly unknown[] = Array.isArray(rules) ? rules : [];
  return items
    .flatMap((rule) => (isMap(rule) ? [rule.notify].flat() : []))
    .filter((name) => typeof name === "string");
}

/** Secrets belong into config.yaml: what a rule says is stored and sent. */
function refuseReferences(value: unknown, path: Path, document: Document): void {
  if (typeof value === "string") {
    if (!/\$\{(?:env|file):/.test(value)) return;
    document.report(
      errorAt("secret-in-rules", path, "references to secrets are for config.yaml, not for rules"),
    );
  } else if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    for (const [i, item] of items.entries()) refuseReferences(item, [...path, i], document);
  } else if (isMap(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (key.includes("${"))
        document.report(errorAtKey("bad-name", [...path, key], "a key cannot hold a reference"));
      refuseReferences(item, [...path, key], document);
    }
  }
}

/**
 * Reads rules from a text, as from a file called `file`, without touching any file. Throws
 * ConfigError with everything that is wrong, and Error for a template while `loadTemplates` has not
 * resolved.
 */
export function parseRules(
  text: string,
  file: string,
  context: RulesContext,
): { rules: readonly Rule[]; warnings: readonly Problem[] } {
  const files = [new TextFile(file, text)];
  const { rules, errors, unlisted, warnings } = atOnce(readAll(files, context, null));
  if (errors.length > 0) throw new ConfigError(errors, unlisted);
  return { rules, warnings };
}

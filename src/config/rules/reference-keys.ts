import { isMap } from "../../base/json.ts";
import { alternatives, kindOf } from "../../base/settings.ts";
import { suggest, synonymsOf } from "../../base/suggest.ts";
import { acrossSubject } from "../../decide/across.ts";
import type { Metric } from "../../kinds/kind.ts";
import type { Reference, ReferenceAcross } from "../../model/index.ts";
import {
  errorAt,
  errorAtKey,
  type Path,
  type Report,
  shown,
  typeOf,
  warningAtKey,
  wrongType,
} from "../../rules/finding.ts";
import type { References } from "../../rules/parse/relative.ts";
import { UNITS } from "../../rules/parse/units.ts";
import type { Document } from "../files/document.ts";
import { unknownKey } from "../files/shape.ts";
import { checkAddresses, checkMetrics } from "../settings/addresses.ts";
import { checkAcross } from "./across-key.ts";
import type { Lists } from "./lists.ts";
import type { RulesContext } from "./rule.ts";
import { ACROSS } from "./rule-keys.ts";
import type { TokenDecimals } from "./token-decimals.ts";
import { readWatch, type Watch } from "./watch-key.ts";

interface Written {
  readonly raw: unknown;
  readonly path: Path;
  readonly document: Document;
  /** Undefined until a rule asks for it. */
  read?: Reference | "broken";
  used: boolean;
}

const REQUIRED = ["watch", "metric"];
const KEYS = [...REQUIRED, "across"];
const WORDS = { what: "a reference", keys: KEYS };
const NAME = /^[A-Za-z_][\w.-]*$/;
const EXPECTED = "{watch: {kind: token_balance, …}, metric: balance}";

/** The `references` of all rules files: every file may use those of every other. */
export class ReferenceTable implements References {
  #names: readonly string[] = [];
  readonly #written = new Map<string, Written>();
  #whole = true;

  constructor(
    private readonly context: Pick<RulesContext, "watches" | "addresses">,
    private readonly lists: Lists,
    private readonly decimals: TokenDecimals,
  ) {}

  /** A file with references cannot be read: names that are not found may be in there. */
  missSome(): void {
    this.#whole = false;
  }

  /** Takes what stands under `references` in a file; each is read once a rule uses it. */
  collect(raw: unknown, document: Document): void {
    const top: Path = ["references"];
    if (!isMap(raw)) {
      const what = typeOf(raw);
      document.report(errorAt("wrong-type", top, what, `names, each with ${EXPECTED}`));
      this.missSome();
      return;
    }
    for (const [name, item] of Object.entries(raw)) {
      const path = [...top, name];
      const first = this.#written.get(name);
      if (first !== undefined) {
        const { file, line } = first.document.place(first.path, "key");
        const message = `a reference ${shown(name)} is already used, in ${file}:${line}`;
        document.report(errorAtKey("duplicate-name", path, message));
      } else if (!NAME.test(name) || /^p\d+$/i.test(name)) {
        const message = `${shown(name)} cannot be the name of a reference`;
        document.report(errorAtKey("bad-name", path, message, "a word such as escrowed"));
      } else this.#written.set(name, { raw: item, path, document, used: false });
    }
  }

  find(name: string): Reference | "broken" | "unknown" {
    const written = this.#written.get(name);
    if (written === undefined) return this.#whole ? "unknown" : "broken";
    written.used = true;
    written.read ??= this.#read(name, written) ?? "broken";
    return written.read;
  }

  names(): readonly string[] {
    // The same list each time: it is searched again and again.
    if (this.#names.length !== this.#written.size) this.#names = [...this.#written.keys()];
    return this.#names;
  }

  /** Warns of the references that no rule uses; what is wrong with them is said nevertheless. */
  reportUnused(): void {
    for (const [name, written] of this.#written) {
      if (written.used) continue;
      this.#read(name, written);
      const { path, document } = written;
      document.report(warningAtKey("unused", path, `no rule uses the reference ${shown(name)}`));
    }
  }

  #read(name: string, { raw, path, document }: Written): Reference | null {
    let failed = false;
    const report: Report = (finding) => {
      failed ||= finding.level === "error";
      document.report(finding);
    };
    if (!isMap(raw)) {
      report(wrongType(path, raw, EXPECTED));
      return null;
    }
    for (const key of Object.keys(raw)) {
      if (!KEYS.includes(key)) report(unknownKey(key, [...path, key], WORDS));
    }
    for (const key of REQUIRED) {
      if (!(key in raw)) report(errorAt("missing-key", [...path, key], "is missing", EXPECTED));
    }
    const at = [...path, "watch"];
    const { watches, addresses } = this.context;
    const watch = readWatch(raw.watch, at, name, watches, this.lists, addresses, report);
    if (watch === null || failed) return null;
    const { kind, targets } = watch;
    this.decimals.check(targets, raw.watch, at, document);
    if (addresses !== undefined) {
      checkAddresses(kind, targets.subjects, addresses, [...at, "kind"], report);
    }
    const metric = readMetric(raw.metric, [...path, "metric"], watch, report);
    if (addresses !== undefined && metric !== null) {
      checkMetrics([metric.name], kind, addresses, [...path, "metric"], report);
    }
    const how = readAcross(raw.across, [...path, "across"], report);
    const members = targets.subjects;
    if (targets.owners.length > 0) {
      const message = "a reference is one value, and an owner may hold any number of positions";
      report(errorAt("misplaced-key", [...at, "owner"], message, "positions: [ID]"));
    }
    if (members.length > 1 && raw.across === undefined) {
      const message = `a reference is one value, and this watch has ${members.length} subjects`;
      report(
        errorAt("needs-across", at, message, "a watch of one subject, or across: sum, min or max"),
      );
    }
    if (how !== null && metric !== null) {
      checkAcross(how, [metric.name], watch, [...path, "across"], report);
    }
    const [first] = members;
    if (failed || metric === null || first === undefined) return null;
    const decimals = targets.decimals.get(first.key) ?? null;
    const subject = how === null ? first : acrossSubject(kind.kind, how, members);
    const across = how === null ? null : { how, members };
    const learned = kind.facts !== undefined && addresses?.has("legacy_base_url") === true;
    if (metric.quantity === "raw" && decimals === null && !learned) {
      const message = "the reference needs the decimals of its token";
      report(errorAt("needs-decimals", at, message, "decimals: 6 (the token's) in the watch"));
      return null;
    }
    const { name: named, quantity } = metric;
    return { name, kind: kind.kind, subject, across, metric: named, quantity, decimals };
  }
}

function readAcross(raw: unknown, path: Path, report: Report): ReferenceAcross["how"] | null {
  if (raw === undefined) return null;
  const how = ACROSS.find((one) => one === raw);
  if (how !== undefined) return how;
  const what = typeof raw === "string" ? shown(raw) : kindOf(raw);
  report(errorAt("unknown-word", path, `unknown across ${what}`, alternatives(ACROSS)));
  return null;
}

function readMetric(raw: unknown, path: Path, { kind }: Watch, report: Report): Metric | null {
  const metric = typeof raw === "string" ? kind.metrics.get(raw) : undefined;
  const numbers = [...kind.metrics.values()].filter((one) => UNITS[one.quantity] !== null);
  const expected = `a metric of ${kind.kind} such as ${alternatives(numbers.slice(-3).map(({ name }) => name))}`;
  if (metric === undefined) {
    const near =
      typeof raw === "string" ? suggest(raw, kind.metrics.keys(), synonymsOf(kind.metrics)) : null;
    const what = typeof raw === "string" ? shown(raw) : kindOf(raw);
    const hint = { expected, suggestion: near };
    report(errorAt("unknown-metric", path, `${kind.kind} has no metric ${what}`, hint));
    return null;
  }
  if (UNITS[metric.quantity] !== null && metric.entry !== true) return metric;
  const why = metric.entry === true ? "is of single entries" : "is not a number";
  report(
    errorAt(
      "metric-no-number",
      path,
      `${metric.name} ${why}: nothing can be compared with it`,
      expected,
    ),
  );
  return null;
}

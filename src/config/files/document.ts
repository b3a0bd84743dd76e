import { parseDocument } from "yaml";
import type { ProblemCode } from "../../base/problem-codes.ts";
import type { Hint } from "../../base/settings.ts";
import type { Place } from "../../model/index.ts";
import type { Finding, Path } from "../../rules/finding.ts";
import { syntaxProblems } from "./syntax.ts";
import { MOST_PROBLEMS, type Problem, type TextFile } from "./text-file.ts";
import { readTree, type Tree } from "./tree.ts";
import { unclosedQuote } from "./unclosed-quote.ts";

/**
 * A YAML file as plain data, with the place of each part of it and what was found to be wrong.
 * Numbers are the text that stands in the file, so that no digit is lost.
 */
export class Document {
  /** At most 500; the file is refused if there is one. */
  readonly errors: Problem[] = [];
  readonly warnings: Problem[] = [];
  /** Undefined if the file is no YAML or empty; that is among the errors. */
  readonly root: unknown;
  /** Errors that were found beside those. */
  readonly unlisted = { count: 0 };
  readonly #tree: Tree | null;
  readonly #reported = new Set<string>();
  /** The keys that were meant where others stand: that they are missing is not told as well. */
  readonly #misspelt = new Set<string>();
  readonly #secrets = new Set<string>();

  constructor(readonly file: TextFile) {
    this.#tree = this.#parse();
    this.root = this.#tree?.root;
  }

  #parse(): Tree | null {
    let yaml: ReturnType<typeof parseDocument>;
    try {
      yaml = parseDocument(this.file.text, {
        version: "1.2",
        schema: "core",
        prettyErrors: false,
        strict: true,
        // Our own check names the line of the first one.
        uniqueKeys: false,
        // "silent" would also hide that there are several documents.
        logLevel: "error",
      });
    } catch {
      this.errors.push(
        this.file.problem(
          "too-large",
          0,
          "the file is nested too deeply, or has too long a list in [ ], to be read",
        ),
      );
      return null;
    }
    const broken = [...yaml.errors, ...yaml.warnings];
    if (broken.length > 0) {
      const { errors, at } = unclosedQuote(yaml, broken);
      const { problems, unlisted } = syntaxProblems(this.file, errors, MOST_PROBLEMS);
      this.errors.push(...problems);
      this.unlisted.count = unlisted;
      if (at !== null)
        this.reportAt("bad-yaml", at, "nothing closes the quote that begins here", {
          expected: "the same quote at the end of the text, or none at all",
        });
      return null;
    }
    return readTree(
      yaml,
      this.file,
      (code, offset, message, hint) => this.reportAt(code, offset, message, hint),
      (code, offset, message, hint) => this.#warnAt(code, offset, message, hint ?? {}),
    );
  }

  /** Keeps a finding as a problem at its place; errors at one place after the first follow from it. */
  report(finding: Finding): void {
    const { code, level, path, part, hint } = finding;
    const place = JSON.stringify(path);
    if (/(?:^|^\S+ )is missing$/.test(finding.message) && this.#misspelt.has(place)) return;
    if (part === "key" && typeof hint.suggestion === "string") {
      for (const key of hint.suggestion.replace(/:.*/s, "").split(" or ")) {
        this.#misspelt.add(JSON.stringify([...path.slice(0, -1), key]));
      }
    }
    const message = /^(?:is|has) /.test(finding.message)
      ? `${subjectOf(path)} ${finding.message}`
      : finding.message;
    const offset = this.#offset(path, part);
    if (level === "error") this.reportAt(code, offset, message, hint);
    else this.#warnAt(code, offset, message, hint);
  }

  /** Rules that share a list may all say the same of it. */
  #warnAt(code: ProblemCode, offset: number, message: string, hint: Hint): void {
    const key = `${offset} warning: ${message}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.warnings.push(this.#problem(code, offset, message, hint));
  }

  reportAt(code: ProblemCode, offset: number, message: string, hint: Hint = {}): void {
    // Several keys may be missing at one place.
    const key = message.endsWith(" is missing") ? `${offset} ${message}` : String(offset);
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    if (this.isFull()) this.unlisted.count++;
    else this.errors.push(this.#problem(code, offset, message, hint));
  }

  /** Whether a further error would only be counted: what it was meant to be need not be looked for. */
  isFull(): boolean {
    return this.errors.length >= MOST_PROBLEMS;
  }

  /** Keeps a secret out of every later message, whoever made it. */
  hide(secret: string): void {
    // A shorter text would tear holes into ordinary words, and is no secret worth the name.
    if (secret.length >= 6) this.#secrets.add(secret);
  }

  #problem(code: ProblemCode, offset: number, message: string, hint: Hint): Problem {
    const clean = (text: string | null | undefined): string =>
      [...this.#secrets].reduce(
        (left, secret) => left.replaceAll(secret, "[redacted]"),
        text ?? "",
      );
    return this.file.problem(code, offset, clean(message), {
      expected: clean(hint.expected),
      suggestion: clean(hint.suggestion),
    });
  }

  place(path: Path, part: "key" | "value" = "value"): Place {
    return { file: this.file.name, ...this.file.place(this.#offset(path, part)) };
  }

  /** The offset of what `path` leads to, or of the nearest part around it that is there. */
  #offset(path: Path, part: "key" | "value"): number {
    const tree = this.#tree;
    if (tree === null) return 0;
    let value = tree.root;
    let offset = tree.start;
    for (const [i, step] of path.entries()) {
      if (typeof value !== "object" || value === null) return offset;
      const entry = tree.places.get(value)?.get(step);
      if (entry === undefined) return offset;
      offset = part === "key" && i === path.length - 1 ? entry.key : entry.value;
      value = entry.content;
    }
    return offset;
  }
}

/** What a message that begins with `is` or `has` is about: the key, or the item of a list. */
function subjectOf(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return "the file";
  if (typeof last === "string") return last;
  const list = path.at(-2);
  return `item ${last + 1}${typeof list === "string" ? ` of ${list}` : ""}`;
}

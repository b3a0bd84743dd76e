import { dirname, join, resolve } from "node:path";
import { MINUTE } from "../base/duration.ts";
import { errorCode } from "../base/error-code.ts";
import { isMap } from "../base/json.ts";
import { Document } from "../config/files/document.ts";
import {
  decode,
  LARGEST_FILE,
  type ReadFile,
  readFromDisk,
  readTrouble,
} from "../config/files/read-text.ts";
import { byPlace, MOST_PROBLEMS, type Problem, TextFile } from "../config/files/text-file.ts";
import { channelsNamedIn, type RulesRead, readRuleFiles } from "../config/rules/rules.ts";
import type { Defaults } from "../config/settings/defaults-key.ts";
import type { WatchKind } from "../kinds/kind.ts";
import { errorAt, type Path, shown } from "../rules/finding.ts";
import { parseDate } from "./notation.ts";
import { readCase } from "./read-case.ts";
import { readList, readMap, readOffset, readText } from "./reading.ts";
import type { TestCase } from "./rule-test.ts";
import { TEST_CHANNEL } from "./run-case.ts";

const RULE_KEYS = ["rules", "lists", "references"] as const;
export const FILE_KEYS = ["rule_files", ...RULE_KEYS, "start", "every", "cases"] as const;
/** A Thursday, at midnight in UTC. */
const DEFAULT_START = Date.UTC(2026, 0, 1);

export interface LoadOptions {
  readonly kinds: ReadonlyMap<string, WatchKind>;
  readonly readFile?: ReadFile;
  /** What a configuration says for rules that do not say it themselves. */
  readonly defaults?: Defaults | undefined;
}

/** A file of rule tests as it was read. */
export interface LoadedTests {
  readonly file: string;
  /** In the order of the file; none if there are problems. */
  readonly cases: readonly TestCase[];
  readonly problems: readonly Problem[];
  /** How many there are beside those. */
  readonly more: number;
  /** Every file that was read, whether it could be or not: who watches looks at them. */
  readonly files: readonly string[];
}

/** Reads a file of rule tests and the rules that it names. Everything that is wrong is a problem. */
export async function loadTests(path: string, options: LoadOptions): Promise<LoadedTests> {
  const readFile = options.readFile ?? readFromDisk;
  const text = await readTestText(path, readFile);
  const unread = { file: path, cases: [], more: 0, files: [path] };
  if (!(text instanceof TextFile)) return { ...unread, problems: [text] };
  const document = new Document(text);
  const report = document.report.bind(document);
  const root =
    document.root === undefined
      ? null
      : readMap(document.root, [], "a file of rule tests", FILE_KEYS, report);
  if (root === null) return { ...unread, problems: document.errors, more: document.unlisted.count };
  const named = namedFiles(root.rule_files, path, document);
  const rulesRead = await readRules(text, document, named, readFile, options);
  const files = [path, ...named.map(({ file }) => file)];
  const start = readStart(root.start, document);
  const everyMs = readOffset(root.every, ["every"], report) ?? MINUTE;
  const { rules, errors, unlisted } = rulesRead;
  if (errors.length === 0 && rules.length === 0 && document.errors.length === 0) {
    report(errorAt("no-rules", [], "the file has no rule", "rules: or rule_files:"));
  }
  const expected = "a list of cases, each beginning with '- name: …'";
  const raw = readList(root.cases, ["cases"], expected, report);
  if (root.cases === undefined) report(errorAt("missing-key", ["cases"], "is missing", expected));
  const cases =
    errors.length + document.errors.length > 0
      ? []
      : raw.flatMap((item, i) => {
          const casePath: Path = ["cases", i];
          const place = document.place.bind(document);
          const context = { kinds: options.kinds, rules, start, everyMs, place };
          const one = readCase(item, casePath, context, report);
          return one === null ? [] : [one];
        });
  const all = [...document.errors.toSorted(byPlace), ...errors];
  const problems = all.slice(0, MOST_PROBLEMS);
  const more = all.length - problems.length + document.unlisted.count + unlisted;
  return { file: path, cases: problems.length > 0 ? [] : cases, problems, more, files };
}

async function readTestText(path: string, readFile: ReadFile): Promise<TextFile | Problem> {
  try {
    return decode(path, await readFile(path, LARGEST_FILE));
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return new TextFile(path, "").problem("unreadable-file", 0, `the file ${readTrouble(error)}`);
  }
}

interface NamedFile {
  readonly file: string;
  readonly path: Path;
}

function namedFiles(raw: unknown, testFile: string, document: Document): readonly NamedFile[] {
  const path: Path = ["rule_files"];
  const report = document.report.bind(document);
  const expected = "files with rules, relative to this one";
  const items = readList(typeof raw === "string" ? [raw] : raw, path, expected, report);
  const seen = new Set<string>();
  return items.flatMap((item, i) => {
    const at = typeof raw === "string" ? path : [...path, i];
    const name = readText(item, at, expected, report);
    if (name === null) return [];
    const file = name.startsWith("/") ? name : join(dirname(testFile), name);
    if (seen.has(resolve(file))) return [];
    seen.add(resolve(file));
    return [{ file, path: at }];
  });
}

async function readRules(
  text: TextFile,
  document: Document,
  named: readonly NamedFile[],
  readFile: ReadFile,
  { kinds, defaults }: LoadOptions,
): Promise<RulesRead> {
  const found: (TextFile | Problem)[] = [];
  const { root } = document;
  if (isMap(root) && RULE_KEYS.some((key) => key in root)) found.push(text);
  for (const { file, path } of named) {
    const read = await readTestText(file, readFile);
    if (read instanceof TextFile || read.message !== "the file does not exist") found.push(read);
    else
      document.report(
        errorAt("unreadable-file", path, `the rules file ${shown(file)} does not exist`),
      );
  }
  const channels = new Set([TEST_CHANNEL]);
  for (const one of found) {
    if (one instanceof TextFile) for (const name of channelsNamedIn(one)) channels.add(name);
  }
  return await readRuleFiles(
    found,
    { watches: kinds, channels: [...channels], ...(defaults === undefined ? {} : { defaults }) },
    text,
  );
}

function readStart(raw: unknown, document: Document): number {
  const path: Path = ["start"];
  const expected = "a date such as 2026-11-28T12:00:00Z";
  const text = readText(raw, path, expected, document.report.bind(document));
  const date = text === null ? DEFAULT_START : parseDate(text);
  if (date === null)
    document.report(
      errorAt("bad-time", path, `start ${shown(text ?? "")} is not a date`, expected),
    );
  return date ?? DEFAULT_START;
}

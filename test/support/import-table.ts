import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Source files by their path below src/, with `/` on every system. */
export type Sources = ReadonlyMap<string, string>;

export interface Table {
  /**
   * What the files of a folder (or one file) may import besides their own folder: folders, or
   * single files of them. `*` is everything.
   */
  readonly imports: Readonly<Record<string, readonly string[]>>;
  /** Imports that the line above would allow and that must not be. */
  readonly never: readonly (readonly [from: string, to: string])[];
  /** Where a package may be imported: folders or files. */
  readonly packages: Readonly<Record<string, readonly string[]>>;
  /** Folders and files of pure code, and the few modules of Node's that do not spoil it. */
  readonly pure: readonly string[];
  readonly pureModules: readonly string[];
  /** Words that have their place; anywhere else they are a fault. */
  readonly words: readonly {
    readonly word: RegExp;
    readonly name: string;
    readonly only: readonly string[];
  }[];
}

export function readSources(root: string): Sources {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => /\.[cm]?[jt]sx?$/.test(name));
  return new Map(names.map((name) => [name, readFileSync(join(root, name), "utf8")]));
}

/** Every fault as one line that names file, import and rule. */
export function faults(sources: Sources, table: Table): string[] {
  const found: string[] = [];
  const graph = new Map<string, string[]>();
  for (const [file, text] of sources) {
    const code = withoutComments(text);
    const targets: string[] = [];
    graph.set(file, targets);
    for (const name of importsOf(code)) {
      if (name === null) {
        found.push(`${file}: an import whose target is not a plain string cannot be checked`);
      } else if (name.startsWith(".")) {
        const target = normalize(join(dirname(file), name)).replaceAll("\\", "/");
        targets.push(target);
        const fault = localFault(file, target, sources, table);
        if (fault !== null) found.push(`${file} imports ${target}: ${fault}`);
      } else {
        const fault = moduleFault(file, name, table);
        if (fault !== null) found.push(`${file} imports "${name}": ${fault}`);
      }
    }
    for (const { word, name, only } of table.words) {
      if (!isIn(file, only) && word.test(code)) {
        found.push(`${file} uses ${name}, which has its place in ${only.join(", ") || "no file"}`);
      }
    }
  }
  return [...found, ...cycles(graph)];
}

function localFault(file: string, target: string, sources: Sources, table: Table): string | null {
  if (target.startsWith("..")) return "it lies outside src/";
  if (!sources.has(target)) return "there is no such file (imports end in .ts)";
  const place = placeOf(file);
  const allowed = table.imports[place];
  if (allowed === undefined) return `the table does not know ${place}`;
  if (table.never.some(([from, to]) => isIn(file, [from]) && isIn(target, [to]))) {
    return `${place} must never import ${placeOf(target)}`;
  }
  if (placeOf(target) === place || allowed.includes("*") || isIn(target, allowed)) return null;
  return `${place} may import only ${allowed.join(", ") || "itself"}`;
}

function moduleFault(file: string, name: string, table: Table): string | null {
  if (name.startsWith("node:")) {
    const spoils = isIn(file, table.pure) && !table.pureModules.includes(name);
    return spoils ? `${placeOf(file)} is pure` : null;
  }
  const parts = name.split("/");
  const packageName = name.startsWith("@") ? parts.slice(0, 2).join("/") : parts[0];
  const places = table.packages[packageName ?? ""];
  if (places === undefined) return "the table does not know this package";
  return isIn(file, places) ? null : `it has its place in ${places.join(", ")}`;
}

/** The top folder of a file, or the file itself if it lies directly in src/. */
function placeOf(file: string): string {
  return file.split("/")[0] ?? file;
}

function isIn(file: string, places: readonly string[]): boolean {
  return places.some((place) => file === place || file.startsWith(`${place}/`));
}

const STATEMENT = /^[ \t]*(?:import|export)\b(?:[\w\s{},*$]*?\bfrom)?\s*(["'])([^"'\n]+)\1/gm;
const CALL = /\b(?:import|require)\s*\(\s*(?:(["'])([^"'\n]+)\1\s*[,)])?/g;

/** What a file imports: statically, dynamically and for types alone; null: not a plain string. */
function importsOf(code: string): (string | null)[] {
  const statements = [...code.matchAll(STATEMENT)].map((match) => match[2] ?? null);
  const calls = [...code.matchAll(CALL)].map((match) => match[2] ?? null);
  return [...statements, ...calls];
}

const COMMENT_OR_TEXT =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`/g;

function withoutComments(text: string): string {
  return text.replace(COMMENT_OR_TEXT, (part) => (/^\/[/*]/.test(part) ? " " : part));
}

/** Each circle of files once, starting with its first name in the alphabet. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found = new Set<string>();
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      const circle = path.slice(start);
      const first = circle.indexOf(circle.toSorted()[0] ?? file);
      const turned = [...circle.slice(first), ...circle.slice(0, first)];
      found.add(`a circle of imports: ${[...turned, turned[0]].join(" → ")}`);
      return;
    }
    if (done.has(file)) return;
    path.push(file);
    for (const target of graph.get(file) ?? []) visit(target);
    path.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return [...found];
}

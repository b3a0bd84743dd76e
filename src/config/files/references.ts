import { resolve } from "node:path";
import { isMap } from "../../base/json.ts";
import { Secret } from "../../base/text.ts";
import { errorAt, type Path, type Report, shown } from "../../rules/finding.ts";
import { type ReadFile, readSecretFile, readTrouble } from "./read-text.ts";

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: ReadFile;
  /** The folder that `${file:PATH}` starts from. */
  readonly folder: string;
  readonly report: Report;
}

const REFERENCE = /\$\{([^}]*)\}?/g;
const EXPECTED = { expected: `"\${env:NAME}" or "\${file:PATH}"` };

/**
 * The same data with `${env:NAME}` and `${file:PATH}` replaced; a text that held one becomes a
 * Secret as a whole. What is unset, empty or unreadable is reported, and stands as an empty Secret.
 */
export async function expandReferences(
  value: unknown,
  path: Path,
  around: Surroundings,
): Promise<unknown> {
  if (typeof value === "string") return value.includes("${") ? expand(value, path, around) : value;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return Promise.all(items.map((item, i) => expandReferences(item, [...path, i], around)));
  }
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(
    async ([key, item]) => [key, await expandReferences(item, [...path, key], around)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

async function expand(text: string, path: Path, around: Surroundings): Promise<Secret> {
  let expanded = "";
  let end = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const found = await lookUp(match[0], match[1] ?? "", around);
    if (found.trouble !== null) {
      around.report(
        errorAt(
          found.code,
          path,
          found.trouble,
          found.code === "unknown-reference" ? EXPECTED : {},
        ),
      );
      return new Secret("");
    }
    expanded += text.slice(end, match.index) + found.text;
    end = match.index + match[0].length;
  }
  return new Secret(expanded + text.slice(end));
}

interface Found {
  readonly text: string;
  readonly trouble: string | null;
  readonly code: "unknown-reference" | "secret-missing";
}

async function lookUp(whole: string, inner: string, around: Surroundings): Promise<Found> {
  const bad = (trouble: string, code: Found["code"] = "secret-missing"): Found => ({
    text: "",
    trouble,
    code,
  });
  const [kind, name = ""] = inner.split(/:(.*)/s);
  if (!whole.endsWith("}")) return bad(`a \${ is not closed by a }`, "unknown-reference");
  if (kind === "env" && /^[A-Za-z_]\w*$/.test(name)) {
    const text = around.env[name];
    if (text === undefined) return bad(`the environment variable ${name} is not set`);
    return text.trim() === "" ? bad(`the environment variable ${name} is empty`) : good(text);
  }
  if (kind === "file" && name !== "") {
    try {
      const text = await readSecretFile(resolve(around.folder, name), around.readFile);
      return text.trim() === "" ? bad(`the file ${shown(name)} is empty`) : good(text);
    } catch (error) {
      return bad(`the file ${shown(name)} ${readTrouble(error)}`);
    }
  }
  return bad(`unknown reference ${shown(whole)}`, "unknown-reference");
}

function good(text: string): Found {
  return { text, trouble: null, code: "secret-missing" };
}

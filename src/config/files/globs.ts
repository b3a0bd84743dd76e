import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { readTrouble } from "./read-text.ts";

/** More folder entries than this are not searched for rules files. */
const MOST_ENTRIES = 100_000;

/** A pattern that cannot be used; the message is for the user. */
export class GlobError extends Error {
  override readonly name = "GlobError";
}

/**
 * The files that a pattern names, sorted: `*` and `?` within a name, `**` for any number of folders.
 * Names that begin with a point are matched only where the pattern has one. Relative patterns start
 * at `folder`. Throws GlobError.
 */
export async function expandGlob(pattern: string, folder: string): Promise<readonly string[]> {
  if (/[[\]{}!\\]/.test(pattern)) {
    throw new GlobError(`"${pattern}" has characters that patterns do not have: only *, ** and ?`);
  }
  const absolute = pattern.startsWith("/");
  const steps = pattern.split("/").filter((step) => step !== "");
  const search = new Search();
  await search.walk(absolute ? "/" : folder, steps);
  return [...search.found].toSorted();
}

class Search {
  readonly found = new Set<string>();
  #entries = 0;

  async walk(folder: string, steps: readonly string[]): Promise<void> {
    const [step, ...rest] = steps;
    if (step === undefined) return;
    if (step === "**") {
      await this.walk(folder, rest);
      // Links to folders are not followed, they may lead back up.
      for (const entry of await this.#list(folder)) {
        if (entry.isDirectory() && !entry.name.startsWith(".")) {
          await this.walk(join(folder, entry.name), steps);
        }
      }
      return;
    }
    if (!/[*?]/.test(step)) {
      const path = join(folder, step);
      if (rest.length > 0) await this.walk(path, rest);
      else if (!(await isFolder(path)) && (await isThere(path))) this.found.add(path);
      return;
    }
    for (const entry of await this.#list(folder)) {
      if (!matches(entry.name, step)) continue;
      const path = join(folder, entry.name);
      if (rest.length > 0) await this.walk(path, rest);
      // Most are plain files: a daemon looks for them every two seconds.
      else if (entry.isFile() || !(await isFolder(path))) this.found.add(path);
    }
  }

  async #list(folder: string) {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      const trouble = readTrouble(error);
      if (trouble.startsWith("does not exist")) return [];
      throw new GlobError(`the folder "${folder}" ${trouble}`);
    });
    this.#entries += entries.length;
    if (this.#entries > MOST_ENTRIES) {
      throw new GlobError(`the pattern searches more than ${MOST_ENTRIES} files and folders`);
    }
    return entries;
  }
}

/** What is there under a name that fits and is no folder is found, whatever it is: who reads it says so. */
async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true;
}

/** A link is, also when it leads to nothing. */
async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

/** Whether a name fits a pattern of `*`, `?` and plain characters; linear but for the last star. */
export function matches(name: string, pattern: string): boolean {
  if (name.startsWith(".") && !pattern.startsWith(".")) return false;
  const text = [...name];
  const wanted = [...pattern];
  let t = 0;
  let p = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    if (wanted[p] === "*") {
      star = p++;
      resume = t;
    } else if (p < wanted.length && (wanted[p] === "?" || wanted[p] === text[t])) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else return false;
  }
  while (wanted[p] === "*") p++;
  return p === wanted.length;
}

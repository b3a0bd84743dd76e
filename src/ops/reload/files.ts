import { stat } from "node:fs/promises";
import { expandGlob } from "../../config/files/globs.ts";
import { type ReadFile, readFromDisk } from "../../config/files/read-text.ts";

/** By path: what tells a file from what it was before. */
export type Stamps = ReadonlyMap<string, string>;

/** What stood in a file that was read. */
export interface FileText {
  readonly text: string;
  /** Of the configuration what its text says, with references in place of secrets. */
  readonly values: unknown;
}

/** The files that one loading of a configuration has read or looked for: itself, rules files, files of secrets. */
export class LoadedFiles {
  readonly #stamps = new Map<string, string>();
  readonly #patterns = new Map<string, readonly [pattern: string, folder: string]>();
  readonly #texts = new Map<string, FileText>();

  /** Reads from the disk, and notes how the file was before it was read. */
  readonly readFile: ReadFile = async (path, limit) => {
    if (!this.#stamps.has(path)) this.#stamps.set(path, await stampOf(path));
    return await readFromDisk(path, limit);
  };

  /** Files that a pattern matches later belong to it as well. */
  readonly onPattern = (pattern: string, folder: string): void => {
    this.#patterns.set(`${folder}\n${pattern}`, [pattern, folder]);
  };

  readonly onText = (path: string, text: string, values: unknown): void => {
    this.#texts.set(path, { text, values });
  };

  /** By path the texts of the configuration, which is the first, and of the rules files; they are kept no longer. */
  takeTexts(): ReadonlyMap<string, FileText> {
    const texts = new Map(this.#texts);
    this.#texts.clear();
    return texts;
  }

  /** How they were when they were read. */
  get stamps(): Stamps {
    return this.#stamps;
  }

  /** These, and those of a loading before them: a loading that failed may not have come to all. */
  with(others: LoadedFiles): LoadedFiles {
    const all = new LoadedFiles();
    for (const one of [others, this]) {
      for (const [path, stamp] of one.#stamps) all.#stamps.set(path, stamp);
      for (const [key, pattern] of one.#patterns) all.#patterns.set(key, pattern);
    }
    return all;
  }

  /** How the files are now, with those that the patterns match by now. */
  async look(): Promise<Stamps> {
    const paths = new Set(this.#stamps.keys());
    for (const [pattern, folder] of this.#patterns.values()) {
      // What cannot be searched is as if it were empty: loading it says what is wrong.
      const found = await expandGlob(pattern, folder).catch(() => []);
      for (const path of found) if (!path.endsWith(".test.yaml")) paths.add(path);
    }
    const now = new Map<string, string>();
    for (const path of paths) now.set(path, await stampOf(path));
    return now;
  }
}

/**
 * Of the file that a path leads to in the end, through all links: an editor that puts a new file in its place,
 * and a folder of Kubernetes that is switched by one link, change it as much as a write does.
 */
async function stampOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch {
    return "absent";
  }
}

export function areSame(one: Stamps, other: Stamps): boolean {
  if (one.size !== other.size) return false;
  for (const [path, stamp] of one) if (other.get(path) !== stamp) return false;
  return true;
}

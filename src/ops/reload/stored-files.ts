import { dirname, relative, resolve } from "node:path";
import { asMap, textsOf } from "../../base/json.ts";
import type { Secret } from "../../base/text.ts";
import { type ReadFile, readFromDisk } from "../../config/files/read-text.ts";
import type { LoadOptions } from "../../config/settings/load.ts";
import type { FileText } from "./files.ts";

/**
 * The files of a configuration as one text, for other daemons: the configuration, and the rules files by their paths from
 * its folder. Null: one of these secrets stands in them.
 */
export function packFiles(
  configPath: string,
  texts: ReadonlyMap<string, FileText>,
  secrets: readonly Secret[],
): string | null {
  const config = texts.get(configPath);
  if (config === undefined) return null;
  const revealed = secrets.map((secret) => secret.reveal()).filter((text) => text !== "");
  const shows = (text: string): boolean => revealed.some((secret) => text.includes(secret));
  // Whatever way YAML writes it.
  if (stringsOf(config.values).some(shows)) return null;
  const folder = dirname(configPath);
  const rules: (readonly [path: string, text: string])[] = [];
  for (const [path, { text }] of texts) {
    if (shows(text)) return null;
    if (path !== configPath) rules.push([relative(folder, path), text]);
  }
  return JSON.stringify({ config: config.text, rules });
}

function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => [key, ...stringsOf(one)]);
}

/**
 * How such a text is read in place of the files that are there. Files with secrets are read from the disk. Throws Error
 * where it is none.
 */
export function unpackFiles(
  configPath: string,
  text: string,
): Required<Pick<LoadOptions, "readFile" | "expand">> {
  const { config, rules } = asMap(JSON.parse(text)) ?? {};
  if (typeof config !== "string" || !Array.isArray(rules)) throw new Error("no files are stored");
  const files = new Map([[resolve(configPath), config]]);
  const paths: string[] = [];
  for (const entry of rules) {
    const [path = "", content = ""] = textsOf(entry);
    const full = resolve(dirname(configPath), path);
    files.set(full, content);
    paths.push(full);
  }
  const readFile: ReadFile = async (path, limit) => {
    const stored = files.get(resolve(path));
    return stored === undefined ? await readFromDisk(path, limit) : Buffer.from(stored);
  };
  // Whatever the pattern: each file is read once.
  return { readFile, expand: async () => paths };
}

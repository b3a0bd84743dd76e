import { dirname } from "node:path";
import type { z } from "zod";
import { isMap } from "../../base/json.ts";
import type { StorePlace } from "../../model/index.ts";
import type { Report } from "../../rules/finding.ts";
import { Document } from "../files/document.ts";
import { hiddenParts } from "../files/excerpt.ts";
import {
  decode,
  LARGEST_FILE,
  type ReadFile,
  readFromDisk,
  readTrouble,
} from "../files/read-text.ts";
import { expandReferences } from "../files/references.ts";
import { readKeys } from "../files/shape.ts";
import { byPlace, ConfigError, TextFile } from "../files/text-file.ts";
import { CONFIG } from "./config-keys.ts";
import { chainDataPath, readStore } from "./store-key.ts";

type ConfigKeys = z.infer<typeof CONFIG>;

/** The configuration as it stands in its file. Throws ConfigError if the file cannot be read. */
export async function readConfig(path: string, readFile: ReadFile): Promise<Document> {
  const bytes = await readFile(path, LARGEST_FILE).catch((error: unknown) => {
    const hint = { expected: "a configuration such as config.example.yaml" };
    const message = `the file ${readTrouble(error)}`;
    throw new ConfigError([new TextFile(path, "").problem("unreadable-file", 0, message, hint)]);
  });
  const file = decode(path, bytes, hiddenParts);
  if (!(file instanceof TextFile)) throw new ConfigError([file]);
  return new Document(file);
}

/** Throws ConfigError if anything of the file was reported as an error. */
export function refuseErrors({ errors, unlisted }: Document): void {
  if (errors.length > 0) throw new ConfigError(errors.toSorted(byPlace), unlisted.count);
}

/** Where `${env:NAME}` looks. */
export type Env = Readonly<Record<string, string | undefined>>;

/**
 * What a configuration says under some of its keys: the others may be wrong, no secret of theirs is looked
 * up and no other file is read. `read` makes of them what is asked for, and reports what is wrong.
 * Throws ConfigError if the file cannot be read, is no YAML, or anything was reported.
 */
export async function readSomeKeys<Result>(
  path: string,
  env: Env,
  names: readonly (keyof ConfigKeys)[],
  read: (keys: ConfigKeys, report: Report) => Result,
): Promise<Result> {
  const document = await readConfig(path, readFromDisk);
  const report = document.report.bind(document);
  const { root } = document;
  const wanted = new Set<string>(names);
  const own = isMap(root)
    ? Object.fromEntries(Object.entries(root).filter(([key]) => wanted.has(key)))
    : root;
  const around = { env, readFile: readFromDisk, folder: dirname(path), report };
  const expanded = root === undefined ? undefined : await expandReferences(own, [], around);
  const keys =
    root === undefined ? null : readKeys(CONFIG, expanded, [], "the configuration", report);
  const result = read(keys ?? {}, report);
  refuseErrors(document);
  return result;
}

/**
 * The place of a configuration's database, the same as in its Setup, and nothing else of it. Throws
 * ConfigError if the file cannot be read, is no YAML or says a wrong `store`.
 */
export function loadStorePlace(path: string, env: Env): Promise<StorePlace> {
  return readSomeKeys(path, env, ["store"], ({ store }, report) =>
    readStore(store, dirname(path), report),
  );
}

/**
 * The path of the database of what is read from nodes, where a configuration has nodes; null: it has none. No
 * secret is looked up, and whatever else is wrong of them is passed over. Throws ConfigError if the file cannot
 * be read or is no YAML.
 */
export async function loadChainDataPath(path: string): Promise<string | null> {
  const document = await readConfig(path, readFromDisk);
  const { root } = document;
  refuseErrors(document);
  const rpc = isMap(root) && isMap(root.service) ? root.service.rpc : undefined;
  if (!isMap(rpc)) return null;
  const data = typeof rpc.data === "string" ? rpc.data : undefined;
  return chainDataPath(dirname(path), data);
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHANNELS } from "../../src/channels/index.ts";
import { formatProblem } from "../../src/config/files/text-file.ts";
import { loadSetup } from "../../src/config/settings/load.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { type FileResult, runTests } from "../../src/replay/run-tests.ts";
import { createMemoryStore } from "./memory-store.ts";
import { needsNode } from "./of-nodes.ts";

/** What a page of the documentation says: its rules and tests are run by the code that users run. */

/** A part of a page that begins with a heading. */
export interface Section {
  readonly title: string;
  readonly text: string;
}

/** The text of a file in docs/. */
export function pageText(name: string): string {
  return readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");
}

/** The parts of a page under headings of a level, such as `##`, each up to the next of that level or above. */
export function sectionsOf(text: string, level: string): readonly Section[] {
  const heads = [...text.matchAll(/^(#+) (.+)$/gm)].filter(
    ([, mark = ""]) => mark.length <= level.length,
  );
  return heads.flatMap(({ index, 1: mark, 2: title = "" }, i) =>
    mark === level ? [{ title, text: text.slice(index, heads[i + 1]?.index) }] : [],
  );
}

/** The fenced blocks of a language in their order; "" for those that name none. */
export function blocksOf(text: string, language: string): readonly string[] {
  const blocks = text.matchAll(/^```(\w*)\n(.*?)^```$/gms);
  return Array.from(blocks, ([, name, body = ""]) => (name === language ? body : null)).filter(
    (body) => body !== null,
  );
}

/** A folder for the files of a page, gone when the returned function is called. */
export function pageFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "tickwatch-page-"));
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

/** What `tickwatch test` makes of a text. */
export async function runText(folder: string, name: string, text: string): Promise<FileResult> {
  const path = join(folder, `${name}.test.yaml`);
  writeFileSync(path, text);
  return runTests(path, { kinds: KINDS, createStore: createMemoryStore });
}

/** The kinds that need a node, as a watch of theirs begins. */
const OF_NODES = new RegExp(
  `\\bkind: v[34]_position\\b[^-]*\\bowner:|kind: (?:${[...KINDS.values()]
    .filter(needsNode)
    .map(({ kind }) => kind)
    .join("|")})\\b`,
);

/** Whether a text has a rule of such a kind. */
export function isOfNodes(text: string): boolean {
  return OF_NODES.test(text);
}

/**
 * What `tickwatch check` says of rules files that a configuration with both address families names, or
 * one with nodes where they need it.
 */
export async function checkTexts(folder: string, texts: readonly string[]): Promise<string[]> {
  for (const [i, text] of texts.entries()) writeFileSync(join(folder, `${i}.yaml`), text);
  const config = join(folder, "config.yml");
  const service = texts.some(isOfNodes)
    ? "service: {rpc: {chains: {ethereum: {urls: ['${env:RPC}']}}}}"
    : "service: {base_url: 'http://127.0.0.1:1', legacy_base_url: 'http://127.0.0.1:1', api_key: '${env:KEY}'}";
  writeFileSync(
    config,
    [
      service,
      "rules: ['*.yaml']",
      "channels: {console: {kind: console}, hook: {kind: webhook, url: '${env:HOOK}'}}",
    ].join("\n"),
  );
  const env = {
    KEY: "k".repeat(20),
    RPC: "http://127.0.0.1:1",
    HOOK: "https://alerts.example.org/hook",
  };
  const { setup, warnings } = await loadSetup(config, {
    env,
    watches: KINDS,
    channels: CHANNELS,
  });
  return [...warnings.map(formatProblem), ...(setup.rules.length === 0 ? ["no rules"] : [])];
}

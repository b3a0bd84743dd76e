import { stat } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { errorCode } from "../../base/error-code.ts";
import { isMap } from "../../base/json.ts";
import { Secret } from "../../base/text.ts";
import type { ChannelKind } from "../../channels/channel.ts";
import type { WatchKind } from "../../kinds/kind.ts";
import type { Rule, Setup } from "../../model/index.ts";
import { errorAt, type Path, shown, warningAt, warningAtKey } from "../../rules/finding.ts";
import { longestSpan } from "../../rules/parse/condition.ts";
import type { Document } from "../files/document.ts";
import { expandGlob, GlobError } from "../files/globs.ts";
import {
  decode,
  LARGEST_FILE,
  type ReadFile,
  readFromDisk,
  readTrouble,
} from "../files/read-text.ts";
import { expandReferences } from "../files/references.ts";
import { byPlace, ConfigError, type Problem, TextFile } from "../files/text-file.ts";
import { lintMatches } from "../routes/route-lint.ts";
import type { Routing } from "../routes/routing.ts";
import type { RulesContext } from "../rules/rule.ts";
import { channelsNamedIn, type RulesRead, readRuleFiles } from "../rules/rules.ts";
import { readConfig, refuseErrors } from "./read-config.ts";
import { reportsOf } from "./report-keys.ts";
import { checkNodes } from "./rpc-keys.ts";
import { readSettings, type Settings, withTimeout } from "./settings.ts";

export interface LoadOptions {
  /** Where `${env:NAME}` looks. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly watches: ReadonlyMap<string, WatchKind>;
  readonly channels: ReadonlyMap<string, ChannelKind>;
  readonly readFile?: ReadFile;
  /** A rules file that is read with those that the configuration names. */
  readonly rulesFile?: string | undefined;
  /** Is told of each pattern of rules files, and where it starts: for who looks for another file. */
  readonly onPattern?: (pattern: string, folder: string) => void;
  /** Is told of the text of the configuration, with its values, and of each rules file, as they were read. */
  readonly onText?: (path: string, text: string, values: unknown) => void;
  /** The files that a pattern of rules files names, where these are not on the disk. */
  readonly expand?: typeof expandGlob;
  /** What is read in place of a rule as it stands in its file, for whoever tries another. */
  readonly edit?: RulesContext["edit"];
}

/**
 * Reads config.yaml and the rules files that it names. Throws ConfigError with every problem of
 * every file; nothing in it shows a secret.
 */
export async function loadSetup(
  configPath: string,
  options: LoadOptions,
): Promise<{ setup: Setup; routing: Routing; warnings: readonly Problem[] }> {
  const readFile = options.readFile ?? readFromDisk;
  const document = await readConfig(configPath, readFile);
  refuseRules(document);
  options.onText?.(configPath, document.file.text, document.root);
  const folder = dirname(configPath);
  hideLiterals(document.root, document, true);
  const report = document.report.bind(document);
  const root =
    document.root === undefined
      ? undefined
      : await expandReferences(document.root, [], { env: options.env, readFile, folder, report });
  hideSecrets(root, document);
  const settings =
    root === undefined
      ? null
      : readSettings(root, document.root, folder, options.channels, options.watches, report);
  if (settings === null)
    throw new ConfigError(document.errors.toSorted(byPlace), document.unlisted.count);

  const read = await readRules(settings, configPath, options, document, {
    watches: options.watches,
    channels: settings.names,
    routing: settings.routing,
    defaults: settings.defaults,
    addresses: settings.addresses,
    edit: options.edit,
  });
  const rulesPath: Path = ["rules"];
  if (read.errors.length + document.errors.length === 0) {
    if (read.seen === 0)
      document.report(errorAt("no-rules", rulesPath, "the rules files hold no rule"));
    else if (read.rules.length === 0) {
      document.report(
        warningAt("not-enabled", rulesPath, "no rule is enabled: nothing would be watched"),
      );
    }
  }
  const { service } = settings;
  if (document.errors.length + read.errors.length > 0 || service === null) {
    const errors = [...document.errors.toSorted(byPlace), ...read.errors];
    throw new ConfigError(errors, document.unlisted.count + read.unlisted);
  }
  checkNodes(service, read.rules, report);
  if (document.errors.length > 0) throw new ConfigError(document.errors, document.unlisted.count);
  lintMatches(settings.routing, read.rules, options.watches, report);
  const reports = reportsOf(settings.reports, read.rules, report);
  lintOnlyChannel(settings, read.rules, document);
  const { retentionMs, ...plain } = settings.setup;
  const setup: Setup = {
    ...plain,
    service: withTimeout(service, settings.hasTimeout, read.rules, report),
    rules: read.rules,
    channels: settings.channels,
    reports,
    retentionMs: Math.max(retentionMs, longestNeed(read.rules, options.watches)),
  };
  const { routing } = settings;
  return { setup, routing, warnings: [...document.warnings.toSorted(byPlace), ...read.warnings] };
}

async function readRules(
  settings: Settings,
  configPath: string,
  { readFile = readFromDisk, rulesFile, onPattern, onText, expand = expandGlob }: LoadOptions,
  config: Document,
  context: RulesContext,
): Promise<RulesRead> {
  const found: (TextFile | Problem)[] = [];
  await refuseStore(configPath, "the configuration", settings, config);
  const read = new Set<string>();
  const take = async (name: string): Promise<void> => {
    if (read.has(resolve(name))) return;
    read.add(resolve(name));
    try {
      const file = decode(name, await readFile(name, LARGEST_FILE));
      if (file instanceof TextFile) onText?.(name, file.text, null);
      found.push(file);
    } catch (error) {
      if (errorCode(error) === null) throw error;
      // Not at the pattern, where the first of several would stand for all of them.
      const message = `the rules file ${readTrouble(error)}`;
      found.push(new TextFile(name, "").problem("unreadable-file", 0, message));
    }
  };
  for (const { pattern, path } of settings.rules) {
    onPattern?.(pattern, dirname(configPath));
    const files = await findFiles(pattern, path, dirname(configPath), config, expand);
    for (const name of files) {
      await refuseStore(name, "a rules file", settings, config);
      if (await isSameFile(name, configPath)) {
        const message = `${shown(pattern)} matches ${shown(relative(dirname(configPath), name))}, which is the configuration itself`;
        config.report(
          errorAt("wrong-kind-of-file", path, message, "rules files only, as in rules/*.yaml"),
        );
        continue;
      }
      await take(name);
    }
  }
  if (rulesFile !== undefined) await take(rulesFile);
  return await readRuleFiles(found, context);
}

/** The database is a file of its own: a text file in its place would end the start. */
async function refuseStore(
  file: string,
  what: string,
  { setup: { store } }: Settings,
  config: Document,
): Promise<void> {
  if (typeof store !== "string" || !(await isSameFile(file, store))) return;
  const expected = "a file of its own, such as tickwatch.db";
  config.report(errorAt("wrong-kind-of-file", ["store"], `${shown(store)} is ${what}`, expected));
}

/** By whatever names and links the two lead to it. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  if (resolve(one) === resolve(other)) return true;
  const idOf = (path: string): Promise<string | null> =>
    stat(path).then(
      ({ dev, ino }) => `${dev} ${ino}`,
      () => null,
    );
  const id = await idOf(one);
  return id !== null && id === (await idOf(other));
}

async function findFiles(
  pattern: string,
  path: Path,
  folder: string,
  config: Document,
  expand: typeof expandGlob,
): Promise<readonly string[]> {
  try {
    const found = await expand(pattern, folder);
    const rules = resolve(folder, pattern);
    if (found.length === 0 && (await stat(rules).catch(() => null))?.isDirectory() === true) {
      const suggestion = `${pattern.replace(/\/+$/, "")}/*.yaml`;
      config.report(
        errorAt("bad-rules-pattern", path, `${shown(pattern)} is a folder`, { suggestion }),
      );
      return [];
    }
    const files = found.filter((file) => !file.endsWith(".test.yaml"));
    if (files.length === 0) {
      const why = found.length > 0 ? "only *.test.yaml files, which are skipped" : "no file";
      const expected = `rules files; the pattern starts at ${shown(folder)}`;
      config.report(
        errorAt("bad-rules-pattern", path, `${shown(pattern)} matches ${why}`, expected),
      );
    }
    return files;
  } catch (error) {
    if (!(error instanceof GlobError)) throw error;
    config.report(errorAt("bad-rules-pattern", path, error.message));
    return [];
  }
}

function holdsRules({ root }: Document): boolean {
  return isMap(root) && !("service" in root) && Array.isArray(root.rules) && root.rules.some(isMap);
}

/** Whether a file can be read and holds rules, and no configuration. */
export async function isRulesFile(path: string): Promise<boolean> {
  const document = await readConfig(path, readFromDisk).catch((error: unknown) => {
    if (error instanceof ConfigError) return null;
    throw error;
  });
  return document !== null && holdsRules(document);
}

/** Reads a rules file by the defaults, without any configuration: its channels are those that it names. */
export async function loadRulesFile(
  path: string,
  watches: ReadonlyMap<string, WatchKind>,
): Promise<Pick<RulesRead, "rules" | "warnings">> {
  const file = decode(path, await readFromDisk(path, LARGEST_FILE));
  const channels = file instanceof TextFile ? channelsNamedIn(file) : [];
  const { rules, errors, unlisted, warnings } = await readRuleFiles([file], {
    watches,
    channels: [...new Set(["default", ...channels])],
  });
  if (errors.length > 0) throw new ConfigError(errors, unlisted);
  return { rules, warnings };
}

/** Only `check` reads rules by themselves. */
function refuseRules(document: Document): void {
  if (!holdsRules(document)) return;
  const expected = "the configuration that names it under rules";
  document.report(
    errorAt("wrong-kind-of-file", [], "the file is a rules file, not a configuration", expected),
  );
  refuseErrors(document);
}

/** That a channel fails is told through the others; who has a terminal sees it in the log. */
function lintOnlyChannel({ channels }: Settings, rules: readonly Rule[], document: Document): void {
  const [only, ...others] = channels;
  if (only === undefined || others.length > 0 || only.kind === "console") return;
  if (!rules.some(({ notify }) => notify.length > 0)) return;
  document.report(
    warningAtKey(
      "only-channel",
      ["channels", only.name],
      `${shown(only.name)} is the only channel: nobody is notified when it fails`,
      "a second one of another kind beside it, such as a mail",
    ),
  );
}

const NAME_OF_KEY = /^[\w.-]{1,40}$/;

/** What of a channel is no secret, as long as it looks like what it should be. */
const PLAIN: ReadonlyMap<string, RegExp> = new Map([
  ["kind", /^[A-Za-z][A-Za-z_-]{0,15}$/],
  ["type", /^[A-Za-z][A-Za-z_-]{0,15}$/],
  ["starttls", /^[A-Za-z][A-Za-z_-]{0,15}$/],
  ["timezone", /^[A-Za-z_-]{1,20}(?:\/[A-Za-z_-]{1,20}){0,2}$/],
]);

/** Whatever else stands under the service's key or in a channel is kept out of messages. */
function hideLiterals(value: unknown, document: Document, top = false): void {
  if (typeof value === "string") {
    // The name of a variable is no secret, and helps.
    if (!value.startsWith("${")) document.hide(value);
  } else if (Array.isArray(value)) for (const item of value) hideLiterals(item, document);
  else if (isMap(value)) {
    for (const [key, item] of Object.entries(value)) {
      // A secret that was put where a kind or a key should be is one as well.
      if (!top && !NAME_OF_KEY.test(key)) document.hide(key);
      const isPlain = typeof item === "string" && PLAIN.get(key)?.test(item) === true;
      if (top && key === "service" && isMap(item)) {
        hideLiterals(item.api_key, document);
        hideUrls(item.rpc, document);
      } else if (top && key === "web" && isMap(item)) {
        hideLiterals(item.token, document);
        hideLiterals(item.read_only_token, document);
      } else if (top ? key === "channels" || key === "heartbeat" : !isPlain)
        hideLiterals(item, document);
    }
  }
}

/** The URLs of nodes, which are secrets as a whole. */
function hideUrls(rpc: unknown, document: Document): void {
  const chains = isMap(rpc) && isMap(rpc.chains) ? Object.values(rpc.chains) : [];
  for (const chain of chains) if (isMap(chain)) hideLiterals(chain.urls, document);
}

function hideSecrets(value: unknown, document: Document): void {
  if (value instanceof Secret) document.hide(value.reveal());
  else if (Array.isArray(value)) for (const item of value) hideSecrets(item, document);
  else if (isMap(value)) for (const item of Object.values(value)) hideSecrets(item, document);
}

/**
 * How far back the rules need samples: twice the longest window, since the value in force at its
 * beginning may have been observed well before; of buckets, which `for` and `resolve_after` count, also
 * a whole row of them.
 */
function longestNeed(rules: readonly Rule[], watches: LoadOptions["watches"]): number {
  return rules.reduce((ms, { kind, when, resolveWhen, forMs, resolveAfterMs }) => {
    const bucketMs = watches.get(kind)?.bucketMs ?? null;
    const row = Math.max(forMs, resolveAfterMs);
    const counted = bucketMs === null || row === 0 ? 0 : row + bucketMs;
    return Math.max(ms, 2 * longestSpan(when, resolveWhen) + counted);
  }, 0);
}

import { z } from "zod";
import { ADDRESS } from "../../api/endpoints.ts";
import { CHAINS, chainByAlias, chainName } from "../../base/chains.ts";
import { SECOND } from "../../base/duration.ts";
import { isMap } from "../../base/json.ts";
import { isLoopback } from "../../base/network.ts";
import { oneOf, plainText, refuse, wholeNumber } from "../../base/settings.ts";
import { addressTrouble } from "../../base/slips.ts";
import { suggest } from "../../base/suggest.ts";
import { Secret } from "../../base/text.ts";
import type { RpcChain, RpcSettings, Rule, ServiceConfig } from "../../model/index.ts";
import {
  errorAt,
  itemsAt,
  type Path,
  type Report,
  shown,
  warningAt,
  wrongType,
} from "../../rules/finding.ts";
import { readKeys } from "../files/shape.ts";
import { chainDataPath } from "./store-key.ts";

/** An address, in lower case. */
function address(): z.ZodType<string> {
  const expected = "an address: 0x and 40 hexadecimal digits";
  return plainText(expected).transform((text, context) =>
    ADDRESS.test(text)
      ? text.toLowerCase()
      : refuse(context, "bad-id", `${shown(text)} is not an address`, expected),
  );
}

/** What stands under `service.rpc`. */
export const RPC = z
  .strictObject({ data: plainText("a database's path"), chains: z.unknown() })
  .partial();
/** What stands under one chain of it. */
export const RPC_CHAIN = z
  .strictObject({
    urls: z.unknown(),
    requests_per_second: wholeNumber(1, 1_000),
    entries: z.unknown(),
    gas: oneOf(["exact", "estimated"]),
    days: wholeNumber(0, 365),
    holders: z.unknown(),
    max_logs: wholeNumber(1_000, 1_000_000_000),
    agree: wholeNumber(1, 10),
    usd: z.unknown(),
    contracts: z.unknown(),
  })
  .partial();
const CHAIN_WORDS = {
  what: "a chain of rpc",
  synonyms: { url: ["urls"], rpc: ["urls"], confirmations: ["entries"] },
};

export const RPC_USD = z
  .strictObject({ stable: z.unknown(), native: address(), feeds: z.unknown() })
  .partial();
export const RPC_CONTRACTS = z
  .strictObject({
    pool_manager: address(),
    position_manager: address(),
    v3_factory: address(),
    v3_position_manager: address(),
    multicall: address(),
  })
  .partial();
/** What is read of a chain where nothing is said of it. */
export const RPC_DEFAULTS: Omit<RpcChain, "urls"> = {
  requestsPerSecond: 20,
  timeoutMs: 4 * SECOND,
  entries: 12,
  gas: null,
  days: 7,
  holders: [],
  mostLogs: 5_000_000,
  agree: 1,
  usd: { stable: [], feeds: new Map() },
  contracts: {},
};

/**
 * Reads `service.rpc`, references expanded; everything that is wrong is reported. `literal` is the same
 * before that. The path of its database starts at `folder`. Null: it cannot be used.
 */
export function readRpc(
  raw: unknown,
  literal: unknown,
  folder: string,
  report: Report,
): RpcSettings | null {
  const path: Path = ["service", "rpc"];
  const keys = readKeys(RPC, raw, path, "rpc", report);
  if (keys === null) return null;
  const under = [...path, "chains"];
  if (!isMap(keys.chains) || Object.keys(keys.chains).length === 0) {
    const isMissing = keys.chains === undefined;
    const code = isMissing ? "missing-key" : isMap(keys.chains) ? "empty" : "wrong-type";
    const message = isMissing ? "is missing" : isMap(keys.chains) ? "is empty" : "is not a map";
    report(errorAt(code, under, message, `such as {1: {urls: ["\${env:RPC}"]}}`));
    return null;
  }
  const literals = isMap(literal) && isMap(literal.chains) ? literal.chains : {};
  const chains = new Map<number, RpcChain>();
  for (const [key, value] of Object.entries(keys.chains)) {
    const chainId = readChainKey(key, [...under, key], report);
    const chain = readChain(value, literals[key], [...under, key], report);
    if (chainId === null || chain === null) continue;
    if (chains.has(chainId)) {
      report(errorAt("duplicate-key", [...under, key], `chain ${chainId} is given twice`));
    }
    chains.set(chainId, chain);
  }
  return { data: chainDataPath(folder, keys.data), chains };
}

function readChainKey(text: string, path: Path, report: Report): number | null {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  const known = chainByAlias(text);
  if (known !== undefined) return known.id;
  const suggestion = suggest(
    text,
    CHAINS.map(({ alias }) => alias),
  );
  const hint = { expected: "a name such as ethereum, or a number", suggestion };
  report(errorAt("unknown-chain", path, `unknown chain ${shown(text)}`, hint));
  return null;
}

function readChain(raw: unknown, literal: unknown, path: Path, report: Report): RpcChain | null {
  const keys = readKeys(RPC_CHAIN, raw, path, CHAIN_WORDS, report);
  if (keys === null) return null;
  const written = isMap(literal) ? literal.urls : undefined;
  const urls = readUrls(keys.urls, written, [...path, "urls"], report);
  const usd =
    keys.usd === undefined ? {} : readKeys(RPC_USD, keys.usd, [...path, "usd"], "usd", report);
  const given =
    keys.contracts === undefined
      ? {}
      : readKeys(RPC_CONTRACTS, keys.contracts, [...path, "contracts"], "contracts", report);
  const holders = readAddresses(keys.holders, [...path, "holders"], report);
  const stable = readAddresses(usd?.stable, [...path, "usd", "stable"], report);
  const feeds = readFeeds(usd?.feeds, [...path, "usd", "feeds"], report);
  const entries = readEntries(keys.entries, [...path, "entries"], report);
  if (urls === null) return null;
  if ((keys.agree ?? 1) > urls.length) {
    const message = `${keys.agree} nodes cannot agree where there are ${urls.length}`;
    const expected = "as many urls, or a smaller number";
    report(errorAt("out-of-range", [...path, "agree"], message, expected));
  }
  return {
    ...RPC_DEFAULTS,
    urls,
    requestsPerSecond: keys.requests_per_second ?? RPC_DEFAULTS.requestsPerSecond,
    entries,
    gas: keys.gas ?? null,
    days: keys.days ?? RPC_DEFAULTS.days,
    holders,
    mostLogs: keys.max_logs ?? RPC_DEFAULTS.mostLogs,
    agree: keys.agree ?? RPC_DEFAULTS.agree,
    usd: { stable, feeds },
    contracts: {
      ...named("poolManager", given?.pool_manager),
      ...named("positionManager", given?.position_manager),
      ...named("v3Factory", given?.v3_factory),
      ...named("v3PositionManager", given?.v3_position_manager),
      ...named("multicall", given?.multicall),
      ...named("wrappedNative", usd?.native),
    },
  };
}

function named<Name extends string>(
  name: Name,
  value: string | undefined,
): Partial<Record<Name, string>> {
  const given: Partial<Record<Name, string>> = {};
  if (value !== undefined) given[name] = value;
  return given;
}

const URL_EXPECTED = `a node's http or https URL, best as "\${env:RPC}"`;

function readUrls(
  raw: unknown,
  literal: unknown,
  path: Path,
  report: Report,
): readonly Secret[] | null {
  const expected = { expected: `a list such as ["\${env:RPC}"]` };
  if (raw === undefined) {
    report(errorAt("missing-key", path, "is missing", expected));
    return null;
  }
  const items = itemsAt(raw, path);
  if (items.length === 0) report(errorAt("empty", path, "is empty", expected));
  const literals: readonly unknown[] = Array.isArray(literal) ? literal : [literal];
  const urls = items.flatMap(({ item, at }, i) => readUrl(item, literals[i], at, report) ?? []);
  return urls.length > 0 ? urls : null;
}

function readUrl(raw: unknown, literal: unknown, path: Path, report: Report): Secret | null {
  const text = raw instanceof Secret ? raw.reveal().trim() : raw;
  if (typeof text !== "string") {
    report(wrongType(path, raw, URL_EXPECTED));
    return null;
  }
  // What a reference names was reported where it is missing.
  if (text === "") return null;
  const slip = addressTrouble(text);
  if (slip !== null) {
    report(errorAt("strange-character", path, slip, URL_EXPECTED));
    return null;
  }
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    const isSocket = /^wss?:/i.test(text);
    const message = isSocket ? "web sockets are not used" : "the value is not an http or https URL";
    report(errorAt("bad-url", path, message, URL_EXPECTED));
    return null;
  }
  const { hostname, protocol, pathname, search, username } = new URL(text);
  const isNear = isLoopback(hostname);
  if (protocol === "http:" && !isNear) {
    const expected = "an https URL";
    report(warningAt("plain-http", path, "a key in the URL would travel unencrypted", expected));
  }
  const mayHoldKey = !isNear || pathname.length > 1 || search !== "" || username !== "";
  if (typeof literal === "string" && !literal.includes("${") && mayHoldKey) {
    const expected = `"\${env:NAME}" or "\${file:PATH}"`;
    report(warningAt("secret-in-file", path, "the file itself holds a node's URL", expected));
  }
  return new Secret(text);
}

function readAddresses(raw: unknown, path: Path, report: Report): readonly string[] {
  if (raw === undefined) return [];
  return itemsAt(raw, path).flatMap(({ item, at }) => readAddress(item, at, report) ?? []);
}

function readAddress(raw: unknown, path: Path, report: Report): string | null {
  const text = raw instanceof Secret ? raw.reveal() : raw;
  const expected = "an address: 0x and 40 hexadecimal digits";
  if (typeof text !== "string") report(wrongType(path, raw, expected));
  else if (ADDRESS.test(text)) return text.toLowerCase();
  else report(errorAt("bad-id", path, `${shown(text)} is not an address`, expected));
  return null;
}

/** The feed of each token. */
function readFeeds(raw: unknown, path: Path, report: Report): ReadonlyMap<string, string> {
  if (raw === undefined) return new Map();
  if (!isMap(raw)) {
    report(wrongType(path, raw, "a map of tokens and their price feeds"));
    return new Map();
  }
  return new Map(
    Object.entries(raw).flatMap(([key, value]) => {
      const token = readAddress(key, [...path, key], report);
      const feed = readAddress(value, [...path, key], report);
      return token === null || feed === null ? [] : [[token, feed] as const];
    }),
  );
}

const MOST_CONFIRMATIONS = 10_000;

function readEntries(raw: unknown, path: Path, report: Report): RpcChain["entries"] {
  if (raw === undefined) return RPC_DEFAULTS.entries;
  const text = typeof raw === "number" ? String(raw) : raw;
  if (text === "safe" || text === "finalized") return text;
  if (typeof text === "string" && /^\d{1,5}$/.test(text) && Number(text) <= MOST_CONFIRMATIONS) {
    return Number(text);
  }
  const expected = `a number of blocks up to ${MOST_CONFIRMATIONS}, safe or finalized`;
  report(errorAt("unknown-word", path, "is not a number of confirmations", expected));
  return RPC_DEFAULTS.entries;
}

/** Every chain that a rule watches needs a node. */
export function checkNodes({ rpc }: ServiceConfig, rules: readonly Rule[], report: Report): void {
  if (rpc === null || rpc === undefined) return;
  const missing = new Map<number, string>();
  for (const { name, subjects } of rules) {
    for (const { chainId } of subjects) {
      // What the daemon knows of its own source is of no chain.
      if (chainId === 0 || rpc.chains.has(chainId) || missing.has(chainId)) continue;
      missing.set(chainId, name);
    }
  }
  for (const [chainId, rule] of missing) {
    const message = `has no node of ${chainName(chainId)}, which the rule ${shown(rule)} watches`;
    const expected = `${chainId}: {urls: ["\${env:RPC_${chainId}}"]}`;
    report(errorAt("missing-key", ["service", "rpc", "chains"], message, expected));
  }
}

import { z } from "zod";
import {
  ADDRESS,
  ENDPOINTS,
  type EndpointName,
  NFT_ID,
  POOL_ID,
  PROTOCOLS,
} from "../api/endpoints.ts";
import { chainByAlias } from "../base/chains.ts";
import { parseDecimal } from "../base/decimal.ts";
import { isMap } from "../base/json.ts";
import { durationMs, kindOf, oneOf, plainText, refuse, wholeNumber } from "../base/settings.ts";
import { Document } from "../config/files/document.ts";
import { decode, LARGEST_FILE, readFromDisk, readTrouble } from "../config/files/read-text.ts";
import { findingsOf, unknownKey, type Words } from "../config/files/shape.ts";
import { ConfigError, TextFile } from "../config/files/text-file.ts";
import { refuseErrors } from "../config/settings/read-config.ts";
import { errorAt, type Path, wrongType } from "../rules/finding.ts";
import type { Fault } from "../serve/faults.ts";
import { createMarket } from "../simulator/market.ts";
import { ScriptError, type ScriptEvent } from "../simulator/script.ts";

/** What happens in the market and what the service does wrong, counted from the market's start. */
export interface Scenario {
  readonly script: readonly ScriptEvent[];
  readonly faults: readonly Fault[];
}

export const NO_SCENARIO: Scenario = { script: [], faults: [] };

const KEYS = ["events", "faults"];

/** Reads a scenario file. Throws ConfigError with everything that is wrong with it. */
export async function readScenario(path: string): Promise<Scenario> {
  let bytes: Uint8Array;
  try {
    bytes = await readFromDisk(path, LARGEST_FILE);
  } catch (error) {
    throw new ConfigError([
      new TextFile(path, "").problem("unreadable-file", 0, `the file ${readTrouble(error)}`),
    ]);
  }
  const file = decode(path, bytes);
  if (!(file instanceof TextFile)) throw new ConfigError([file]);
  const document = new Document(file);
  const scenario = scenarioIn(document);
  refuseErrors(document);
  return scenario;
}

function scenarioIn(document: Document): Scenario {
  const { root } = document;
  if (root === undefined) return NO_SCENARIO;
  if (!isMap(root)) {
    document.report(
      errorAt("wrong-type", [], `the scenario is ${kindOf(root)}`, "events: and faults:"),
    );
    return NO_SCENARIO;
  }
  for (const key of Object.keys(root)) {
    if (KEYS.includes(key)) continue;
    document.report(unknownKey(key, [key], { what: "a scenario", keys: KEYS }));
  }
  const script = readItems(EVENT, root.events, ["events"], "an event", document);
  const faults = readItems(FAULT, root.faults, ["faults"], "a fault", document).map(faultOf);
  if (document.errors.length === 0) checkAgainstMarket(script, document);
  return { script, faults };
}

function readItems<T>(
  schema: z.ZodType<T>,
  raw: unknown,
  path: Path,
  what: string,
  document: Document,
): T[] {
  if (raw === undefined) return [];
  if (!Array.isArray(raw)) {
    document.report(wrongType(path, raw, "a list"));
    return [];
  }
  return raw.flatMap((item: unknown, i) => {
    const read = schema.safeParse(item);
    if (read.success) return [read.data];
    const words: Words = { what, keys: keysOf(isMap(item) ? item.kind : null) };
    for (const finding of findingsOf(read.error, [...path, i], words)) document.report(finding);
    return [];
  });
}

/** The keys of events and faults of a kind, for suggestions. */
function keysOf(kind: unknown): readonly string[] {
  const kinds = [...EVENT.options, ...FAULT.options];
  const found = kinds.find(({ shape }) => shape.kind.value === kind);
  return found === undefined ? [] : Object.keys(found.shape);
}

function faultOf(given: z.infer<typeof FAULT>): Fault {
  switch (given.kind) {
    case "status": {
      const { retry_after: retryAfter = null, ...fault } = given;
      return { ...fault, retryAfter };
    }
    case "slow":
    case "lag": {
      const { by: ms, ...fault } = given;
      return { ...fault, ms };
    }
    case "missing":
      return { ...given, ids: given.ids.map((id) => id.toLowerCase()) };
    default:
      return given;
  }
}

/** Whether the market has what the events name. */
function checkAgainstMarket(script: readonly ScriptEvent[], document: Document): void {
  try {
    createMarket({ seed: 1, start: 0, script });
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const [, problem = ""] = error.message.split(/^script event \d+: /);
    document.report(errorAt("bad-event", ["events", error.index], problem));
  }
}

/** What stands under each key of a scenario's events and faults. */

const SUFFIXES: Readonly<Record<string, number>> = { k: 1e3, K: 1e3, M: 1e6, B: 1e9 };

/** A number such as `0.93`, `-400_000` or `5.9M`; a simulation needs no exact ones. */
function number(): z.ZodType<number> {
  return plainText("a number such as 0.93 or 5.9M").transform((text, context) => {
    const match = /^([+-]?[\d_.]+)([kKMB])?$/.exec(text.trim());
    const value = match === null ? null : parseDecimal((match[1] ?? "").replaceAll("_", ""));
    if (value === null)
      return refuse(context, "not-a-number", `"${text}" is not a number`, "such as 0.93 or 5.9M");
    return Number(value.toString()) * (SUFFIXES[match?.[2] ?? ""] ?? 1);
  });
}

function idText(pattern: RegExp, expected: string): z.ZodType<string> {
  return plainText(expected).transform((text, context) =>
    pattern.test(text)
      ? text.toLowerCase()
      : refuse(context, "bad-id", `"${text}" does not fit`, expected),
  );
}

function chain(): z.ZodType<number> {
  const expected = "a chain such as ethereum, or its number";
  return plainText(expected).transform((text, context) => {
    const known = chainByAlias(text)?.id ?? (/^\d{1,9}$/.test(text) ? Number(text) : null);
    return known ?? refuse(context, "unknown-chain", `"${text}" is no chain`, expected);
  });
}

function list(item: z.ZodType<string>): z.ZodType<readonly string[]> {
  return z.preprocess(
    (value): unknown => (Array.isArray(value) ? value : [value]),
    z.array(item).min(1),
  );
}

const address = idText(ADDRESS, "an address, 0x and 40 hex digits");
const pool = idText(new RegExp(`${POOL_ID.source}|${ADDRESS.source}`), "a pool's id or address");
const position = z.strictObject({
  chain: chain(),
  protocol: oneOf(PROTOCOLS),
  nft: idText(NFT_ID, "a position's number"),
});

const at = durationMs();
const over = durationMs();

/** One entry of `events`, told by its `kind`. */
const EVENT = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("price"),
    at,
    pool,
    factor: number(),
    over,
    hold: durationMs().optional(),
    back: durationMs().optional(),
  }),
  z.strictObject({
    kind: z.literal("peg"),
    at,
    chain: chain(),
    token: address,
    factor: number(),
    over,
    hold: durationMs().optional(),
    back: durationMs().optional(),
  }),
  z.strictObject({ kind: z.literal("liquidity"), at, pool, factor: number(), over }),
  z.strictObject({
    kind: z.literal("tips"),
    at,
    chain: chain(),
    factor: number(),
    for: durationMs(),
  }),
  z.strictObject({ kind: z.literal("close"), at, position }),
  z.strictObject({ kind: z.literal("owner"), at, position, owner: address }),
  z.strictObject({ kind: z.literal("mint"), at, chain: chain(), amount: number() }),
  z.strictObject({
    kind: z.literal("transfer"),
    at,
    chain: chain(),
    wallet: address,
    amount: number(),
  }),
  z.strictObject({ kind: z.literal("sell"), at, chain: chain(), wallet: address }),
  z.strictObject({ kind: z.literal("holders"), at, chain: chain(), factor: number(), over }),
]);

const ALL = "all";

function endpoint(): z.ZodType<EndpointName | null> {
  const names = Object.keys(ENDPOINTS);
  const expected = `${ALL} or an endpoint such as v4_pool`;
  return plainText(expected).transform((text, context) => {
    if (text === ALL) return null;
    return isEndpoint(text)
      ? text
      : refuse(context, "unknown-word", `"${text}" is no endpoint`, `${ALL}, ${names.join(", ")}`);
  });
}

function isEndpoint(text: string): text is EndpointName {
  return Object.hasOwn(ENDPOINTS, text);
}

const time = { at, for: durationMs(), endpoint: endpoint().default(null) };
const names = list(plainText("a name"));

/** One entry of `faults`, told by its `kind`. */
const FAULT = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("status"),
    ...time,
    status: wholeNumber(300, 599),
    retry_after: wholeNumber(0, 86_400).optional(),
  }),
  z.strictObject({ kind: z.literal("hang"), ...time }),
  z.strictObject({ kind: z.literal("slow"), ...time, by: durationMs() }),
  z.strictObject({ kind: z.literal("empty"), ...time }),
  z.strictObject({ kind: z.literal("html"), ...time }),
  z.strictObject({ kind: z.literal("truncated"), ...time }),
  z.strictObject({ kind: z.literal("missing"), ...time, ids: names }),
  z.strictObject({ kind: z.literal("null"), ...time, fields: names }),
  z.strictObject({ kind: z.literal("lag"), ...time, by: durationMs() }),
]);

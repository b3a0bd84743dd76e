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
import { durationMs, oneOf, plainText, refuse, wholeNumber } from "../base/settings.ts";

/** What stands under each key of a scenario's events and faults. */

const SUFFIXES: Readonly<Record<string, number>> = { k: 1e3, K: 1e3, M: 1e6, B: 1e9 };

/** A number such as `0.93`, `-400_000` or `5.9M`; a simulation needs no exact ones. */
function number(): z.ZodType<number> {
  return plainText("a number such as 0.93 or 5.9M").transform((text, context) => {
    const match = /^([+-]?[\d_.]+)([kKMB])?$/.exec(text.trim());
    const value = match === null ? null : parseDecimal((match[1] ?? "").replaceAll("_", ""));
    if (value === null)
      return refuse(context, `"${text}" is no number`, { expected: "such as 0.93 or 5.9M" });
    return Number(value.toString()) * (SUFFIXES[match?.[2] ?? ""] ?? 1);
  });
}

function id(pattern: RegExp, expected: string): z.ZodType<string> {
  return plainText(expected).transform((text, context) =>
    pattern.test(text)
      ? text.toLowerCase()
      : refuse(context, `"${text}" does not fit`, { expected }),
  );
}

function chain(): z.ZodType<number> {
  const expected = "a chain such as ethereum, or its number";
  return plainText(expected).transform((text, context) => {
    const known = chainByAlias(text)?.id ?? (/^\d{1,9}$/.test(text) ? Number(text) : null);
    return known ?? refuse(context, `"${text}" is no chain`, { expected });
  });
}

function list(item: z.ZodType<string>): z.ZodType<readonly string[]> {
  return z.preprocess(
    (value): unknown => (Array.isArray(value) ? value : [value]),
    z.array(item).min(1),
  );
}

const address = id(ADDRESS, "an address, 0x and 40 hex digits");
const pool = id(new RegExp(`${POOL_ID.source}|${ADDRESS.source}`), "a pool's id or address");
const position = z.strictObject({
  chain: chain(),
  protocol: oneOf(PROTOCOLS),
  nft: id(NFT_ID, "a position's number"),
});
const at = durationMs();
const over = durationMs();

/** One entry of `events`, told by its `kind`. */
export const EVENT = z.discriminatedUnion("kind", [
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
      : refuse(context, `"${text}" is no endpoint`, { expected: `${ALL}, ${names.join(", ")}` });
  });
}

function isEndpoint(text: string): text is EndpointName {
  return Object.hasOwn(ENDPOINTS, text);
}

const time = { at, for: durationMs(), endpoint: endpoint().default(null) };
const names = list(plainText("a name"));

/** One entry of `faults`, told by its `kind`. */
export const FAULT = z.discriminatedUnion("kind", [
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

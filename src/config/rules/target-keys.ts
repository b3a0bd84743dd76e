import { ENDPOINTS, ENDPOINTS_OF, type EndpointSpec } from "../../api/endpoints.ts";
import { CHAINS, chainByAlias, chainName, chainWord } from "../../base/chains.ts";
import { nearest } from "../../base/nearest.ts";
import { alternatives, kindOf } from "../../base/settings.ts";
import { suggest, suggestList } from "../../base/suggest.ts";
import { cleanText } from "../../base/text.ts";
import type { WatchKind } from "../../kinds/kind.ts";
import type { Ask } from "../../model/index.ts";
import {
  errorAt,
  errorAtKey,
  itemsAt,
  type Path,
  type Report,
  shown,
  typeOf,
  warningAt,
} from "../../rules/finding.ts";
import type { Addresses } from "../settings/addresses.ts";
import { CHAIN_SYNONYMS } from "../synonyms.ts";

/** Readers of the single keys of a watch and its targets. */

export const CHAIN = { expected: "chain: a name such as ethereum, or a number" };

/**
 * One chain or a list of them, by name or number; null after reporting that none is right. Warns of the
 * chains for which the service, at these addresses, does not promise what the kind is about.
 */
export function readChains(
  raw: unknown,
  path: Path,
  kind: WatchKind,
  addresses: Addresses | undefined,
  report: Report,
): readonly number[] | null {
  const items = itemsAt(raw, path);
  if (items.length === 0)
    report(errorAt("empty", path, "is empty: the rule would watch nothing", CHAIN));
  const good: number[] = [];
  const promised = kind.records.flatMap((record) => promisedChains(record, addresses) ?? []);
  for (const { item, at } of items) {
    const chain = readChain(item, at, report);
    if (chain === null) continue;
    good.push(chain);
    if (promised.length === 0 || promised.includes(chain)) continue;
    const expected = `one of ${alternatives(promised.map(chainWord))}: it serves these chains for now`;
    report(
      warningAt(
        "chain-not-served",
        at,
        `the service may have no answer for ${kind.kind} on ${chainName(chain)}`,
        expected,
      ),
    );
  }
  return good.length > 0 ? good : null;
}

/** The only chains of a record; null if an endpoint that has it takes any. Unknown addresses: base_url. */
function promisedChains(
  record: Ask["record"],
  addresses: Addresses = new Set(["base_url"]),
): readonly number[] | null {
  if (addresses.has("rpc")) return null;
  const endpoints = ENDPOINTS_OF[record]
    .map((name): EndpointSpec => ENDPOINTS[name])
    .filter(({ base }) => addresses.has(base));
  if (endpoints.some(({ chains }) => chains === undefined)) return null;
  return endpoints[0]?.chains ?? null;
}

/** The number of a chain by its number or name; null if it is neither. */
function chainNumber(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : (chainByAlias(text)?.id ?? null);
}

function readChain(raw: unknown, path: Path, report: Report): number | null {
  const text = typeof raw === "number" ? String(raw) : raw;
  if (typeof text !== "string" || text === "") {
    report(errorAt("wrong-type", path, typeOf(text), CHAIN));
    return null;
  }
  const known = chainNumber(text);
  if (known !== null) return known;
  const several = suggestList(text, (part) => chainNumber(part) !== null);
  if (several !== null) {
    const hint = { expected: "a list", suggestion: several };
    report(errorAt("missing-brackets", path, "several chains need [ ] around them", hint));
    return null;
  }
  const near = suggest(
    text,
    CHAINS.map((chain) => chain.alias),
    CHAIN_SYNONYMS,
  );
  const expected = "a name such as ethereum, or a number";
  report(
    errorAt("unknown-chain", path, `unknown chain ${shown(text)}`, { expected, suggestion: near }),
  );
  return null;
}

/** The protocol that a watch or a target names, in lower case; null after reporting it. */
export function readProtocol(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  kind: WatchKind,
  report: Report,
): string | null {
  const protocols = kind.targets.protocols;
  // An unknown key was reported already.
  if (protocols === null) return null;
  const { protocol } = raw;
  const text = typeof protocol === "string" ? protocol.toLowerCase() : "";
  if (protocols.includes(text)) return text;
  const near = nearest(text, protocols);
  const message =
    typeof protocol === "string" ? `unknown protocol ${shown(protocol)}` : "has no value";
  const hint = {
    expected: alternatives(protocols),
    suggestion: near,
  };
  const at = [...path, "protocol"];
  report(
    typeof protocol === "string" || protocol === null
      ? errorAt("unknown-word", at, message, hint)
      : errorAtKey("wrong-type", at, "is not text", hint),
  );
  return null;
}

/** The name that people give a target; null if there is none, or after reporting it. */
export function readName(raw: unknown, path: Path, report: Report): string | null {
  if (raw === undefined) return null;
  const name = typeof raw === "string" ? cleanText(raw) : "";
  if (name !== "") return name;
  const message = typeof raw === "string" ? "has no visible character" : "is not text";
  report(errorAt("bad-name", path, raw === null ? "has no value" : message, "a name for people"));
  return null;
}

/** More than any token has. */
const MOST_DECIMALS = 36;

/** The decimals of a token; null if there are none, or after reporting them. */
export function readDecimals(raw: unknown, path: Path, report: Report): number | null {
  if (raw === undefined) return null;
  const expected = `a whole number from 0 to ${MOST_DECIMALS}, such as 6 or 18`;
  const text = typeof raw === "number" ? String(raw) : raw;
  if (typeof text === "string" && /^\d{1,2}$/.test(text) && Number(text) <= MOST_DECIMALS) {
    return Number(text);
  }
  const what =
    typeof text === "string" && text !== ""
      ? `decimals ${shown(text)} does not fit`
      : text === null || text === ""
        ? "has no value"
        : `is ${kindOf(text)}`;
  report(errorAt("out-of-range", path, what, expected));
  return null;
}

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  ADDRESS,
  ENDPOINTS,
  type EndpointName,
  type EndpointSpec,
  type FieldSpec,
  HOOK_METADATA,
  KEY_HEADER,
  NFT_ID,
  type ParamSpec,
  POOL_ID,
  TOKEN_METADATA,
} from "../../src/contract/endpoints.ts";

/** An independent reading of the specification, kept as it was given. */
interface TheirParam {
  readonly type: string;
  readonly required?: boolean;
  readonly repeat?: number;
  readonly oneOf?: readonly string[];
}
interface TheirEndpoint {
  readonly family: string;
  readonly base: string;
  readonly path: string;
  readonly params: Readonly<Record<string, TheirParam>>;
  readonly response: string | readonly string[];
  readonly maxRangeDays?: number;
}
type TheirFields = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

const FILE = readFileSync(new URL("./contract.json", import.meta.url), "utf8");
const theirs = JSON.parse(FILE) as {
  readonly auth: { readonly current: { readonly header: string } };
  readonly endpoints: Readonly<Record<string, TheirEndpoint>>;
  readonly records: Readonly<Record<string, TheirFields>>;
};

/** Our name of an endpoint, and theirs. */
const NAMES: Readonly<Record<EndpointName, string>> = {
  verify_key: "verify_key",
  supply: "supply",
  balance: "balance",
  holder_count: "holder_count",
  v4_pool: "v4_pool",
  v4_position: "v4_position",
  gas_hour: "gas_hourly",
};

const NOT_BUILT_YET = [
  "balance_history",
  "holders",
  "legacy_balance_history",
  "legacy_balances",
  "legacy_holders",
  "legacy_price_history",
  "legacy_token_info",
  "legacy_token_price",
  "legacy_v4_pool",
  "supply_history",
  "v3_pool",
  "v3_pool_history",
  "v3_swaps",
  "v4_modify_liquidity",
  "v4_pool_history",
  "v4_swaps",
];

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // They say of addresses only once for all endpoints that they are 0x-prefixed hex strings.
  [ADDRESS, "string"],
  [POOL_ID, "0x+64 hex"],
  [NFT_ID, "uint256 decimal"],
];

/** One of our parameters in their words. */
function inTheirWords(param: ParamSpec): TheirParam {
  const pattern = PATTERNS.find(([ours]) => ours === param.pattern)?.[1];
  const type = param.type === "date" ? "YYYY-MM-DD" : (pattern ?? param.type);
  return {
    type,
    ...(param.required ? { required: true } : {}),
    ...(param.repeat === undefined ? {} : { repeat: param.repeat }),
    ...(param.values === undefined ? {} : { oneOf: param.values }),
  };
}

const INNER: Readonly<Record<string, Readonly<Record<string, FieldSpec>>>> = {
  token0: TOKEN_METADATA,
  token1: TOKEN_METADATA,
  hook: HOOK_METADATA,
};

function fieldsInTheirWords(fields: Readonly<Record<string, FieldSpec>>): TheirFields {
  const words: Record<string, string | Readonly<Record<string, string>>> = {};
  for (const [name, { type }] of Object.entries(fields)) {
    words[name] = type === "object" ? typesOf(INNER[name] ?? {}) : type;
  }
  return words;
}

function typesOf(fields: Readonly<Record<string, FieldSpec>>): Readonly<Record<string, string>> {
  const types: Record<string, string> = {};
  for (const [name, { type }] of Object.entries(fields)) types[name] = type;
  return types;
}

describe("the contract against the independent reading of the specification", () => {
  it("is against the copy as it was given, which nobody edits", () => {
    const hash = createHash("sha256").update(FILE).digest("hex");
    expect(hash).toBe("a52c4785b47dec08b3d96cfcd3aecf15545fc1f64d25edb8db16c89c5fbe8d08");
  });

  it("sends the key in the header that they name", () => {
    expect(KEY_HEADER).toBe(theirs.auth.current.header);
  });

  it("knows every endpoint as built or as not built yet", () => {
    const all = [...Object.values(NAMES), ...NOT_BUILT_YET].toSorted();
    expect(all).toEqual(Object.keys(theirs.endpoints).toSorted());
    expect(all).toHaveLength(23);
    expect(NOT_BUILT_YET).toHaveLength(16);
    expect(Object.keys(ENDPOINTS).toSorted()).toEqual(Object.keys(NAMES).toSorted());
  });

  for (const [name, theirName] of Object.entries(NAMES)) {
    const ours: EndpointSpec = ENDPOINTS[name as EndpointName];
    const their = theirs.endpoints[theirName]!;

    it(`${name}: family, path and longest range are theirs`, () => {
      expect(ours.family).toBe(their.family);
      expect(their.base).toBe("base_url");
      expect(ours.path).toBe(their.path);
      expect(ours.maxRangeDays).toBe(their.maxRangeDays);
    });

    it(`${name}: every parameter, with type and limits, is theirs`, () => {
      const params = Object.entries(ours.params).map(([n, p]) => [n, inTheirWords(p)]);
      expect(Object.fromEntries(params)).toEqual(their.params);
    });

    it(`${name}: every field of the record has their JSON type`, () => {
      const list = Array.isArray(their.response);
      const record = String(list ? their.response[0] : their.response);
      expect(ours.shape).toBe(list ? "array" : "object");
      expect(fieldsInTheirWords(ours.fields)).toEqual(theirs.records[record]);
    });
  }

  it("names the repeated parameter and the field that tells the entries of a batch apart", () => {
    for (const spec of Object.values(ENDPOINTS) as EndpointSpec[]) {
      const repeated = Object.keys(spec.params).filter((n) => spec.params[n]?.repeat);
      expect(repeated).toEqual(spec.batch === undefined ? [] : [spec.batch.param]);
      if (spec.batch !== undefined) expect(spec.fields).toHaveProperty(spec.batch.field);
    }
  });
});

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  ADDRESS,
  ENDPOINTS,
  ENDPOINTS_OF,
  type EndpointSpec,
  ERC20_CHAINS,
  type FieldSpec,
  type Fields,
  KEY_HEADER,
  KEY_PARAMETER,
  NFT_ID,
  type ParamSpec,
  POOL_ID,
  SPECIFIED,
} from "../../src/api/endpoints.ts";

/** An independent reading of the specification, kept as it was given. */
interface TheirParam {
  readonly type: string;
  readonly required?: boolean;
  readonly repeat?: number;
  readonly separator?: string;
  readonly oneOf?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly default?: number | string;
}
interface TheirEndpoint {
  readonly family: string;
  readonly base: string;
  readonly path: string;
  readonly params: Readonly<Record<string, TheirParam>>;
  /** The record's name, in brackets for an array of them. */
  readonly response: string | readonly [string];
  readonly maxRangeDays?: number;
}
/** A JSON type, an object, or a list of objects. */
type TheirField = string | Readonly<Record<string, string>> | readonly [TheirRecord];
interface TheirRecord {
  readonly [name: string]: TheirField;
}

const FILE = readFileSync(new URL("./contract.json", import.meta.url), "utf8");
const theirs = JSON.parse(FILE) as {
  readonly auth: {
    readonly current: { readonly header: string };
    readonly earlier: { readonly query: string };
  };
  readonly erc20_chains: readonly number[];
  readonly endpoints: Readonly<Record<string, TheirEndpoint>>;
  readonly records: Readonly<Record<string, TheirRecord>>;
};

const OURS: readonly (readonly [string, EndpointSpec])[] = Object.entries(SPECIFIED);

/** The forms that they write beside a parameter; of the earlier family they write none. */
const FORMS: Readonly<Record<EndpointSpec["family"], ReadonlyMap<RegExp, string>>> = {
  current: new Map([
    [POOL_ID, "0x+64 hex"],
    [NFT_ID, "uint256 decimal"],
  ]),
  earlier: new Map(),
};

/** One of our endpoints in their words. */
function endpointInTheirWords(spec: EndpointSpec): TheirEndpoint {
  const { family, base, path, shape, record, maxRangeDays } = spec;
  const params = Object.entries(spec.params).map(
    ([name, param]) => [name, paramInTheirWords(param, family)] as const,
  );
  return {
    family,
    base,
    path,
    params: Object.fromEntries(params),
    response: shape === "array" ? [record] : record,
    ...(maxRangeDays === undefined ? {} : { maxRangeDays }),
  };
}

function paramInTheirWords(param: ParamSpec, family: EndpointSpec["family"]): TheirParam {
  const { type, required, pattern, values, joined, ...limits } = param;
  const form = pattern === undefined ? undefined : FORMS[family].get(pattern);
  return {
    type: type === "date" ? "YYYY-MM-DD" : (form ?? type),
    ...(required === true ? { required } : {}),
    ...(values === undefined ? {} : { oneOf: values }),
    ...joined,
    ...limits,
  };
}

function recordInTheirWords(fields: Fields): TheirRecord {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, fieldInTheirWords(field)]),
  );
}

function fieldInTheirWords({ type, fields }: FieldSpec): TheirField {
  if (type === "object") return recordInTheirWords(fields ?? {}) as Record<string, string>;
  return type === "array" ? [recordInTheirWords(fields ?? {})] : type;
}

describe("the contract against the independent reading of the specification", () => {
  it("is against the copy as it was given, which nobody edits", () => {
    const hash = createHash("sha256").update(FILE).digest("hex");
    expect(hash).toBe("a52c4785b47dec08b3d96cfcd3aecf15545fc1f64d25edb8db16c89c5fbe8d08");
  });

  it("sends the key where they say, for both families", () => {
    expect(KEY_HEADER).toBe(theirs.auth.current.header);
    expect(KEY_PARAMETER).toBe(theirs.auth.earlier.query);
  });

  it("has their 23 endpoints and their records, and no other", () => {
    const names = OURS.map(([name]) => name);
    expect(names).toEqual(Object.keys(theirs.endpoints));
    expect(names).toHaveLength(23);
    const families = OURS.map(([, { family }]) => family);
    expect(families.filter((family) => family === "current")).toHaveLength(10);
    expect(families.filter((family) => family === "earlier")).toHaveLength(13);
    const records = OURS.map(([, { record }]) => record);
    expect(records.toSorted()).toEqual(Object.keys(theirs.records).toSorted());
  });

  it.each(OURS)("%s: family, base, path, parameters and answer are theirs", (name, spec) => {
    expect(endpointInTheirWords(spec)).toEqual(theirs.endpoints[name]);
    // Parameters are sent in this order, which is the document's.
    expect(Object.keys(spec.params)).toEqual(Object.keys(theirs.endpoints[name]!.params));
  });

  it.each(OURS)("%s: every field of the record has their JSON type", (_, spec) => {
    expect(recordInTheirWords(spec.fields)).toEqual(theirs.records[spec.record]);
  });

  it("names their chains for the ERC-20 endpoints of the current family, and for no other", () => {
    expect(ERC20_CHAINS).toEqual(theirs.erc20_chains);
    for (const [, { path, chains }] of OURS) {
      expect(chains).toEqual(path.startsWith("/v1/erc20/") ? theirs.erc20_chains : undefined);
    }
  });

  it("says required, optional or not shown as the document does for each family", () => {
    for (const [, { family, params }] of OURS) {
      for (const { required } of Object.values(params)) {
        if (family === "earlier") expect(required).toBeNull();
        else expect(required).toBeTypeOf("boolean");
      }
    }
  });
});

describe("what is served beyond the specification", () => {
  const beyond = Object.entries<EndpointSpec>(ENDPOINTS).filter(([name]) => !(name in SPECIFIED));

  it("stands apart from it: paths of its own, the current family's way, from nodes only", () => {
    expect(beyond.length).toBeGreaterThan(0);
    for (const [, { path, family, base }] of beyond) {
      expect([path.startsWith("/v1/x/"), family, base]).toEqual([true, "current", "rpc"]);
    }
    expect(OURS.filter(([, { base }]) => base === "rpc")).toEqual([]);
    const records = Object.values(ENDPOINTS).map(({ record }) => record);
    expect(new Set(records).size).toBe(records.length);
  });
});

describe("the contract in itself", () => {
  it("names the batch parameter, and the field of an entry that tells its item", () => {
    for (const [, { params, batch, fields, list }] of OURS) {
      const many = Object.keys(params).filter(
        (name) => params[name]?.repeat !== undefined || params[name]?.joined !== undefined,
      );
      expect(many).toEqual(batch === undefined ? [] : [batch.param]);
      const entry = list === undefined ? fields : fields[list]?.fields;
      if (batch !== undefined) expect(entry?.[batch.field]?.type).toBe("string");
    }
  });

  it("names the list of an answer that holds one, and its pages", () => {
    for (const [, { params, shape, list, fields, paging }] of OURS) {
      const lists = Object.keys(fields).filter((name) => fields[name]?.type === "array");
      expect(lists).toEqual(shape === "list" ? [list] : []);
      const pages = ["first", "limit", "offset", "sort"].filter((name) => name in params);
      const { size, offset, order } = paging ?? {};
      expect(pages).toEqual([size, offset, order].filter((name) => name !== undefined));
    }
  });

  it("has a range where there are days to choose, and the other way round", () => {
    for (const [, { params, maxRangeDays }] of OURS) {
      const days = Object.keys(params).filter((name) => params[name]?.type === "date");
      expect(days).toEqual(maxRangeDays === undefined ? [] : ["from", "to"]);
    }
  });

  it("says what every number and text counts, and what is in every object and list", () => {
    const faults: string[] = [];
    const visit = (name: string, { type, quantity, fields, signed, iso }: FieldSpec): void => {
      const holds = type === "object" || type === "array";
      const isNumber = !["text", "address", "boolean"].includes(quantity ?? "text");
      if (holds !== (fields !== undefined)) faults.push(`${name}: what is in it`);
      if (holds === (quantity !== undefined)) faults.push(`${name}: what it counts`);
      if ((type === "number" || signed) && !isNumber) faults.push(`${name}: is it a number`);
      if (iso && (type !== "string" || quantity !== "seconds"))
        faults.push(`${name}: is it a time`);
      for (const [inner, field] of Object.entries(fields ?? {})) visit(`${name}.${inner}`, field);
    };
    for (const [name, spec] of OURS) visit(name, { type: "object", fields: spec.fields });
    expect(faults).toEqual([]);
  });

  it("lets only changes and directions be below zero", () => {
    const signed: string[] = [];
    const visit = (fields: Fields): void => {
      for (const [name, field] of Object.entries(fields)) {
        if (field.signed) signed.push(name);
        visit(field.fields ?? {});
      }
    };
    for (const [, { fields }] of OURS) visit(fields);
    expect([...new Set(signed)].toSorted()).toEqual([
      "amount0",
      "amount1",
      "balance_change",
      "balance_change_formatted",
      "liquidity_delta",
      "price_change_24h",
      "price_change_7d",
      "price_change_percentage_24h",
      "price_change_percentage_7d",
      "volumePercentageChange",
    ]);
    for (const { fields } of [ENDPOINTS.v4_pool, ENDPOINTS.v4_position]) {
      expect(fields.amount0?.signed).toBeUndefined();
    }
  });

  it("has a use for each endpoint, and one alone", () => {
    const asked = Object.values(ENDPOINTS_OF).flat();
    expect(new Set(asked).size).toBe(asked.length);
    // The key is verified by nobody's wish: how endpoints fare stands there in its place.
    expect(asked.toSorted()).toEqual(Object.keys(ENDPOINTS).toSorted());
  });

  it("knows an address by its form wherever one is sent", () => {
    const names = new Set(["token", "address", "wallet", "wallets"]);
    const sent = OURS.flatMap(([, { params }]) => Object.entries(params));
    const forms = sent.filter(([name]) => names.has(name)).map(([, { pattern }]) => pattern);
    expect(new Set(forms)).toEqual(new Set([ADDRESS]));
    // Six endpoints of the current family and nine of the earlier one, two of each with wallets.
    expect(forms).toHaveLength(6 + 9 + 2 + 2);
  });
});

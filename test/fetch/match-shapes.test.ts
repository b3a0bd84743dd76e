import { describe, expect, it } from "vitest";
import { ENDPOINTS, type EndpointSpec } from "../../src/api/endpoints.ts";
import { match } from "../../src/fetch/match.ts";
import { plan } from "../../src/fetch/plan.ts";
import type { Request } from "../../src/fetch/source.ts";
import { type Ask, RECORDS } from "../../src/model/index.ts";
import { address, askFor } from "./asks.ts";
import { entriesOf, goodAnswer, type Json, withEntries } from "./good-answer.ts";

const LEGACY_ONLY = (endpoint: Request["endpoint"]): boolean =>
  ENDPOINTS[endpoint].base === "legacy_base_url";
const only = (ask: Ask, legacy = false): Request => {
  const [request] = plan([ask], legacy ? LEGACY_ONLY : () => true);
  if (request === undefined) throw new Error("no request");
  return request;
};
/** A request for each endpoint that a record can be had from. */
const REQUESTS = new Map(
  [
    ...RECORDS.map((record) => only(askFor(record))),
    ...(["balance", "balance_point", "holder"] as const).map((r) => only(askFor(r), true)),
  ].map((request) => [request.endpoint, request]),
);
const byShape = (...shapes: EndpointSpec["shape"][]): Request[] =>
  [...REQUESTS.values()].filter(({ endpoint }) => shapes.includes(ENDPOINTS[endpoint].shape));

/** The only answer of a request for one ask. */
function of(request: Request, json: unknown): unknown {
  const matched = match(request, json);
  if ("problem" in matched) return matched.problem;
  const [answer] = matched.answers;
  return answer?.status === "ok" ? answer.records : answer?.status;
}

describe.each([...REQUESTS.values()].map((r) => [r.endpoint, r] as const))(
  "an answer of %s",
  (endpoint, request) => {
    const good = goodAnswer(request);
    const spec: EndpointSpec = ENDPOINTS[endpoint];

    it("is the record, or the records in their order", () => {
      expect(of(request, good)).toEqual(entriesOf(endpoint, good));
    });

    it.each([null, 7, "x", true, undefined])("is none when it is %j", (json) => {
      expect(of(request, json)).toMatch(/^no (list|object) in the answer$/);
    });

    it("is none when it is an error", () => {
      expect(of(request, { error: "no such thing" })).toMatch(/^(no list|the answer is an error)/);
      expect(of(request, { message: "no such thing" })).toMatch(/^no (list|record) in the answer/);
    });

    it("is none in another shape", () => {
      const other = spec.shape === "array" ? { data: good } : [good];
      expect(of(request, other)).toMatch(/^no (list|object) in the answer$/);
    });

    it("is not taken from what names itself as something else", () => {
      const named = (json: unknown): boolean =>
        ["chain_id", "token_address", "pool_id", "pool_address", "nft_id"].some(
          (name) => name in (json as Json),
        );
      const stranger = (json: Json): Json => ({
        ...json,
        ...("chain_id" in json ? { chain_id: 999 } : {}),
        ...("token_address" in json ? { token_address: address(99) } : {}),
        ...("pool_address" in json ? { pool_address: address(99) } : {}),
        ...("pool_id" in json && !("nft_id" in json) ? { pool_id: `0x${"f".repeat(64)}` } : {}),
      });
      if (spec.shape === "array") {
        const entries = entriesOf(endpoint, good);
        const expected = entries.some(named) ? "absent" : entries;
        expect(of(request, entries.map(stranger))).toEqual(expected);
      } else expect(of(request, stranger(good as Json))).toBe("absent");
    });

    it("may be named in upper case, by text, or not at all", () => {
      const upper = JSON.parse(
        JSON.stringify(good, (_, value: unknown) => {
          if (typeof value === "string" && value.startsWith("0x")) return value.toUpperCase();
          return value;
        }),
      ) as unknown;
      expect(of(request, upper)).toEqual(entriesOf(endpoint, upper));
      if (spec.shape === "array") return;
      const { chain_id: chain, token_address: _t, pool_id: _p, ...rest } = good as Json;
      const text = chain === undefined ? {} : { chain_id: "1" };
      const bare = { ...rest, ...text, token_address: null };
      expect(of(request, bare)).toEqual(entriesOf(endpoint, bare));
    });
  },
);

describe("a list", () => {
  const lists = byShape("array", "list").filter(
    ({ endpoint }) => !("batch" in ENDPOINTS[endpoint]),
  );

  it.each(lists.map((r) => [r.endpoint, r] as const))("of %s may be empty", (endpoint, request) => {
    const empty = withEntries(endpoint, goodAnswer(request), []);
    expect(of(request, empty)).toEqual(endpoint === "gas_hourly" ? "absent" : []);
  });

  it.each(byShape("list").map((r) => [r.endpoint, r] as const))(
    "of %s that is missing, null or no list is no answer, and no empty one",
    (endpoint, request) => {
      for (const list of [undefined, null, {}, "", 0]) {
        const json = withEntries(endpoint, goodAnswer(request), list);
        expect(of(request, json)).toBe("no list in the answer");
      }
    },
  );

  it("leaves out what is no object, and what is of another pool", () => {
    const request = only(askFor("v4_liquidity"));
    const good = goodAnswer(request);
    const [entry] = entriesOf("v4_modify_liquidity", good);
    const entries = [null, entry, "x", { ...entry, pool_id: `0x${"f".repeat(64)}` }, { id: "b" }];
    expect(match(request, withEntries("v4_modify_liquidity", good, entries))).toEqual({
      answers: [{ status: "ok", records: [entry, { id: "b" }] }],
      ignored: 3,
    });
  });

  it("of another period is no answer", () => {
    const request = only(askFor("price_point", { period: "h" }));
    expect(of(request, { ...(goodAnswer(request) as Json), period: "d" })).toBe("absent");
  });
});

describe("balances of the earlier family", () => {
  const asks = [1, 2, 3].map((wallet) => askFor("balance", { wallet }));
  const [request] = plan(asks, LEGACY_ONLY);

  it("are found by their wallet, whatever the order", () => {
    const balances = [
      { wallet_address: address(9), balance: "9" },
      { wallet_address: address(3).toUpperCase(), balance: "3" },
      { wallet_address: address(1), balance: "1" },
      { wallet_address: address(1), balance: "111" },
      null,
    ];
    const matched = match(request!, { token_address: address(1), chain_id: 1, balances });
    if ("problem" in matched) throw new Error(matched.problem);
    expect(matched.ignored).toBe(3);
    expect(matched.answers).toEqual([
      { status: "ok", records: [{ wallet_address: address(1), balance: "1" }] },
      { status: "absent" },
      { status: "ok", records: [{ wallet_address: address(3).toUpperCase(), balance: "3" }] },
    ]);
  });

  it("of another token are nobody's", () => {
    const balances = [{ wallet_address: address(1), balance: "1" }];
    expect(match(request!, { token_address: address(2), chain_id: 1, balances })).toEqual({
      answers: [{ status: "absent" }, { status: "absent" }, { status: "absent" }],
      ignored: 1,
    });
  });
});

import { describe, expect, it } from "vitest";
import {
  ENDPOINTS,
  type EndpointName,
  type EndpointSpec,
  type ParamSpec,
  SPECIFIED,
} from "../../src/api/endpoints.ts";
import { DEMO_KEY } from "../../src/serve/server.ts";
import { askerOf, fault, type Reply } from "./asking.ts";
import { expectFields } from "./records.ts";

/** A world that serves the specification's endpoints, as those who judge it need it. */
export interface JudgedWorld {
  /** Known once the tests run. */
  readonly baseUrl: () => string;
  /** One good value of every required parameter that some endpoint has. */
  readonly valuesOf: (name: EndpointName) => Readonly<Record<string, string>>;
  /** The fields that it cannot know; default: it knows all. */
  readonly unknown?: (name: EndpointName) => ReadonlySet<string>;
  /** The fields that some of its records lack. */
  readonly sometimes?: ReadonlySet<string>;
}

export const ALL = Object.keys(SPECIFIED) as EndpointName[];
const ASKED = ALL.filter((name) => name !== "verify_key");
/** Two addresses for lists that are badly written. */
const [ONE, OTHER] = [`0x${"12".repeat(20)}`, `0x${"34".repeat(20)}`];

export type Pairs = readonly [string, string][];

/** A question that is answered: all parameters that have no default. */
export function goodPairs(world: JudgedWorld, name: EndpointName): Pairs {
  const spec: EndpointSpec = ENDPOINTS[name];
  const values = world.valuesOf(name);
  return Object.entries(spec.params).flatMap(([param, { required, default: usual }]) => {
    if (required === false || usual !== undefined) return [];
    const value = values[param];
    if (value === undefined) throw new Error(`no example of ${param}`);
    return [[param, value]];
  });
}

function replaced(pairs: Pairs, name: string, value: string): Pairs {
  return [...pairs.filter(([param]) => param !== name), [name, value]];
}

function paramsOf(name: EndpointName): [string, ParamSpec][] {
  const spec: EndpointSpec = ENDPOINTS[name];
  return Object.entries(spec.params);
}

/** Holds a world against the contract, endpoint by endpoint. */
export function judgeEndpoints(world: JudgedWorld): void {
  const asker = askerOf(world.baseUrl);
  const { valuesOf } = world;
  const good = (name: EndpointName): Pairs => goodPairs(world, name);

  /** Asks with the key in the family's own way; `key` null: without one. */
  function ask(name: EndpointName, pairs: Pairs, key: string | null = DEMO_KEY): Promise<Reply> {
    const { family, path } = ENDPOINTS[name];
    const earlier = family === "earlier";
    const query = new URLSearchParams(pairs);
    if (earlier && key !== null) query.append("apikey", key);
    return asker.ask(`${path}?${query.toString()}`, {}, earlier ? null : key);
  }

  describe.each(ALL)("%s", (name) => {
    const spec: EndpointSpec = ENDPOINTS[name];

    it("answers in the contract's fields, types and shape", async () => {
      const { status, body } = await ask(name, good(name));
      expect([status, body]).toEqual([200, body]);
      const records = spec.shape === "array" ? (body as unknown[]) : [body];
      expect(records.length).toBeGreaterThan(0);
      for (const record of records) {
        expectFields(record, spec.fields, world.unknown?.(name), world.sometimes);
      }
      if (spec.list !== undefined) {
        expect((body as Record<string, unknown[]>)[spec.list]?.length).toBeGreaterThan(0);
      }
    });

    it("needs its key, in its family's way only", async () => {
      expect(fault(await ask(name, good(name), null))).toBe("401 missing_key");
      expect(fault(await ask(name, good(name), ""))).toBe("401 missing_key");
      const query = new URLSearchParams(good(name));
      if (spec.family === "earlier") {
        const path = `${spec.path}?${query.toString()}`;
        expect(fault(await asker.ask(path))).toBe("401 missing_key");
        expect(fault(await asker.ask(`${path}&apikey=${DEMO_KEY}&apikey=${DEMO_KEY}`))).toBe(
          "400 duplicate_parameter",
        );
      } else {
        query.append("apikey", DEMO_KEY);
        const path = `${spec.path}?${query.toString()}`;
        expect(fault(await asker.ask(path, {}, null))).toBe("401 missing_key");
        expect(fault(await asker.ask(path))).toBe("400 unknown_parameter");
      }
      if (name === "verify_key") return;
      expect(fault(await ask(name, good(name), `${DEMO_KEY}x`))).toBe("401 invalid_key");
    });

    it("is for GET only", async () => {
      const reply = await asker.ask(spec.path, { method: "POST" });
      expect(fault(reply)).toBe("405 method_not_allowed");
    });

    it("refuses a parameter that it does not have, and never says the key", async () => {
      for (const extra of ["constructor", "chainId", "x", DEMO_KEY, `a${DEMO_KEY}b`]) {
        const reply = await ask(name, [...good(name), [extra, "1"]]);
        expect(fault(reply)).toBe("400 unknown_parameter");
        expect(JSON.stringify(reply.body)).not.toContain(DEMO_KEY);
      }
    });
  });

  describe.each(ASKED)("the parameters of %s", (name) => {
    it("are required unless they are optional or have a default", async () => {
      for (const [param] of good(name)) {
        const without = good(name).filter(([other]) => other !== param);
        expect([param, fault(await ask(name, without))]).toEqual([param, "400 missing_parameter"]);
      }
    });

    it("come once if they are single, and no more than so many times if not", async () => {
      for (const [param, { repeat, joined }] of paramsOf(name)) {
        const value = valuesOf(name)[param] ?? "1";
        if (repeat === undefined) {
          const twice: Pairs = [...replaced(good(name), param, value), [param, value]];
          expect([param, fault(await ask(name, twice))]).toEqual([
            param,
            "400 duplicate_parameter",
          ]);
        }
        const most = repeat ?? joined?.max;
        if (most === undefined) continue;
        const times = (count: number): Pairs => {
          const rest = good(name).filter(([other]) => other !== param);
          const [one = ""] = value.split(",");
          const many = Array.from({ length: count }, () => one);
          if (joined !== undefined) return [...rest, [param, many.join(joined.separator)]];
          return [...rest, ...many.map((each): [string, string] => [param, each])];
        };
        expect((await ask(name, times(most))).status).toBe(200);
        expect(fault(await ask(name, times(most + 1)))).toBe("400 too_many_values");
      }
    });

    it("are of their form and within their limits", async () => {
      for (const [param, { type, min, max, values, joined }] of paramsOf(name)) {
        const bad = ["", " ", "no such", "-1", "1.5", "0x12", "2026-02-30", "\u0000"];
        if (type === "number") bad.push("01", "+1", "1e3", "9".repeat(20));
        if (max !== undefined) bad.push(String(max + 1));
        if (min !== undefined) bad.push(String(min - 1));
        if (values !== undefined) bad.push(values.join(","), (values[0] ?? "").toUpperCase());
        if (joined !== undefined) bad.push(`${ONE},`, `${ONE}, ${OTHER}`);
        for (const value of bad) {
          const reply = await ask(name, replaced(good(name), param, value));
          expect([param, value, fault(reply)]).toEqual([param, value, "400 bad_value"]);
        }
        if (max !== undefined) {
          for (const edge of [min ?? 0, max]) {
            const reply = await ask(name, replaced(good(name), param, String(edge)));
            expect([param, edge, reply.status]).toEqual([param, edge, 200]);
          }
        }
      }
    });

    it("have the contract's defaults", async () => {
      const usual = await ask(name, good(name));
      for (const [param, { default: value }] of paramsOf(name)) {
        if (value === undefined) continue;
        const said = await ask(name, [...good(name), [param, String(value)]]);
        expect(said.body).toEqual(usual.body);
      }
    });

    it("leave nothing of a list beyond its end, however far", async () => {
      const { paging, list }: EndpointSpec = ENDPOINTS[name];
      if (paging === undefined) return expect(list ?? "balances").toBe("balances");
      const reply = await ask(name, replaced(good(name), paging.offset, "9".repeat(15)));
      const body = list === undefined ? reply.body : (reply.body as Record<string, unknown>)[list];
      expect([reply.status, body]).toEqual([200, []]);
    });

    it("name a chain that there is", async () => {
      const param = ENDPOINTS[name].family === "earlier" ? "chainid" : "chain_id";
      expect(fault(await ask(name, replaced(good(name), param, "5")))).toBe(
        "400 unsupported_chain",
      );
    });

    it("name something that there is, or it is left out of many", async () => {
      const spec: EndpointSpec = ENDPOINTS[name];
      const targets = new Set(["token", "address", "pool_ids", "poolid", "nft_ids"]);
      const target = paramsOf(name).find(([param]) => targets.has(param));
      if (target === undefined) return expect(name).toBe("gas_hourly");
      const [param, { repeat }] = target;
      const unknown = {
        pool_ids: `0x${"ab".repeat(32)}`,
        poolid: `0x${"ab".repeat(32)}`,
        nft_ids: "9",
      };
      const value = { token: `0x${"cd".repeat(20)}`, address: `0x${"cd".repeat(20)}`, ...unknown };
      const reply = await ask(
        name,
        replaced(good(name), param, new Map(Object.entries(value)).get(param) ?? ""),
      );
      if (repeat !== undefined) return expect(reply).toMatchObject({ status: 200, body: [] });
      const isPool = param === "poolid" || spec.path.startsWith("/dexv3/");
      expect(fault(reply)).toBe(`404 unknown_${isPool ? "pool" : "token"}`);
    });
  });
}

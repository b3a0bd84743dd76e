import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ENDPOINTS, type EndpointSpec } from "../../src/api/endpoints.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { WatchKind } from "../../src/kinds/kind.ts";

const FOLDER = new URL("../../src/kinds/", import.meta.url);

function isWatchKind(value: unknown): value is WatchKind {
  return typeof value === "object" && value !== null && "kind" in value && "metrics" in value;
}

describe("the registry of watch kinds", () => {
  it("holds every kind of the folder, each under its own word and file name", async () => {
    const files = readdirSync(FOLDER).filter((file) => file.endsWith(".ts") && file !== "index.ts");
    const kinds: string[] = [];
    for (const file of files) {
      const exported = (await import(new URL(file, FOLDER).href)) as Record<string, unknown>;
      for (const kind of Object.values(exported).filter(isWatchKind)) {
        kinds.push(kind.kind);
        expect(KINDS.get(kind.kind)).toBe(kind);
        // The kinds that an option of another chooses stand beside that one.
        expect(file).toBe(`${(kind.variantOf ?? kind.kind).replaceAll("_", "-")}.ts`);
      }
    }
    expect(kinds.toSorted()).toEqual([...KINDS.keys()].toSorted());
    expect(kinds.length).toBeGreaterThanOrEqual(15);
  });

  it.each([
    ["gas", ENDPOINTS.gas_hourly],
    ["token_supply", ENDPOINTS.supply],
    ["token_balance", ENDPOINTS.balance],
    ["holder_count", ENDPOINTS.holder_count],
    ["v4_pool", ENDPOINTS.v4_pool],
    ["v4_position", ENDPOINTS.v4_position],
    ["token_info", ENDPOINTS.legacy_token_info],
    ["v3_pool", ENDPOINTS.v3_pool],
    ["v4_pool_24h", ENDPOINTS.legacy_v4_pool],
  ] as const)("%s has every field of its record as a metric", (kind, spec: EndpointSpec) => {
    const metrics = KINDS.get(kind)!.metrics;
    for (const [name, field] of Object.entries(spec.fields)) {
      expect(metrics.get(name)?.quantity).toBe(field.quantity);
    }
    for (const [name, metric] of metrics) {
      expect(metric.name).toBe(name);
      expect(metric.label).toMatch(/^[A-Za-z][\w ()%.]*$/);
    }
  });

  it.each([
    ["token_price", ENDPOINTS.legacy_token_price],
    ["price_history", ENDPOINTS.legacy_price_history],
    ["pool_history", ENDPOINTS.v4_pool_history],
    ["pool_history", ENDPOINTS.v3_pool_history],
  ] as const)(
    "%s has every field of its nested records as a metric",
    (kind, spec: EndpointSpec) => {
      const metrics = KINDS.get(kind)!.metrics;
      const list = spec.list === undefined ? undefined : spec.fields[spec.list]?.fields;
      const fields = Object.values(list ?? spec.fields).flatMap((field) =>
        field.fields === undefined ? [field] : Object.values(field.fields),
      );
      expect(fields.length).toBeGreaterThan(10);
      expect([...metrics.values()].map(({ quantity, signed }) => [quantity, signed])).toEqual(
        fields.map(({ quantity, signed }) => [quantity, signed]),
      );
      for (const { label } of metrics.values()) expect(label).toMatch(/^[A-Za-z][\w ()%.]*$/);
    },
  );

  it("has the derived metrics of the rule document", () => {
    const derived = (kind: string, names: string): void => {
      expect([...KINDS.get(kind)!.metrics.keys()]).toEqual(
        expect.arrayContaining(names.split(" ")),
      );
    };
    derived("gas", "tip_top5 tip_top10 tip_min tip_max price_top10");
    derived("v4_pool", "price");
    derived("v4_position", "in_range side ticks_to_edge pct_to_edge range_position closed");
    derived("v4_position", "value_usd token0_share current_tick");
  });

  it("says which metrics speak of a range", () => {
    const ofRange = [...KINDS.get("v4_position")!.metrics.values()].filter((m) => m.range);
    expect(ofRange.map((m) => m.name)).toEqual([
      "in_range",
      "side",
      "ticks_to_edge",
      "pct_to_edge",
      "range_position",
    ]);
  });
});

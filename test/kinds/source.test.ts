import { describe, expect, it } from "vitest";
import type { Reading } from "../../src/kinds/kind.ts";
import { source } from "../../src/kinds/source.ts";
import type { RawRecord } from "../../src/model/index.ts";
import { answersOf, failed, ok } from "./records.ts";

const subject = source.subject({ chainId: 0, id: "v4_pool", protocol: null, name: null });
const NOW = Date.UTC(2026, 10, 27, 14, 20);

function read(changes: RawRecord = {}): Reading {
  const record = {
    endpoint: "v4_pool",
    up: true,
    failures: 3,
    failure_reason: "timeout",
    latency: 0.123,
    newest_record_time: NOW / 1_000 - 42,
    ...changes,
  };
  return source.read(subject, answersOf({ endpoint: ok(record) }), NOW);
}

const value = (name: string, changes: RawRecord = {}) =>
  read(changes).rows[0]?.value(name)?.toString() ?? null;

describe("an endpoint of the service", () => {
  it("is known by its name and asks the source alone", () => {
    expect(subject).toMatchObject({ key: "source:v4_pool", ids: { endpoint: "v4_pool" } });
    expect(source.asks(subject, NOW)).toEqual([
      { key: "endpoint:v4_pool", record: "endpoint", chainId: 0, id: "v4_pool" },
    ]);
    expect(source.records).toEqual([]);
  });

  it("is up or not, with its failures, latency and lag", () => {
    expect(value("up")).toBe("true");
    expect(value("up", { up: false })).toBe("false");
    expect(value("failures")).toBe("3");
    expect(value("failure_reason")).toBe("timeout");
    expect(value("latency")).toBe("0.123");
    expect(value("lag")).toBe("42");
    expect(value("endpoint")).toBe("v4_pool");
    expect(value("constructor")).toBeNull();
    expect(read()).toMatchObject({ trouble: null, absent: false });
    expect(source.metrics.get("failure_reason")?.values).toContain("rate_limited");
  });

  it("lags on a chain as its records say, or as all of them where they are of one chain", () => {
    const lagging = { lagging_chain: "Avalanche", lagging_record_time: NOW / 1_000 - 7_200 };
    expect([value("lag", lagging), value("chain_lag", lagging)]).toEqual(["42", "7200"]);
    expect(value("lagging_chain", lagging)).toBe("Avalanche");
    expect([value("chain_lag"), value("lagging_chain")]).toEqual(["42", null]);
    expect(read().trouble).toBeNull();
  });

  it("does not lag while its newest bucket runs", () => {
    expect(value("lag", { newest_record_time: NOW / 1_000 + 2_400 })).toBe("0");
    expect(value("lag", { newest_record_time: NOW / 1_000 + 86_400 })).toBe("0");
  });

  it("has no lag while no record tells, or one tells a time that is to come", () => {
    for (const newest_record_time of [null, NOW / 1_000 + 86_401, 9e12, "x"]) {
      expect(value("lag", { newest_record_time })).toBeNull();
      expect(read({ newest_record_time }).trouble).toBe("no record has told its time lately");
    }
  });

  it("has no latency before its first answer", () => {
    expect(value("latency", { latency: null })).toBeNull();
    expect(read({ latency: null }).trouble).toBe("it has not answered yet");
  });

  it("is called by its name, and counts seconds", () => {
    expect(read().describe()).toMatchObject({ label: "endpoint v4_pool", link: null });
    expect(read().describe().unit("latency")).toBe("s");
    expect(read().describe().unit("failures")).toBe("");
    const none = source.read(subject, answersOf({ endpoint: failed("no") }), NOW);
    expect(none).toMatchObject({ rows: [], unanswered: "endpoint", trouble: "no" });
  });
});

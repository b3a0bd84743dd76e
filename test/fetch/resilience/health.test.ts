import { describe, expect, it } from "vitest";
import {
  ANSWERED_MS,
  FAILURES_MS,
  Health,
  LATENCIES,
} from "../../../src/fetch/resilience/health.ts";

/** A clock that a test sets, in milliseconds, and what is known of v4_pool then. */
function world(start = 1_000_000) {
  let now = start;
  const health = new Health(() => now);
  return {
    health,
    pass: (ms: number) => {
      now += ms;
    },
    get: (field: string) => health.recordOf("v4_pool")[field],
  };
}

describe("how an endpoint fares", () => {
  it("is well while nobody has asked it", () => {
    const { health } = world();
    expect(health.recordOf("gas_hourly")).toEqual({
      endpoint: "gas_hourly",
      up: true,
      failures: 0,
      failure_reason: "none",
      latency: null,
      newest_record_time: null,
    });
  });

  it("knows the latest time of each chain for as long as answers count", () => {
    const { health, pass } = world();
    health.answered("v4_pool", 20, 500, 1);
    health.answered("v4_pool", 20, 400, 1);
    health.answered("v4_pool", 20, 90, 137);
    health.answered("holders", 20, null, 1);
    health.answered("v4_swaps", 20, 700);
    const known = [
      { endpoint: "v4_pool", chainId: 1, at: 500 },
      { endpoint: "v4_pool", chainId: 137, at: 90 },
      { endpoint: "v4_swaps", chainId: 0, at: 700 },
    ];
    expect(health.newestTimes()).toEqual(known);
    pass(FAILURES_MS / 2);
    health.answered("v4_pool", 20, 91, 137);
    pass(FAILURES_MS);
    expect(health.newestTimes()).toEqual([{ endpoint: "v4_pool", chainId: 137, at: 91 }]);
  });

  it("is down when its requests fail, until one is answered", () => {
    const { health, pass, get } = world();
    health.failed("v4_pool", "timeout", true);
    expect(get("up")).toBe(false);
    expect(health.recordOf("gas_hourly").up).toBe(true);
    pass(60_000);
    health.answered("v4_pool", 20, null);
    expect(get("up")).toBe(true);
  });

  it("is down no longer when nobody asks it, since another answers for its records", () => {
    const { health, pass } = world();
    health.failed("legacy_holders", "timeout", true);
    pass(FAILURES_MS);
    health.answered("holders", 20, null);
    expect(health.recordOf("legacy_holders").up).toBe(false);
    pass(1);
    // What has other records says nothing of it.
    health.answered("supply", 20, null);
    expect(health.recordOf("legacy_holders").up).toBe(false);
    health.answered("holders", 20, null);
    expect(health.recordOf("legacy_holders").up).toBe(true);
    health.failed("legacy_holders", "timeout", true);
    expect(health.recordOf("legacy_holders").up).toBe(false);
  });

  it("is up while some batches are answered and others fail", () => {
    const { health, pass, get } = world();
    health.answered("v4_pool", 20, null);
    pass(5);
    health.failed("v4_pool", "server_error", true);
    expect(get("up")).toBe(true);
    // Rounds may be hours apart.
    pass(10 * ANSWERED_MS);
    expect(get("up")).toBe(true);
    health.failed("v4_pool", "server_error", true);
    expect(get("up")).toBe(false);
  });

  it("is down when its requests have failed for a minute without an answer", () => {
    const { health, pass, get } = world();
    health.answered("v4_pool", 20, null);
    pass(ANSWERED_MS - 1);
    health.failed("v4_pool", "server_error", true);
    expect(get("up")).toBe(true);
    pass(1);
    health.failed("v4_pool", "server_error", true);
    expect(get("up")).toBe(false);
  });

  it("stays down while requests are not sent for what came before, which is no failure more", () => {
    const { health, pass, get } = world();
    health.failed("v4_pool", "network", true);
    for (let i = 0; i < 10; i += 1) {
      pass(60_000);
      health.failed("v4_pool", "network", false);
    }
    expect(get("up")).toBe(false);
    expect(get("failures")).toBe(0);
  });

  it("is up when it refuses an id, which is a failed request all the same", () => {
    const { health, get } = world();
    health.failed("v4_pool", "refused", true);
    expect(get("up")).toBe(true);
    expect(get("failures")).toBe(1);
    expect(get("failure_reason")).toBe("refused");
  });

  it("is not down because a round had no time left", () => {
    const { health, get } = world();
    health.failed("v4_pool", "out_of_time", false);
    expect(get("up")).toBe(true);
    health.failed("v4_pool", "out_of_time", true);
    expect(get("up")).toBe(false);
  });

  it("counts the failures of five minutes and names the most frequent reason", () => {
    const { health, pass, get } = world();
    health.failed("v4_pool", "timeout", true);
    health.failed("v4_pool", "server_error", true);
    pass(30_000);
    health.failed("v4_pool", "server_error", true);
    expect(get("failures")).toBe(3);
    expect(get("failure_reason")).toBe("server_error");
    pass(FAILURES_MS - 30_000);
    expect(get("failures")).toBe(3);
    pass(10_000);
    expect(get("failures")).toBe(1);
    pass(30_000);
    expect(get("failures")).toBe(0);
    expect(get("failure_reason")).toBe("none");
  });

  it("names of equal reasons always the same", () => {
    const one = world();
    one.health.failed("v4_pool", "timeout", true);
    one.health.failed("v4_pool", "network", true);
    const other = world();
    other.health.failed("v4_pool", "network", true);
    other.health.failed("v4_pool", "timeout", true);
    expect(one.get("failure_reason")).toBe("network");
    expect(other.get("failure_reason")).toBe("network");
  });

  it("has the median of its last answers as latency, in seconds", () => {
    const { health, get } = world();
    for (const ms of [100, 300, 200.4]) health.answered("v4_pool", ms, null);
    expect(get("latency")).toBe(0.2);
    for (let i = 0; i < LATENCIES; i += 1) health.answered("v4_pool", 1_234, null);
    expect(get("latency")).toBe(1.234);
    health.failed("v4_pool", "timeout", true);
    expect(get("latency")).toBe(1.234);
  });

  it("knows the newest time of its records, and forgets an absurd one", () => {
    const { health, pass, get } = world();
    health.answered("v4_pool", 1, 1_700_000_000);
    health.answered("v4_pool", 1, 1_600_000_000);
    health.answered("v4_pool", 1, null);
    expect(get("newest_record_time")).toBe(1_700_000_000);
    health.answered("v4_pool", 1, 9e12);
    pass(FAILURES_MS / 2);
    health.answered("v4_pool", 1, 1_700_000_300);
    expect(get("newest_record_time")).toBe(9e12);
    pass(FAILURES_MS / 2 + 10_000);
    expect(get("newest_record_time")).toBe(1_700_000_300);
  });

  it("knows the chain that lags most, though others are up to date", () => {
    const { health, pass, get } = world();
    health.answered("v4_pool", 1, 1_700_000_000, 1);
    expect(get("lagging_chain")).toBeUndefined();
    health.answered("v4_pool", 1, 1_699_990_000, 43_114);
    health.answered("v4_pool", 1, 1_699_999_000, 137);
    health.answered("v4_pool", 1, 1_699_980_000, 137);
    expect(get("newest_record_time")).toBe(1_700_000_000);
    expect([get("lagging_chain"), get("lagging_record_time")]).toEqual([
      "Avalanche",
      1_699_990_000,
    ]);
    pass(FAILURES_MS + 10_000);
    health.answered("v4_pool", 1, 1_700_000_300, 43_114);
    health.answered("v4_pool", 1, 1_700_000_200, 137);
    expect([get("lagging_chain"), get("lagging_record_time")]).toEqual(["Polygon", 1_700_000_200]);
  });

  it("keeps little, however many requests there are", () => {
    const { health, pass, get } = world();
    for (let i = 0; i < 3_000; i += 1) {
      health.failed("v4_pool", "timeout", true);
      pass(1_000);
    }
    expect(get("failures")).toBeGreaterThanOrEqual(300);
    expect(get("failures")).toBeLessThanOrEqual(310);
  });

  it("is the one record of an ask", () => {
    const { health } = world();
    const ask = { key: "endpoint:v4_pool", record: "endpoint", chainId: 0, id: "v4_pool" } as const;
    expect(health.answer(ask)).toEqual({ status: "ok", records: [health.recordOf("v4_pool")] });
  });
});

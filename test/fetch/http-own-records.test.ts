import { afterEach, describe, expect, it } from "vitest";
import type { Answer, Ask } from "../../src/model/index.ts";
import { POOL_ID, poolRecord } from "../kinds/records.ts";
import { ask, closeAll, open, sourceAt } from "./families.ts";

afterEach(closeAll);

const POOL: Ask = { key: "pool", record: "v4_pool", chainId: 1, id: POOL_ID };
const healthOf = (endpoint: string): Ask => ({
  key: `endpoint:${endpoint}`,
  record: "endpoint",
  chainId: 0,
  id: endpoint,
});
const recordOf = (answer: Answer | undefined) =>
  answer?.status === "ok" ? answer.records[0] : undefined;

describe("what the source knows of its endpoints", () => {
  it("is told without a request, with and after those that there are", async () => {
    let asked = 0;
    const server = await open((_, response) => {
      asked += 1;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify([poolRecord()]));
    });
    let now = 0;
    const source = sourceAt(server.url, null, { now: () => (now += 5) });
    expect(source.serves("endpoint")).toBe(true);
    const [pool, before] = await ask(source, [POOL, healthOf("v4_pool")]);
    expect(pool).toMatchObject({ status: "ok" });
    expect(recordOf(before)).toMatchObject({ up: true, failures: 0, latency: null });
    const requests = source.plan([healthOf("v4_pool"), healthOf("gas_hourly")]);
    expect(requests).toHaveLength(1);
    const [after, other] = await ask(source, [healthOf("v4_pool"), healthOf("gas_hourly")]);
    expect(recordOf(after)).toMatchObject({
      endpoint: "v4_pool",
      up: true,
      failures: 0,
      failure_reason: "none",
      newest_record_time: 1_764_201_600,
    });
    expect(recordOf(after)?.latency).toBeGreaterThan(0);
    expect(recordOf(other)).toMatchObject({ endpoint: "gas_hourly", latency: null });
    expect(asked).toBe(1);
  });

  it("is that it is down, and why, until it answers again", async () => {
    let good = false;
    const server = await open((_, response) => {
      response.statusCode = good ? 200 : 503;
      response.end(good ? JSON.stringify([poolRecord()]) : "busy");
    });
    const source = sourceAt(server.url, null);
    await ask(source, [POOL]);
    const [down] = await ask(source, [healthOf("v4_pool")]);
    // Three attempts are one request that failed.
    expect(recordOf(down)).toMatchObject({
      up: false,
      failures: 1,
      failure_reason: "server_error",
    });
    good = true;
    await ask(source, [POOL]);
    const [up] = await ask(source, [healthOf("v4_pool")]);
    expect(recordOf(up)).toMatchObject({ up: true, failures: 1 });
  });

  it("counts answers that say nothing as failures", async () => {
    const server = await open((_, response) => {
      response.end(JSON.stringify({ data: [] }));
    });
    const source = sourceAt(server.url, null);
    await ask(source, [POOL]);
    const [health] = await ask(source, [healthOf("v4_pool")]);
    expect(recordOf(health)).toMatchObject({
      up: false,
      failures: 1,
      failure_reason: "malformed",
      latency: null,
    });
  });

  it("is there whatever addresses are configured", () => {
    expect(sourceAt(null, "http://127.0.0.1:1").serves("endpoint")).toBe(true);
    expect(sourceAt("http://127.0.0.1:1", null).serves("endpoint")).toBe(true);
  });
});

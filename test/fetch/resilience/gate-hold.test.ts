import { afterEach, describe, expect, it } from "vitest";
import { RetryAfters } from "../../../src/fetch/resilience/gate.ts";
import { json } from "../fault-server.ts";
import { gas, pools, records, serve } from "../pools.ts";

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe("Retry-After", () => {
  it.each([429, 503])("of %i holds for the whole endpoint and no other", async (status) => {
    const served = await serve(
      (request, response) => {
        if (request.url?.includes("/gas/")) json(response, [{ hour: "x" }]);
        else json(response.setHeader("retry-after", "600"), { error: "slow" }, status);
      },
      { concurrency: 1 },
    );
    closing.push(served.close);
    const pooled = (): number =>
      served.server.requests.filter(({ path }) => path.includes("dexv4")).length;
    const asks = [...pools(100), gas(1)];
    for (let i = 0; i < 10; i++) {
      const seen = await served.round(asks);
      expect(seen.at(-1)).toBe("ok");
      expect(seen[99]).toMatch(/^\w+: left alone after: answered \d+: slow$/);
      served.advance(59_999);
    }
    expect(pooled()).toBe(1);
    served.advance(10);
    await served.round(asks);
    expect(pooled()).toBe(2);
  });

  it("that is short is waited for by all", async () => {
    const times: number[] = [];
    const served = await serve(
      (request, response, attempt) => {
        times.push(performance.now());
        if (attempt === 1) json(response.setHeader("retry-after", "1"), {}, 429);
        else json(response, records(request));
      },
      { concurrency: 1, now: () => performance.now() },
    );
    closing.push(served.close);
    expect(await served.round(pools(60))).toEqual(Array.from({ length: 60 }, (_, n) => n));
    expect(times).toHaveLength(4);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(990);
  });

  it("holds for an hour at most, for the longest that was asked for", () => {
    const holds = new RetryAfters();
    const failure = { reason: "rate_limited", detail: "answered 429" } as const;
    holds.hold("supply", failure, 10 ** 12, 0);
    holds.hold("supply", failure, 5, 0);
    expect(holds.find("supply", 3_599_999)).toEqual({
      failure: { reason: "rate_limited", detail: "left alone after: answered 429" },
      ms: 1,
    });
    expect(holds.find("balance", 0)).toBeNull();
    expect(holds.find("supply", 3_600_000)).toBeNull();
    holds.hold("supply", failure, 0, 0);
    expect(holds.find("supply", 0)).toBeNull();
  });
});

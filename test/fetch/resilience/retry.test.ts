import { describe, expect, it } from "vitest";
import { parseRetryAfter } from "../../../src/base/waiting.ts";
import { retryDelay } from "../../../src/fetch/resilience/retry.ts";
import type { Failure } from "../../../src/model/index.ts";

const NOW = Date.UTC(2026, 10, 27, 14, 0, 0);

function failure(reason: Failure["reason"]): Failure {
  return { reason, detail: "" };
}

function delay(status: number | null, reason: Failure["reason"], retryAfter?: string, tries = 1) {
  const retryAfterMs = parseRetryAfter(retryAfter, NOW);
  return retryDelay({ failure: failure(reason), status, retryAfterMs }, tries, 250, 10_000);
}

describe("retrying", () => {
  it.each([429, 502, 503, 504])("tries again after %i", (status) => {
    expect(delay(status, "server_error")).toBeGreaterThan(0);
  });

  it.each([200, 301, 400, 401, 403, 404, 500, 501])("does not try again after %i", (status) => {
    expect(delay(status, "server_error")).toBeNull();
  });

  it("tries again after network errors and timeouts, and after nothing else", () => {
    expect(delay(null, "network")).not.toBeNull();
    expect(delay(null, "timeout")).not.toBeNull();
    for (const reason of ["too_large", "malformed", "out_of_time"] as const) {
      expect(delay(null, reason)).toBeNull();
    }
  });

  it("makes three attempts at most", () => {
    expect(delay(503, "server_error", undefined, 2)).not.toBeNull();
    expect(delay(503, "server_error", undefined, 3)).toBeNull();
  });

  it("doubles its waits and spreads them", () => {
    const waits = Array.from({ length: 200 }, () => delay(503, "server_error") ?? 0);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(125);
    expect(Math.max(...waits)).toBeLessThanOrEqual(250);
    expect(new Set(waits).size).toBeGreaterThan(100);
    const second = delay(503, "server_error", undefined, 2) ?? 0;
    expect(second).toBeGreaterThanOrEqual(250);
    expect(second).toBeLessThanOrEqual(500);
  });

  it("waits as long as the service says, but not for ever", () => {
    expect(delay(429, "rate_limited", "3")).toBe(3_000);
    expect(delay(429, "rate_limited", "Fri, 27 Nov 2026 14:00:05 GMT")).toBe(5_000);
    expect(delay(429, "rate_limited", "11")).toBeNull();
    expect(delay(429, "rate_limited", "1".repeat(400))).toBeNull();
    expect(delay(429, "rate_limited", "Fri, 27 Nov 2026 15:00:00 GMT")).toBeNull();
    expect(delay(429, "rate_limited", "soon")).toBeLessThanOrEqual(250);
  });
});

import { describe, expect, it } from "vitest";
import { outcomeOfError, parseRetryAfter } from "../../src/channels/http.ts";

const NOW = Date.UTC(2026, 10, 27, 15);

describe("Retry-After", () => {
  it.each([
    ["0", 0],
    [" 120 ", 120_000],
    ["Fri, 27 Nov 2026 15:01:30 GMT", 90_000],
    ["Friday, 27-Nov-26 15:00:05 GMT", 5_000],
    ["Fri Nov 27 15:00:05 2026", 5_000],
    ["Fri, 27 Nov 2026 14:00:00 GMT", 0],
  ])("reads %j", (header, expected) => {
    expect(parseRetryAfter(header, NOW)).toBe(expected);
  });

  it.each([null, "", "-1", "1.5", "0x10", "2026-11-27", "tomorrow", "Fri, nonsense"])(
    "ignores %j",
    (header) => {
      expect(parseRetryAfter(header, NOW)).toBeNull();
    },
  );
});

describe("an error without an answer", () => {
  it("is told by its kind or by a known code, never by its message", () => {
    const refused = Object.assign(new Error("connect to secretword"), { code: "ECONNREFUSED" });
    expect(outcomeOfError(new TypeError("fetch failed", { cause: refused }))).toEqual({
      status: "retry",
      reason: "no answer (ECONNREFUSED)",
    });
    const strange = Object.assign(new Error("secretword"), { code: "secretword" });
    expect(outcomeOfError(strange)).toEqual({ status: "retry", reason: "no answer" });
    expect(outcomeOfError("secretword")).toEqual({ status: "retry", reason: "no answer" });
  });

  it("looks through errors that cause one another", () => {
    const circle = new Error("a");
    circle.cause = circle;
    expect(outcomeOfError(circle).status).toBe("retry");
    const late = new DOMException("too late", "TimeoutError");
    expect(outcomeOfError(new Error("wrapped", { cause: late }))).toEqual({
      status: "retry",
      reason: "no answer in time",
    });
  });
});

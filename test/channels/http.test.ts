import { describe, expect, it } from "vitest";
import { outcomeOfError } from "../../src/channels/http-channel.ts";

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
      reason: "timed out",
    });
  });
});

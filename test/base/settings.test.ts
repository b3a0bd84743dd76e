import { describe, expect, it } from "vitest";
import type { z } from "zod";
import {
  durationMs,
  flag,
  httpUrl,
  oneOf,
  plainText,
  secretText,
  wholeNumber,
} from "../../src/base/settings.ts";
import { Secret } from "../../src/base/text.ts";

function refusal(schema: z.ZodType, value: unknown): string {
  const result = schema.safeParse(value);
  if (result.success) return "accepted";
  return result.error.issues.map(({ message }) => message).join("; ");
}

describe("settings", () => {
  it("make secrets of texts and keep secrets", () => {
    expect(secretText().parse("abc").reveal()).toBe("abc");
    expect(secretText().parse(new Secret("abc")).reveal()).toBe("abc");
    for (const value of [undefined, null, "", new Secret(" "), 5, [], {}]) {
      expect(refusal(secretText(), value)).not.toBe("accepted");
    }
  });

  it("reveal what is no secret", () => {
    expect(plainText().parse(new Secret("abc"))).toBe("abc");
    expect(durationMs().parse(new Secret("5m"))).toBe(300_000);
    expect(wholeNumber(1, 9).parse(new Secret("5"))).toBe(5);
    expect(flag().parse(new Secret("true"))).toBe(true);
    expect(oneOf(["a", "b"]).parse(new Secret("a"))).toBe("a");
    expect(httpUrl().parse(new Secret("https://x.org/"))).toBe("https://x.org");
  });

  it("never repeat a value that came as a secret", () => {
    const secret = new Secret("hunter2-hunter2");
    const schemas = [durationMs(), wholeNumber(1, 9), flag(), oneOf(["a", "b"]), httpUrl()];
    for (const schema of schemas) {
      const result = schema.safeParse(secret);
      expect(result.success).toBe(false);
      expect(JSON.stringify(result.error?.issues)).not.toContain("hunter2");
    }
  });

  it("say what is wrong in plain words", () => {
    expect(refusal(durationMs(), "5")).toBe('"5" has no unit');
    expect(refusal(durationMs(1_000), "0s")).toBe('"0s" is too short');
    expect(refusal(durationMs(0, 1_000), "1d")).toBe('"1d" is too long');
    expect(refusal(wholeNumber(1, 9), "10")).toBe('"10" does not fit');
    expect(refusal(wholeNumber(1, 9), "1.5")).toBe('"1.5" does not fit');
    expect(refusal(flag(), "yes")).toBe('"yes" is text to YAML');
    expect(refusal(flag(), "constructor")).toBe('"constructor" is text to YAML');
    expect(refusal(oneOf(["a", "b"]), "c")).toBe('"c" is not known');
    expect(refusal(plainText(), undefined)).toBe("is missing");
    expect(refusal(plainText(), null)).toBe("has no value");
    expect(refusal(plainText(), ["x"])).toBe("is a list");
  });

  it("take addresses of http services only, without a slash at the end", () => {
    expect(httpUrl().parse("HTTPS://X.org/a//")).toBe("https://x.org/a");
    for (const address of [
      "x.org",
      "ftp://x.org",
      "https://",
      "https://u@x.org",
      "https://x.org?a",
    ]) {
      expect(refusal(httpUrl(), address)).not.toBe("accepted");
    }
  });
});

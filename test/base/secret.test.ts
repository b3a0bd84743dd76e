import { format, inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Secret } from "../../src/base/text.ts";

describe("a secret", () => {
  const secret = new Secret("s3cr3t-value");

  it.each<[string, () => string]>([
    ["a template", () => `${secret}`],
    ["concatenation", () => "a key: ".concat(String(secret))],
    ["join", () => [secret].join()],
    ["JSON", () => JSON.stringify({ secret, list: [secret] })],
    ["inspect", () => inspect({ secret, map: new Map([["key", secret]]) }, { depth: 9 })],
    ["inspect without custom views", () => inspect(secret, { customInspect: false })],
    ["inspect of hidden properties", () => inspect(secret, { showHidden: true, depth: 9 })],
    ["format", () => format("%s %j %o %O", secret, secret, secret, secret)],
    [
      "its own keys",
      () => JSON.stringify(Object.entries(Object.getOwnPropertyDescriptors(secret))),
    ],
    ["a spread copy", () => inspect({ ...secret })],
    ["a structured clone", () => inspect(structuredClone(secret))],
    ["an error's message", () => inspect(new Error(`cannot send ${secret}`))],
  ])("is not shown by %s", (_, show) => {
    expect(show()).not.toContain("s3cr3t");
  });

  it("says that something is there", () => {
    expect(`${secret} ${JSON.stringify(secret)} ${inspect(secret)}`).toBe(
      '[redacted] "[redacted]" [redacted]',
    );
  });

  it("is revealed where it is sent", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        expect(new Secret(value).reveal()).toBe(value);
      }),
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Secret } from "../../src/base/secret.ts";
import { malformed, statusFailure } from "../../src/source/failure.ts";
import { bodyWithoutKey, withoutKey } from "../../src/source/redact.ts";

const KEY = "twk_S3cret+Key/42&é";
const key = new Secret(KEY);

const bytes = (text: string): number[] => [...Buffer.from(text, "utf8")];
const hex = (n: number, digits: number): string => n.toString(16).padStart(digits, "0");
const units = (text: string): number[] => text.split("").map((c) => c.charCodeAt(0));

/** The ways in which a service may repeat what it was sent. */
const FORMS: [string, (text: string) => string][] = [
  ["as it is", (text) => text],
  ["in upper case", (text) => text.toUpperCase()],
  ["in lower case", (text) => text.toLowerCase()],
  ["percent-encoded", encodeURIComponent],
  ["percent-encoded in lower case", (text) => encodeURIComponent(text).toLowerCase()],
  ["percent-encoded twice", (text) => encodeURIComponent(encodeURIComponent(text))],
  [
    "percent-encoded in every letter",
    (text) =>
      bytes(text)
        .map((b) => `%${hex(b, 2)}`)
        .join(""),
  ],
  [
    "with the escapes of JSON",
    (text) =>
      units(text)
        .map((u) => `\\u${hex(u, 4)}`)
        .join(""),
  ],
  ["as JSON within JSON", (text) => JSON.stringify(JSON.stringify({ text })).slice(1, -1)],
  ["with escaped slashes", (text) => text.replaceAll("/", String.raw`\/`)],
  [
    "with the numbers of HTML",
    (text) =>
      units(text)
        .map((u) => `&#${u};`)
        .join(""),
  ],
  [
    "with the hex numbers of HTML",
    (text) =>
      units(text)
        .map((u) => `&#x${hex(u, 2)};`)
        .join(""),
  ],
  ["with the names of HTML", (text) => text.replaceAll("&", "&amp;")],
];

describe("a key that a service repeats", () => {
  it.each(FORMS)("%s is found", (_, form) => {
    const text = withoutKey(`GET /x?apikey=${form(KEY)}#end`, key);
    expect(text).toContain("[redacted]");
    expect(text).not.toMatch(/s3cret|53.?63/i);
    expect(text).toMatch(/^GET \/x\?apikey=.*#end$/);
  });

  it.each(FORMS)("%s is not in a failure, wherever it stands", (_, form) => {
    for (const at of [0, 100, 118, 4_080, 4_090, 4_100]) {
      for (const pad of ["x", " ", "\n"]) {
        const body = `${pad.repeat(at)}${form(KEY)} ${form(KEY)}${pad.repeat(9_000)}`;
        for (const { detail } of [statusFailure(404, body, key), malformed("no", body, key)]) {
          expect(detail).not.toMatch(/s3c|53.?63.?72|x53|#83/i);
        }
      }
    }
  });

  it("of any kind is found in any mixture of forms", () => {
    const one = fc.constantFrom(...FORMS.slice(3, 8).map(([, form]) => form));
    const secrets = fc.string({ minLength: 8, maxLength: 40, unit: "grapheme-ascii" });
    fc.assert(
      fc.property(secrets, fc.array(one, { minLength: 40, maxLength: 40 }), (text, forms) => {
        const mixed = Array.from(text, (letter, i) => forms[i]?.(letter) ?? letter);
        // JSON within JSON would put braces between the letters.
        expect(withoutKey(`<${mixed.join("")}>`, new Secret(text))).toContain("[redacted]");
      }),
      { numRuns: 50 },
    );
  });

  it("is taken out of good answers, and the rest stays as it is", () => {
    const body = JSON.stringify({ logo_url: `https://x/?apikey=${encodeURIComponent(KEY)}`, n: 7 });
    expect(JSON.parse(bodyWithoutKey(body, key))).toEqual({
      logo_url: "https://x/?apikey=[redacted]",
      n: 7,
    });
  });

  it("is let be in good answers where it could be a part of their numbers", () => {
    for (const text of ["12345678", "deadbeef", "key", ""]) {
      const body = '{"balance":"9123456789","id":"0xdeadbeef","key":1}';
      expect(bodyWithoutKey(body, new Secret(text))).toBe(body);
    }
  });

  it("takes no long time to be looked for", () => {
    const body = `${"\\".repeat(300_000)}${"%25".repeat(100_000)}${"t".repeat(300_000)}`;
    const before = performance.now();
    expect(bodyWithoutKey(body, key)).toBe(body);
    expect(performance.now() - before).toBeLessThan(1_500);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutKey } from "../../src/base/redact.ts";
import { Secret } from "../../src/base/text.ts";
import { malformed, statusFailure } from "../../src/fetch/failure.ts";
import { cpuMsSince } from "../support/cpu.ts";
import { propertyRuns } from "../support/tier.ts";

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
      { numRuns: propertyRuns(50) },
    );
  });

  it("takes no long time to be looked for", () => {
    const body = `${"\\".repeat(100_000)}${"%25".repeat(30_000)}${"t".repeat(100_000)}`;
    const before = process.cpuUsage();
    expect(withoutKey(body, key)).toBe(body);
    expect(cpuMsSince(before)).toBeLessThan(5_000);
  });
});

describe("what is left of a key that a service repeats", () => {
  const LONG = "tw_live_9fKq2LmXz7RtBvW4pYc8NdHs";
  const long = new Secret(LONG);
  const swapped = (text: string): string =>
    text.replaceAll(/[a-z]/gi, (c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase()));
  const base64 = (text: string): string => Buffer.from(text).toString("base64");

  const base32 = (text: string): string =>
    [...Buffer.from(text)]
      .map((byte) => byte.toString(2).padStart(8, "0"))
      .join("")
      .match(/.{5}/g)
      ?.map((bits) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[Number.parseInt(bits, 2)])
      .join("") ?? "";

  it.each<[string, string]>([
    ["all of it", LONG],
    ["its first half", LONG.slice(0, 16)],
    ["its second half", LONG.slice(16)],
    ["a part in the middle", LONG.slice(10, 22)],
    ["all but the last", LONG.slice(0, -1)],
    ["all but the first", LONG.slice(1)],
    ["without its prefix", LONG.slice(8)],
    ["a cut with an ellipsis", `${LONG.slice(0, 12)}…`],
    ["in swapped case", swapped(LONG)],
    ["in pieces", LONG.match(/.{1,4}/g)?.join("-") ?? ""],
    ["with gaps", LONG.match(/.{1,4}/g)?.join(" ") ?? ""],
    ["backwards", [...LONG].toReversed().join("")],
    ["in base64", base64(LONG)],
    ["in base64 of a login", base64(`user:${LONG}`)],
    ["in base64url", Buffer.from(`?>${LONG}`).toString("base64url")],
    ["in base64, cut at both ends", base64(`x${LONG}`).slice(3, 27)],
    ["in base64, percent-encoded", encodeURIComponent(base64(LONG))],
    ["in hexadecimal digits", Buffer.from(LONG).toString("hex")],
    [
      "in upper hexadecimal digits, cut",
      Buffer.from(LONG).toString("hex").toUpperCase().slice(1, 40),
    ],
    ["in base64 twice", base64(base64(LONG))],
    ["in base32", base32(LONG)],
    ["in base32 of a login, cut", base32(`user:${LONG}`).slice(3)],
    ["as a list of its bytes", JSON.stringify([...Buffer.from(LONG)])],
    ["as a list over lines", JSON.stringify([...Buffer.from(LONG)], null, 1)],
    ["as a dump", Buffer.from(LONG).toString("hex").match(/../g)?.join(" ") ?? ""],
    [
      "as bytes of a program",
      Array.from(Buffer.from(LONG), (b) => `0x${b.toString(16)}`).join(", "),
    ],
    ["half percent-encoded", encodeURIComponent(LONG.slice(4, 14)).replaceAll("K", "%4B")],
    ["with escapes of JSON, cut", JSON.stringify(JSON.stringify(LONG.slice(0, 14)))],
    [
      "with numbers of HTML, cut",
      Array.from(LONG.slice(4, 16), (c) => `&#${c.codePointAt(0)};`).join(""),
    ],
  ])("is taken out of an error: %s", (_, form) => {
    for (const body of [
      `bad key ${form} given`,
      JSON.stringify({ error: { message: form } }),
      form,
    ]) {
      const { detail } = statusFailure(400, body, long);
      expect(detail).toContain("[redacted]");
      expect(detail).not.toContain(form.slice(0, 8));
      const held = detail.replaceAll("[redacted]", "").toLowerCase();
      for (let at = 8; at + 6 <= LONG.length; at += 1) {
        expect(held).not.toContain(LONG.slice(at, at + 6).toLowerCase());
      }
    }
  });

  it.each([
    "keys begin with tw_live_",
    "the parameter chain_id is required",
    "0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27 is not known",
    "try again in 30 seconds, request 01HF7YAT4Z3K9W8XJ6M5N2P1QR",
  ])("hides nothing else: %s", (text) => {
    expect(withoutKey(text, long)).toBe(text);
  });

  it("hides no ordinary words where the key is a short one", () => {
    for (const [text, expected] of [
      ["demonstration of the demo", "demonstration of the [redacted]"],
      ["apikey=demo&x=1", "apikey=[redacted]&x=1"],
    ] as const) {
      expect(withoutKey(text, new Secret("demo"))).toBe(expected);
      expect(withoutKey(text, new Secret("e"))).toBe(text);
      expect(withoutKey(text, new Secret(""))).toBe(text);
    }
  });

  it("of hexadecimal digits only is not seen in every hash", () => {
    const hash = "0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27";
    const hexadecimal = new Secret("9ba93d4a00000000ffffffff11111111");
    expect(withoutKey(hash, hexadecimal)).toBe(hash);
    expect(withoutKey("9ba93d4a00000000ffffff", hexadecimal)).toBe("[redacted]");
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, readJson, TooComplex } from "../../src/fetch/json.ts";
import { propertyRuns } from "../support/tier.ts";

function read(text: string): Promise<unknown> {
  return readJson(Buffer.from(text));
}

/** An hour of gas as the service writes it, with room for others in between. */
function hours(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, i) => ({
    hour: new Date(i * 3_600_000).toISOString(),
    block_count: i,
    avg_base_fee: `${i}000000000`,
    text: 'a "quoted", [bracketed] {text} \\ with ü, 𝄞 and \u2028',
    inner: { list: [1, [2], {}], empty: [] },
  }));
}

describe("reading a large answer", () => {
  it.each([
    ["a list", hours(3_000)],
    ["a list in an object", { pool_id: "0x1", swaps: hours(3_000), after: [1, 2] }],
    ["two lists in an object", { short: [1, 2, 3], data: hours(2_000), name: "x" }],
    ["a list of short things", Array.from({ length: 5_000 }, (_, i) => 1e9 + i * 1e6)],
    ["one object", { a: "x".repeat(100_000), b: [1] }],
  ])("gives all of %s, as a plain parser does", async (_, value) => {
    for (const text of [JSON.stringify(value), ` ${JSON.stringify(value, null, 1)}\n`]) {
      expect(text.length).toBeGreaterThan(40_000);
      expect(await read(text)).toEqual(value);
      expect(await read(`\ufeff${text}`)).toEqual(value);
    }
  });

  it("loses no digit in any piece", async () => {
    const entries = Array.from(
      { length: 4_000 },
      (_, i) => `{"a":9007199254740993.${i},"b":1e-400}`,
    );
    const parsed = (await read(`[${entries.join(",")}]`)) as { a: string; b: string }[];
    expect(parsed).toHaveLength(4_000);
    expect(parsed[3_999]).toEqual({ a: "9007199254740993.3999", b: "1e-400" });
  });

  it("reads what a plain parser reads, and refuses what it refuses", async () => {
    const filler = hours(400);
    const damage = fc.constantFrom("", ",", "]", "}", "[", "{", '"', "\\", "x", "0", " ", ":");
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue({ maxDepth: 3 }),
        fc.boolean(),
        fc.nat(),
        damage,
        fc.nat(1),
        async (value, inObject, seed, put, cut) => {
          const entries = [...filler, value, ...filler];
          const whole = JSON.stringify(inObject ? { id: 1, list: entries, more: value } : entries);
          const at = seed % whole.length;
          // A letter that is cut in two is none on the wire either.
          const text = (whole.slice(0, at) + put + whole.slice(at + cut)).toWellFormed();
          let expected: unknown;
          try {
            expected = parseJson(text);
          } catch {
            await expect(read(text)).rejects.toBeInstanceOf(Error);
            return;
          }
          const got = await read(text).catch((error: unknown) => error);
          // A slip in a quote may make one entry of all that follow.
          if (!(got instanceof TooComplex))
            expect(JSON.stringify(got)).toBe(JSON.stringify(expected));
        },
      ),
      { numRuns: propertyRuns(100) },
    );
  });

  it("lets others have their turn meanwhile", async () => {
    const text = JSON.stringify(hours(4_900));
    let turns = 0;
    let done = false;
    const count = (): void => {
      turns += 1;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    await read(text);
    done = true;
    expect(turns).toBeGreaterThan(text.length / 256_000 - 1);
  });
});

describe("an answer that is more than any answer is", () => {
  const many = (count: number, of: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => of(i)).join(",");

  it.each([
    ["14 MB of [", "[".repeat(14_000_000), "is nested more than 16 deep"],
    ["lists in lists", `${"[".repeat(60_000)}${"]".repeat(60_000)}`, "is nested more than 16 deep"],
    ["objects in objects", `${'{"a":'.repeat(20_000)}1`, "is nested more than 16 deep"],
    [
      "a million keys",
      `{${many(1_000_000, (i) => `"k${i}":1`)}}`,
      "has an object of more than 1000 keys",
    ],
    [
      "the same in an entry",
      `[{${many(12_000, (i) => `"k${i}":1`)}}]`,
      "has an object of more than 1000 keys",
    ],
    ["a million entries", `[${many(1_000_000, () => "1")}]`, "has a list of more than 5000"],
    ["empty entries", `[${",".repeat(1_000_000)}]`, "has a list of more than 5000"],
    [
      "entries deep inside",
      `[{"a":{"b":[${many(70_000, () => "1")}]}}]`,
      "has a list of more than 5000",
    ],
    ["a number of 15 MB", `[${"1".repeat(15_000_000)}]`, "has an entry that is too long"],
    [
      "a text of escapes",
      `["${String.raw`\u0041`.repeat(2_500_000)}"]`,
      "has an entry that is too long",
    ],
    ["a text without end", `["${"\\".repeat(15_000_000)}`, "has an entry that is too long"],
    ["15 MB of spaces", " ".repeat(15_000_000), "has an entry that is too long"],
    [
      "entries of lists of lists",
      `[${many(50, () => `[${many(900, () => "[[],[],[],[],[],[],[],[],[],[],[],[]]")}]`)}]`,
      "has an entry of too many values",
    ],
  ])("is refused: %s", async (_, text, why) => {
    const error = await read(text).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(TooComplex);
    expect(error).toHaveProperty("message", why);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wholeOf } from "../../src/base/decimal.ts";

describe("whole numbers in text", () => {
  it("reads all below 2^53", () => {
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (whole) => {
        expect(wholeOf(String(whole))).toBe(whole);
      }),
    );
    expect(wholeOf("9007199254740991")).toBe(Number.MAX_SAFE_INTEGER);
    expect(wholeOf("9007199254740992")).toBeNull();
    expect(wholeOf("9".repeat(400))).toBeNull();
    expect(wholeOf("0000000000000000000042")).toBe(42);
  });

  it.each(["", " 1", "1 ", "-1", "+1", "1.0", "1e3", "0x1", "1_000", "٣", "9007199254740993"])(
    "takes %j for none",
    (text) => {
      expect(wholeOf(text)).toBeNull();
    },
  );
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lengthOf, parseSeries, type Step, stepAt } from "../../src/replay/notation.ts";

/** Every step of a series, as text. */
function steps(text: string): string[] {
  const parts = parseSeries(text);
  return Array.from({ length: lengthOf(parts) }, (_, i) => word(stepAt(parts, i)));
}

function word(step: Step): string {
  return step.kind === "value" ? step.text : step.kind;
}

describe("a series", () => {
  it.each([
    ["1 2 3", ["1", "2", "3"]],
    ["5x3", ["5", "5", "5"]],
    ["100+10x5", ["100", "110", "120", "130", "140"]],
    ["0.3-0.1x5", ["0.3", "0.2", "0.1", "0", "-0.1"]],
    ["-2+1x3", ["-2", "-1", "0"]],
    ["1_000_000 1_000+500x2", ["1000000", "1000", "1500"]],
    ["_ absent fail", ["null", "absent", "failed"]],
    ["_x2 absentx1 failx2", ["null", "null", "absent", "failed", "failed"]],
    ["true falsex2", ["true", "false", "false"]],
    ["0x3", ["0", "0", "0"]],
    [`0x${"1".repeat(40)}`, [`0x${"1".repeat(40)}`]],
    [`0x${"ab".repeat(20)}x2`, [`0x${"ab".repeat(20)}`, `0x${"ab".repeat(20)}`]],
    ["5gweix2", ["5gwei", "5gwei"]],
  ])("reads %s", (text, expected) => {
    expect(steps(text)).toEqual(expected);
  });

  it("goes on with its last step", () => {
    const parts = parseSeries("1 5+1x2 fail");
    expect(word(stepAt(parts, 3))).toBe("failed");
    expect(word(stepAt(parts, 1_000))).toBe("failed");
    expect(word(stepAt(parseSeries("5+1x2"), 9))).toBe("6");
  });

  it.each([
    ["", "has no steps"],
    ["5x0", "is no step at all"],
    ["1x400000 1x400000", "more than 600000 steps"],
    ["1.2.3+1x2", "is no ramp"],
  ])("refuses %j", (text, message) => {
    expect(() => parseSeries(text)).toThrow(message);
  });

  it("is exact with numbers of any size", () => {
    const most = 2n ** 256n - 1n;
    expect(steps(`${most - 2n}+1x3`)).toEqual([most - 2n, most - 1n, most].map(String));
  });

  it("has the steps that its parts have one after the other", () => {
    const part = fc.record({
      from: fc.integer({ min: -1_000, max: 1_000 }),
      by: fc.option(fc.integer({ min: -9, max: 9 }), { nil: null }),
      count: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const text = parts
          .map(({ from, by, count }) =>
            by === null
              ? `${from}x${count}`
              : `${from}${by < 0 ? "-" : "+"}${Math.abs(by)}x${count}`,
          )
          .join(" ");
        const expected = parts.flatMap(({ from, by, count }) =>
          Array.from({ length: count }, (_, i) => String(from + (by ?? 0) * i)),
        );
        expect(steps(text)).toEqual(expected);
      }),
    );
  });
});

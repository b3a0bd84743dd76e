import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Chart, ChartData, drawChart } from "../../src/base/chart.ts";
import { Decimal, decimalFromInteger } from "../../src/base/decimal.ts";
import { DAY, HOUR, MINUTE } from "../../src/base/duration.ts";
import { propertyRuns } from "../support/tier.ts";

const FROM = Date.UTC(2026, 10, 28, 3);
const TO = FROM + 6 * HOUR;

function chartOf(data: ChartData, more: Partial<Chart> = {}): readonly string[] {
  const write = (value: Decimal): string => value.toString();
  return drawChart({ data, limits: [], spans: [], write, columns: 60, colours: false, ...more });
}

/** 1 for three hours, then 9 for two, then nothing. */
function step(): ChartData {
  const data = new ChartData(FROM, TO);
  data.add(FROM, FROM + 3 * HOUR, decimalFromInteger(1));
  data.add(FROM + 3 * HOUR, FROM + 5 * HOUR, decimalFromInteger(9));
  return data;
}

const limit = { value: decimalFromInteger(5), text: "limit 5" };
const firing = {
  name: "firing",
  mark: "█",
  spans: [{ from: FROM + 3 * HOUR, to: FROM + 5 * HOUR }],
} as const;

describe("a chart", () => {
  it("draws the value, its limit, when it fired, and the time", () => {
    expect(chartOf(step(), { limits: [limit], spans: [firing], rows: 5 })).toEqual([
      "     9 ┤                          ⡏⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠁",
      "       │                          ⡇",
      "     5 ┤╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌⡇╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌",
      "       │                          ⡇",
      "     1 ┤⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⡇",
      "firing │                          ██████████████████",
      "       └────────┬─────────────────┬────────────────┬────────",
      "                04:00             06:00            08:00",
      "        ╌ limit 5",
    ]);
  });

  it("names a limit that is far from all values, rather than draw a flat line", () => {
    const far = { value: decimalFromInteger(1_000), text: "limit 1,000" };
    const lines = chartOf(step(), { limits: [far] });
    expect(lines.at(-1)?.trim()).toBe("limit 1,000 is above the chart");
    expect(lines.join("\n")).not.toContain("╌");
    const low = { value: decimalFromInteger(-1_000), text: "limit -1,000" };
    expect(
      chartOf(step(), { limits: [low] })
        .at(-1)
        ?.trim(),
    ).toBe("limit -1,000 is below the chart");
  });

  it("shows where a value that never changes stands to its limit", () => {
    const data = new ChartData(FROM, TO);
    data.add(FROM, TO, decimalFromInteger(1));
    const lines = chartOf(data, { limits: [limit], rows: 3 });
    expect(lines[0]).toMatch(/^5 ┤╌+$/);
    expect(lines[2]).toMatch(/^1 ┤⣀+$/);
    expect(chartOf(data, { rows: 3 })[1]).toMatch(/^1 ┤⠤+$/);
  });

  it("tells values apart that a double cannot, by their labels", () => {
    const data = new ChartData(FROM, TO);
    const wei = 10n ** 30n;
    data.add(FROM, FROM + HOUR, new Decimal(wei, 0));
    data.add(FROM + HOUR, TO, new Decimal(wei + 1n, 0));
    expect(data.lowest?.toString()).toBe(wei.toString());
    expect(data.highest?.toString()).toBe((wei + 1n).toString());
    expect(chartOf(data).join("\n")).toContain((wei + 1n).toString());
  });

  it("without any value has the time and what was so in it", () => {
    const lines = chartOf(new ChartData(FROM, TO), { spans: [firing] });
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain("█");
  });

  it("keeps a value of one moment in a year in sight", () => {
    const data = new ChartData(FROM, FROM + 365 * DAY);
    data.add(FROM, FROM + 365 * DAY, decimalFromInteger(1));
    data.add(FROM + 100 * DAY, FROM + 100 * DAY, decimalFromInteger(7));
    expect(chartOf(data)[0]).toMatch(/^7 ┤ +[⠀-⣿]$/u);
  });

  it("has colours where it may", () => {
    const lines = chartOf(step(), { limits: [limit], spans: [firing], colours: true });
    expect(lines.join("")).toContain("\u001b[31m█");
    expect(lines.join("")).toContain("\u001b[33m╌");
    const plain = lines.map((line) => stripVTControlCharacters(line));
    expect(plain).toEqual(chartOf(step(), { limits: [limit], spans: [firing] }));
  });

  it("ends after it begins", () => {
    expect(() => new ChartData(FROM, FROM)).toThrow(RangeError);
  });

  it("is never wider than the terminal, nor than 200 columns, and drawn to 60 in a narrow one", () => {
    const value = fc
      .tuple(fc.bigInt(-(10n ** 24n), 10n ** 24n), fc.nat(20))
      .map(([digits, scale]) => new Decimal(digits, scale));
    const piece = fc.tuple(fc.integer({ min: -5, max: 600 }), fc.nat(90), value);
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.array(value, { maxLength: 3 }),
        fc.option(fc.integer({ min: 1, max: 400 })),
        fc.integer({ min: MINUTE, max: 900 * DAY }),
        fc.integer({ min: 1, max: 12 }),
        (pieces, limits, width, length, rows) => {
          const data = new ChartData(FROM, FROM + length);
          for (const [at, held, one] of pieces) {
            const first = FROM + (at * length) / 500;
            data.add(first, first + (held * length) / 500, one);
          }
          const lines = chartOf(data, {
            limits: limits.map((one) => ({ value: one, text: "limit" })),
            spans: [{ ...firing, spans: [{ from: FROM - DAY, to: null }] }],
            columns: width ?? undefined,
            write: (one) => one.toString().slice(0, 30),
            rows,
          });
          const widest = Math.max(...lines.map((line) => [...line].length));
          expect(widest).toBeLessThanOrEqual(Math.min(200, Math.max(60, width ?? 100)));
          expect(lines.join("")).not.toMatch(/undefined|NaN/);
          const known = data.lowest !== null;
          expect(/[\u2801-\u28ff]/u.test(lines.join(""))).toBe(known);
        },
      ),
      { numRuns: propertyRuns(400) },
    );
  });
});

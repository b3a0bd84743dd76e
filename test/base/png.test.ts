import { crc32, inflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Bitmap } from "../../src/base/png.ts";
import { propertyRuns } from "../support/tier.ts";

/** The pixels of a PNG as `#rrggbb` or null, by what the format says and nothing else. */
function pixelsOf(file: Buffer): (string | null)[][] {
  expect([...file.subarray(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10]);
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    const type = file.toString("latin1", at + 4, at + 8);
    expect(file.readUInt32BE(at + 8 + length)).toBe(crc32(file.subarray(at + 4, at + 8 + length)));
    chunks.set(type, file.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const [header, palette, alphas, data] = ["IHDR", "PLTE", "tRNS", "IDAT"].map(
    (type) => chunks.get(type) ?? Buffer.alloc(0),
  ) as [Buffer, Buffer, Buffer, Buffer];
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  expect([...header.subarray(8)]).toEqual([8, 3, 0, 0, 0]);
  const raw = inflateSync(data);
  expect(raw).toHaveLength(height * (width + 1));
  return Array.from({ length: height }, (_, y) => {
    expect(raw[y * (width + 1)]).toBe(0);
    return Array.from({ length: width }, (__, x) => {
      const index = raw[y * (width + 1) + 1 + x] ?? 0;
      if (alphas[index] === 0) return null;
      return `#${palette.toString("hex", index * 3, index * 3 + 3)}`;
    });
  });
}

describe("a bitmap", () => {
  it("is a PNG with what was drawn, the later over the earlier", () => {
    const bitmap = new Bitmap(4, 3);
    bitmap.rectangle(0, 0, 3, 2, "#ff0000");
    bitmap.rectangle(1, 1, 1, 5, "#00ff00");
    bitmap.rectangle(2, 0, 1, 1, null);
    const [red, green] = ["#ff0000", "#00ff00"];
    expect(pixelsOf(bitmap.png())).toEqual([
      [red, red, null, null],
      [red, green, red, null],
      [null, green, null, null],
    ]);
  });

  it("leaves out what lies outside", () => {
    const place = fc.integer({ min: -50, max: 50 });
    fc.assert(
      fc.property(
        place,
        place,
        place,
        place,
        fc.integer({ min: 1, max: 9 }),
        (a, b, c, d, thick) => {
          const bitmap = new Bitmap(7, 5);
          bitmap.rectangle(a, b, c, d, "#112233");
          bitmap.line(a, b, c, d, thick, "#445566");
          const rows = pixelsOf(bitmap.png());
          expect(rows).toHaveLength(5);
          expect(rows.every((row) => row.length === 7)).toBe(true);
        },
      ),
      { numRuns: propertyRuns(100) },
    );
  });
});

import { crc32, deflateSync } from "node:zlib";

/** `#rrggbb`, or null for what is seen through. */
export type Colour = string | null;

/**
 * A picture of up to 256 colours, drawn by rectangles and lines. Positions are pixels from the upper left
 * corner; what lies outside is left out.
 */
export class Bitmap {
  readonly width: number;
  readonly height: number;
  readonly #pixels: Uint8Array;
  readonly #colours: Colour[] = [null];

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.#pixels = new Uint8Array(width * height);
  }

  /** Throws RangeError for one colour too many. */
  rectangle(left: number, top: number, width: number, height: number, colour: Colour): void {
    const index = this.#indexOf(colour);
    const [x0, x1] = [
      Math.max(0, Math.round(left)),
      Math.min(this.width, Math.round(left + width)),
    ];
    const y1 = Math.min(this.height, Math.round(top + height));
    for (let y = Math.max(0, Math.round(top)); y < y1; y += 1) {
      if (x0 < x1) this.#pixels.fill(index, y * this.width + x0, y * this.width + x1);
    }
  }

  disc(x: number, y: number, radius: number, colour: Colour): void {
    for (let row = -radius; row <= radius; row += 1) {
      const half = Math.sqrt(radius * radius - row * row);
      this.rectangle(x - half, y + row, 2 * half, 1, colour);
    }
  }

  /** From one point to another, `thick` pixels wide, with round ends. */
  line(x0: number, y0: number, x1: number, y1: number, thick: number, colour: Colour): void {
    const steps = Math.max(1, Math.ceil(Math.hypot(x1 - x0, y1 - y0)));
    for (let i = 0; i <= steps; i += 1) {
      this.disc(x0 + ((x1 - x0) * i) / steps, y0 + ((y1 - y0) * i) / steps, thick / 2, colour);
    }
  }

  /** As a PNG file. Source: w3.org/TR/png-3, sections 5 (chunks), 9.2 (filter 0) and 11.2. */
  png(): Buffer {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(this.width, 0);
    header.writeUInt32BE(this.height, 4);
    // Eight bits a pixel, which are places in the palette.
    header.set([8, 3, 0, 0, 0], 8);
    const rows = Buffer.alloc(this.height * (this.width + 1));
    for (let y = 0; y < this.height; y += 1) {
      const row = this.#pixels.subarray(y * this.width, (y + 1) * this.width);
      rows.set(row, y * (this.width + 1) + 1);
    }
    const palette = this.#colours.flatMap((colour) => [
      ...Buffer.from((colour ?? "#000000").slice(1), "hex"),
    ]);
    const alphas = this.#colours.map((colour) => (colour === null ? 0 : 255));
    return Buffer.concat([
      SIGNATURE,
      chunk("IHDR", header),
      chunk("PLTE", Buffer.from(palette)),
      chunk("tRNS", Buffer.from(alphas)),
      chunk("IDAT", deflateSync(rows, { level: 9 })),
      chunk("IEND", Buffer.alloc(0)),
    ]);
  }

  #indexOf(colour: Colour): number {
    const known = this.#colours.indexOf(colour);
    if (known >= 0) return known;
    if (this.#colours.length === 256) throw new RangeError("a picture has 256 colours at most");
    return this.#colours.push(colour) - 1;
  }
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

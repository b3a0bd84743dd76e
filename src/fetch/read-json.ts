import { setImmediate as breathe } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { ExchangeError, type HttpAnswer } from "./dispatch.ts";
import { parseJson } from "./json.ts";
import { type Cut, Outline } from "./outline.ts";

/** A body up to this size is read at once: in the worst case that takes ten milliseconds. */
const AT_ONCE = 100_000;
/** So many bytes are looked at without a pause. */
const STRIDE = 256_000;
/** So long, in milliseconds, parsing goes on without a pause. */
const LONGEST_MS = 5;
const BYTE_ORDER_MARK = Buffer.from("\ufeff");
/** Stands for the long list while the rest of an answer is parsed; no service can know it. */
const PLACE = `list:${crypto.randomUUID()}`;

export { TooComplex } from "./outline.ts";

/**
 * Parses the body of an answer without ever holding the event loop for long: what is large is looked
 * over first, refused if it is nested or has more than any answer has, and parsed in pieces. Rejects
 * with SyntaxError, RangeError, or TooComplex.
 */
export async function readJson(body: Buffer): Promise<unknown> {
  const bytes = withoutMark(body);
  if (bytes.length <= AT_ONCE) return parseJson(bytes.toString("utf8"), bytes);
  const outline = new Outline();
  for (let at = 0; at < bytes.length; at += STRIDE) {
    outline.read(bytes, at, Math.min(at + STRIDE, bytes.length));
    await breathe();
  }
  const cut = outline.end(bytes.length);
  if (cut === null) return parsePiece(bytes);
  return await parseCut(bytes, cut);
}

/** The byte order mark is what JSON.parse would stumble over. */
function withoutMark(body: Buffer): Buffer {
  const marked = body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return marked ? body.subarray(BYTE_ORDER_MARK.length) : body;
}

function parsePiece(bytes: Buffer): unknown {
  return parseJson(bytes.toString("utf8"), bytes);
}

/** The long list, some entries at a time, and around it the rest. */
async function parseCut(bytes: Buffer, { open, close, commas }: Cut): Promise<unknown> {
  if (bytes[close] !== CLOSE[0]) throw new SyntaxError("a list does not end as one");
  const list: unknown[] = [];
  let since = performance.now();
  let from = open + 1;
  for (const to of [...commas, close]) {
    if (performance.now() - since > LONGEST_MS) {
      await breathe();
      since = performance.now();
    }
    const piece = parsePiece(Buffer.concat([OPEN, bytes.subarray(from, to), CLOSE]));
    if (!Array.isArray(piece)) throw new SyntaxError("a piece of a list is no list");
    // A comma without an entry is a fault between pieces as well.
    if (piece.length === 0) throw new SyntaxError("an entry of a list is missing");
    for (const entry of piece) list.push(entry);
    from = to + 1;
  }
  const rest = Buffer.concat([
    bytes.subarray(0, open),
    Buffer.from(JSON.stringify(PLACE)),
    bytes.subarray(close + 1),
  ]);
  return withList(parsePiece(rest), list);
}

const OPEN = Buffer.from("[");
const CLOSE = Buffer.from("]");

function withList(rest: unknown, list: readonly unknown[]): unknown {
  if (rest === PLACE) return list;
  if (typeof rest !== "object" || rest === null || Array.isArray(rest)) return rest;
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, value === PLACE ? list : value]),
  );
}

type Decompress = (body: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>;

const DECOMPRESS: Readonly<Record<string, Decompress>> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/**
 * The body, decompressed to at most `maxBytes`: we ask for no compression, but a server or a proxy
 * may compress all the same. Rejects with ExchangeError.
 */
export async function bodyBytes(answer: HttpAnswer, maxBytes: number): Promise<Buffer> {
  const coding = answer.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (coding === "identity" || coding === "") return answer.body;
  const decompress = DECOMPRESS[coding];
  if (decompress === undefined) {
    throw new ExchangeError("malformed", "the answer has an unknown compression");
  }
  try {
    return await decompress(answer.body, { maxOutputLength: maxBytes });
  } catch (cause) {
    if (cause instanceof RangeError) {
      const megabytes = Math.floor(maxBytes / 1_000_000);
      throw new ExchangeError("too_large", `the answer unpacks to over ${megabytes} MB`, { cause });
    }
    throw new ExchangeError("malformed", "the answer cannot be decompressed", { cause });
  }
}

/** A longer beginning of an answer tells nobody more of what is wrong with it. */
const START_BYTES = 65_536;

/** The beginning of a body for people, without the byte order mark. */
export function startOf(body: Buffer): string {
  const text = body.toString("utf8", 0, START_BYTES);
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

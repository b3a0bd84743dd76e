import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { ExchangeError, type HttpAnswer } from "./dispatch.ts";

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

/** How it begins, for people, without the byte order mark. */
export function startOf(body: Buffer): string {
  const text = body.toString("utf8", 0, START_BYTES);
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

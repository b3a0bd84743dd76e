import { open } from "node:fs/promises";
import type { Problem } from "./problem.ts";
import { type Mask, TextFile } from "./text-file.ts";

/** Reads a file; may stop after `limit` bytes and one. Rejects with an error that has a `code`. */
export type ReadFile = (path: string, limit: number) => Promise<Uint8Array>;

export const LARGEST_FILE = 16 * 1024 * 1024;
const LARGEST_SECRET = 64 * 1024;

export const readFromDisk: ReadFile = async (path, limit) => {
  const file = await open(path, "r");
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    // A device or a pipe has no size to ask for, so it is read until it is too much.
    for await (const chunk of file.createReadStream({ autoClose: false, end: limit })) {
      if (!Buffer.isBuffer(chunk)) continue;
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) break;
    }
    return Buffer.concat(chunks);
  } finally {
    await file.close();
  }
};

/** Why a file could not be read, in a few clean words and without any of its content. */
export function readTrouble(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return TROUBLES[code] ?? `cannot be read${/^[A-Z_]+$/.test(code) ? ` (${code})` : ""}`;
}

const TROUBLES: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "may not be read by this user",
  EPERM: "may not be read by this user",
  EISDIR: "is a folder",
};

/** The bytes of a file as text, or the problem with them: too many, or not UTF-8. */
export function decode(name: string, bytes: Uint8Array, mask?: Mask): TextFile | Problem {
  const make = (text: string): TextFile => new TextFile(name, text, mask);
  if (bytes.length > LARGEST_FILE) {
    return make("").problem(0, "the file is too large", { expected: "at most 16 MB" });
  }
  try {
    return make(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    const good = validPrefix(bytes);
    const file = make(new TextDecoder().decode(bytes));
    // As a stream the decoder leaves out a character that the bad byte left unfinished.
    const before = new TextDecoder().decode(bytes.subarray(0, good), { stream: true }).length;
    return file.problem(before, "the file is not UTF-8 here", {
      expected: "a file that is saved as UTF-8",
    });
  }
}

/** How many bytes at the beginning are UTF-8, perhaps with an unfinished character at their end. */
function validPrefix(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, middle), { stream: true });
      low = middle;
    } catch {
      high = middle - 1;
    }
  }
  return low;
}

/** The content of a secret's file without the line ends at its end; rejects like `read`. */
export async function readSecretFile(path: string, read: ReadFile): Promise<string> {
  const bytes = await read(path, LARGEST_SECRET);
  if (bytes.length > LARGEST_SECRET) throw new RangeError("too large");
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/[\r\n]+$/, "");
}

import { constants, type Stats } from "node:fs";
import { open, stat, statfs } from "node:fs/promises";
import { errorCode } from "../../base/error-code.ts";
import { hiddenParts } from "./excerpt.ts";
import { type Mask, type Problem, TextFile } from "./text-file.ts";

/** Reads a file; may stop after `limit` bytes and one. Rejects with an error that has a `code`. */
export type ReadFile = (path: string, limit: number) => Promise<Uint8Array>;

export const LARGEST_FILE = 16 * 1024 * 1024;
const LARGEST_SECRET = 64 * 1024;

/** What stands at a path is nothing that could be used as a file; the message says why. */
class UnusableFileError extends Error {
  override readonly name = "UnusableFileError";
  readonly code = "UNUSABLE";
}

/** What the kernel makes up when it is read, by the type of its file system (Linux, `magic.h`). */
const MADE_UP: ReadonlySet<number> = new Set([
  0x9f_a0, 0x62_65_65_72, 0x64_62_67_20, 0x74_72_61_63, 0x63_67_72_70, 0x27_e0_eb,
]);

export const readFromDisk: ReadFile = async (path, limit) => {
  // Looked at before it is opened: opening a device may do something, and opening a pipe waits.
  refuseOther(await stat(path));
  if (MADE_UP.has((await statfs(path)).type)) {
    throw new UnusableFileError("is made up by the system, as in /proc, and no file");
  }
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    refuseOther(await file.stat());
    const chunks: Buffer[] = [];
    let size = 0;
    // It may grow while it is read.
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

/** Throws UnusableFileError for what is no regular file. */
function refuseOther(found: Stats): void {
  if (found.isFile()) return;
  if (found.isDirectory()) throw new UnusableFileError("is a folder");
  if (found.isFIFO()) throw new UnusableFileError("is a pipe and no file");
  if (found.isSocket()) throw new UnusableFileError("is a socket and no file");
  throw new UnusableFileError("is a device and no file");
}

/** Why a file could not be read, in a few clean words and without any of its content. */
export function readTrouble(error: unknown): string {
  if (error instanceof UnusableFileError) return error.message;
  const code = errorCode(error) ?? "";
  return TROUBLES[code] ?? `cannot be read${/^[A-Z_]+$/.test(code) ? ` (${code})` : ""}`;
}

const TROUBLES: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "may not be read by this user",
  EPERM: "may not be read by this user",
  ENOTDIR: "does not exist: a part of its path is not a folder",
  ELOOP: "is a link that leads back to itself",
  ENAMETOOLONG: "has too long a name",
  ERR_ENCODING_INVALID_ENCODED_DATA: "is not UTF-8",
};

/**
 * The bytes of a file as text, or the problem with them: too many, or not UTF-8. Where the file looks like
 * a configuration, or like none of ours, problems show as little of its lines as those of a configuration.
 */
export function decode(name: string, bytes: Uint8Array, mask?: Mask): TextFile | Problem {
  const make = (text: string): TextFile =>
    new TextFile(name, text, mask ?? (mayHoldSecrets(name, text) ? hiddenParts : undefined));
  if (bytes.length > LARGEST_FILE) {
    return make("").problem("too-large", 0, "the file is too large", "at most 16 MB");
  }
  try {
    return make(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    const good = validPrefix(bytes);
    const file = make(new TextDecoder().decode(bytes));
    // As a stream the decoder leaves out a character that the bad byte left unfinished.
    const before = new TextDecoder().decode(bytes.subarray(0, good), { stream: true }).length;
    return file.problem(
      "unreadable-file",
      before,
      "the file is not UTF-8 here",
      "a file that is saved as UTF-8",
    );
  }
}

/** Keys that only a configuration has, where its own begin. */
const OF_CONFIGURATION = /^(?:\{\s*)?["']?(?:service|channels)["']?\s*:|\bapi_key["']?\s*:/m;

/** Any file may be named in the place of rules, tests or a scenario. */
function mayHoldSecrets(name: string, text: string): boolean {
  return !/\.(?:ya?ml|json)$/i.test(name) || OF_CONFIGURATION.test(text);
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
  if (bytes.length > LARGEST_SECRET) throw new UnusableFileError("is too large for a secret");
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/[\r\n]+$/, "");
}

import { access, mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../../base/error-code.ts";
import { InitError } from "./asker.ts";
import type { NewFile } from "./files.ts";

/** Throws InitError if one of the files is there: nothing is overwritten. */
export async function refuseExisting(folder: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const there = await access(join(folder, path)).then(
      () => true,
      () => false,
    );
    if (there) throw existing(join(folder, path));
  }
}

/** Writes all of the files into a folder, which is made if need be, or none. Throws InitError. */
export async function writeAll(folder: string, files: readonly NewFile[]): Promise<void> {
  const written: string[] = [];
  const made: string[] = [];
  try {
    for (const { path, text } of files) {
      const file = join(folder, path);
      await makeFolder(dirname(file), made);
      // Not even a file that appeared since is overwritten.
      await writeFile(file, text, { flag: "wx" });
      written.push(file);
    }
  } catch (error) {
    for (const file of written) await rm(file, { force: true });
    // What somebody else put into a folder meanwhile stays, and the folder with it.
    for (const path of made.toReversed()) await rmdir(path).catch(() => {});
    const code = errorCode(error);
    if (code === null) throw error;
    if (code === "EEXIST") throw existing(folder);
    throw new InitError(`cannot write to ${folder} (${code}); nothing was left there`);
  }
}

/**
 * Makes a folder and those above it, and adds to `made` what was missing. Node's own `recursive` never ends
 * in places such as /proc, where the folder above exists and none can be made.
 */
async function makeFolder(path: string, made: string[]): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path), made);
    await mkdir(path);
  }
  made.push(path);
}

function existing(path: string): InitError {
  return new InitError(`${path} exists, and nothing is overwritten: choose another folder`);
}

import { access, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
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
  try {
    for (const { path, text } of files) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      // Not even a file that appeared since is overwritten.
      await writeFile(file, text, { flag: "wx" });
      written.push(file);
    }
  } catch (error) {
    for (const file of written) await rm(file, { force: true });
    const code = error instanceof Error && "code" in error ? String(error.code) : null;
    if (code === null) throw error;
    if (code === "EEXIST") throw existing(folder);
    throw new InitError(`cannot write to ${folder} (${code}); nothing was left there`);
  }
}

function existing(path: string): InitError {
  return new InitError(`${path} exists, and nothing is overwritten: choose another folder`);
}

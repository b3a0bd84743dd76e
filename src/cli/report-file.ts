import { open, rm } from "node:fs/promises";
import { errorCode } from "../base/error-code.ts";

/**
 * Writes a file that somebody asked for beside the output; `what` it is, in words, and the `option` that names it.
 * `wx`: only where there is none. Throws Error, of one that is there `EEXIST`, and then leaves no part of it.
 */
export async function writeReport(
  path: string,
  text: string,
  what: string,
  option: string,
  flag: "w" | "wx" = "w",
): Promise<void> {
  try {
    const file = await open(path, flag);
    try {
      await file.writeFile(text);
    } catch (error) {
      if ((await file.stat()).isFile()) await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  } catch (error) {
    const reason = errorCode(error) ?? "unknown";
    if (reason === "EEXIST") throw error;
    throw new Error(`the ${what} cannot be written (${reason}); see ${option}`, { cause: error });
  }
}

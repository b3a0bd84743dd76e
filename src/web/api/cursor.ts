import { listOf } from "../../base/json.ts";
import { ProblemError } from "./api.ts";

/** Where a page ended, as opaque text: numbers that only the list that made them understands. */
export function encodeCursor(place: readonly number[]): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

/** So many numbers. Throws ProblemError 400 for what no list has made. */
export function decodeCursor(text: string, length: number): readonly number[] {
  try {
    const place: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    const numbers = listOf(place).filter((one) => typeof one === "number" && Number.isFinite(one));
    if (numbers.length === length && listOf(place).length === length) return numbers.map(Number);
  } catch {
    // It is none, like every other text.
  }
  throw new ProblemError(400, "Bad cursor", "the cursor is none of this list; begin without one", [
    { at: "cursor", problem: "is not one that this list gave" },
  ]);
}

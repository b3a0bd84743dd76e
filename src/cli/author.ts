import { userInfo } from "node:os";
import { cleanText } from "../base/text.ts";

const LONGEST_AUTHOR = 100;

/** Who gives an order: as it was said, else the name of the user whose process it is. */
export function authorOf(given: string | undefined): string {
  const author = cleanText(given ?? "", LONGEST_AUTHOR);
  if (author !== "") return author;
  try {
    return cleanText(userInfo().username, LONGEST_AUTHOR) || "somebody";
  } catch {
    // A container may run as a user that has no name.
    return "somebody";
  }
}

import { cleanText } from "../base/text.ts";
import type { Deed } from "../store/operator-db/audit.ts";

/** Who does something, where it was said, and what was said with it. */
export interface Actor {
  readonly by: string;
  readonly via: Deed["via"];
  readonly comment: string | null;
}

const LONGEST_COMMENT = 500;

/** A comment as it is kept: clean, and null where nothing is said. */
export function commentOf(text: string | undefined): string | null {
  const said = cleanText(text ?? "", LONGEST_COMMENT);
  return said === "" ? null : said;
}

/** What is written down of something that was done. */
export function deedOf(
  { by, via, comment }: Actor,
  done: Pick<Deed, "action" | "about" | "count" | "at"> & Partial<Pick<Deed, "rule" | "subject">>,
): Deed {
  return { rule: null, subject: null, ...done, author: by, via, comment };
}

import type { SubjectMarks } from "../model/index.ts";

/** Under which name the store keeps, among the marks, whose edit people were not told of yet. */
export const EDITED_MARK = "edited rules";

/** The names that were written down; anything else is as if there were none. */
export function editedFromText(text: string | undefined): ReadonlySet<string> {
  if (text === undefined) return new Set();
  const names: unknown = JSON.parse(text);
  return new Set(Array.isArray(names) ? names.filter((name) => typeof name === "string") : []);
}

export function editedMark(names: ReadonlySet<string>): SubjectMarks {
  return { subject: EDITED_MARK, value: JSON.stringify([...names]) };
}

/** So many parts are a list that somebody wrote, and no text. */
const MOST = 50;

/**
 * `1, 137` or `ethereum and polygon` with the brackets that make a list of it, if each part is one by
 * itself; null if it is no such text.
 */
export function meantList(text: string, isOne: (part: string) => boolean): string | null {
  for (const apart of [/\s*[,;|]\s*/, /\s*(?:[,;|&+/]|\band\b|\s)\s*/i]) {
    const parts = text.trim().split(apart, MOST);
    if (parts.length > 1 && parts.every(isOne)) return `[${parts.join(", ")}]`;
  }
  return null;
}

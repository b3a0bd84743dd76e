import { nearest } from "./nearest.ts";

/**
 * What people write for a name: by the word in lower case, `_` for spaces and hyphens, the name or
 * those of several that fit in one place or another.
 */
export type Synonyms = Readonly<Record<string, string | readonly string[]>>;

/** What each name is also called, as synonyms: of several names that share a word the first comes first. */
export function synonymsOf(
  named: Iterable<readonly [name: string, words: { readonly aliases?: readonly string[] }]>,
): Synonyms {
  const synonyms: Record<string, string[]> = {};
  for (const [name, { aliases = [] }] of named) {
    for (const word of aliases) (synonyms[word] ??= []).push(name);
  }
  return synonyms;
}

/** The same from a table: by each name the words that people write for it, with spaces between them. */
export function synonymTable(words: Readonly<Record<string, string>>): Synonyms {
  return synonymsOf(
    Object.entries(words).map(([name, said]) => [name, { aliases: said.split(" ") }]),
  );
}

/**
 * The one of `names` that a word surely or probably stands for, of a synonym also with what follows the
 * name (`enabled: false`); null if none is near.
 */
export function suggest(
  word: string,
  names: Iterable<string>,
  synonyms: Synonyms = {},
): string | null {
  const known = [...names];
  const bare = withoutQuotes(word);
  if (bare !== null) return known.includes(bare) ? bare : suggest(bare, known, synonyms);
  const key = word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
  const said = Object.hasOwn(synonyms, key) ? [synonyms[key] ?? []].flat() : [];
  return said.find((name) => known.includes(/^\w+/.exec(name)?.[0] ?? "")) ?? nearest(word, known);
}

const CURLY = /^["'\u2018-\u201f\u2039\u203a\u00ab\u00bb\u300c\u300d\u00b4\u0060]+/;
const CURLY_END = new RegExp(`${CURLY.source.slice(1)}$`);

/** Whether a text stands in quotes that are none to YAML. */
export function isInCurlyQuotes(text: string): boolean {
  return (
    text.length > 1 && withoutQuotes(text) !== null && CURLY_END.test(text) && CURLY.test(text)
  );
}

/** A text without the quotes around it; null if it has none. */
function withoutQuotes(text: string): string | null {
  const bare = text.trim().replace(CURLY, "").replace(CURLY_END, "");
  return bare === text.trim() || bare === "" ? null : bare;
}

/** So many parts are a list that somebody wrote, and no text. */
const MOST = 50;

/**
 * `1, 137` or `ethereum and polygon` with the brackets that make a list of it, if each part is one by
 * itself; null if it is no such text.
 */
export function suggestList(text: string, isOne: (part: string) => boolean): string | null {
  for (const apart of [/\s*[,;|]\s*/, /\s*(?:[,;|&+/]|\band\b|\s)\s*/i]) {
    const parts = text.trim().split(apart, MOST);
    if (parts.length > 1 && parts.every(isOne)) return `[${parts.join(", ")}]`;
  }
  return null;
}

import { nearest } from "./nearest.ts";

/**
 * What people write for a name: by the word in lower case, `_` for spaces and hyphens, the name or
 * those of several that fit in one place or another.
 */
export type Synonyms = Readonly<Record<string, string | readonly string[]>>;

/**
 * The one of `names` that a word surely or probably stands for, of a synonym also with what follows the
 * name (`enabled: false`); null if none is near.
 */
export function meant(
  word: string,
  names: Iterable<string>,
  synonyms: Synonyms = {},
): string | null {
  const known = [...names];
  const key = word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
  const said = Object.hasOwn(synonyms, key) ? [synonyms[key] ?? []].flat() : [];
  return said.find((name) => known.includes(/^\w+/.exec(name)?.[0] ?? "")) ?? nearest(word, known);
}

import { cleanText } from "./text.ts";

/** Longer words are no slip of the keyboard. */
const LONGEST = 64;
/** Among so many names some are near every word by chance. */
const MANY = 200;
const FEWEST_AMONG_MANY = 3;

/**
 * The name that was probably meant: the one with the fewest edits (insert, delete, replace, swap of
 * neighbours) from `word`, letter case aside, or else the only one that begins with it; null if none is
 * near enough to be more than chance.
 */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const wanted = word.toLowerCase();
  if (wanted === "" || wanted.length > LONGEST) return null;
  // They are gone through twice, and the keys of a map can be gone through only once.
  const names = Array.isArray(candidates) ? asNames(candidates) : [...candidates].map(asName);
  const letters = lettersOf(wanted);
  let best: string | null = null;
  let most = Math.max(1, Math.floor(wanted.length / 3));
  if (names.length > MANY) most = Math.min(most, FEWEST_AMONG_MANY);
  for (const { name, lower, letters: theirs } of names) {
    if (Math.abs(lower.length - wanted.length) > most || lower.length > LONGEST) continue;
    // A letter that only one of them has takes an edit of its own.
    if (countBits(letters & ~theirs) > most) continue;
    const edits = distance(wanted, lower, most);
    if (edits > most) continue;
    best = name;
    most = edits - 1;
    if (most < 0) return best;
  }
  if (best !== null || wanted.length < 3) return best;
  const longer = names.filter(({ lower }) => lower.startsWith(wanted));
  return longer.length === 1 ? (longer[0]?.name ?? null) : null;
}

interface Name {
  readonly name: string;
  readonly lower: string;
  readonly letters: number;
}

/** What was made of lists of names: many words may be looked for in the same one. */
const KNOWN = new WeakMap<readonly string[], readonly Name[]>();

function asNames(names: readonly string[]): readonly Name[] {
  const known = KNOWN.get(names);
  // A list that has grown since is another.
  if (known?.length === names.length) return known;
  const made = names.map(asName);
  KNOWN.set(names, made);
  return made;
}

function asName(name: string): Name {
  const lower = name.toLowerCase();
  return { name, lower, letters: lettersOf(lower) };
}

/** Which letters a word has, as bits. */
function lettersOf(word: string): number {
  let bits = 0;
  for (let i = 0; i < word.length; i++) bits |= 1 << (word.charCodeAt(i) & 31);
  return bits;
}

function countBits(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count++;
  return count;
}

/** The rows of the table below, used again and again: most words are given up after a few letters. */
const FIRST = new Uint8Array(LONGEST + 2);
const SECOND = new Uint8Array(LONGEST + 2);
const THIRD = new Uint8Array(LONGEST + 2);

/**
 * Damerau's distance in its restricted form: no part is edited twice. Anything above `most` if it is
 * more than that: only what lies within `most` of the diagonal is looked at.
 */
function distance(a: string, b: string, most: number): number {
  const beyond = most + 1;
  let before = FIRST;
  let last = SECOND;
  let row = THIRD;
  for (let j = 0; j <= most + 1; j++) last[j] = j;
  let leastBefore = 0;
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - most);
    const to = Math.min(b.length, i + most);
    row[from - 1] = from === 1 ? Math.min(i, beyond) : beyond;
    let least = row[from - 1] ?? beyond;
    for (let j = from; j <= to; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (last[j] ?? beyond) + 1,
        (row[j - 1] ?? beyond) + 1,
        (last[j - 1] ?? beyond) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? beyond) + 1);
      }
      row[j] = Math.min(cost, beyond);
      if (cost < least) least = cost;
    }
    // The next row looks one further.
    if (to < b.length) row[to + 1] = beyond;
    // A swap reaches back over one row, and costs one more.
    if (least > most && leastBefore >= most) return beyond;
    leastBefore = least;
    [before, last, row] = [last, row, before];
  }
  return last[b.length] ?? beyond;
}

/** `did you mean lp-drop?`, where one of the names is near; else what is said otherwise. */
export function meantOr(said: string, names: readonly string[], otherwise: string): string {
  const near = nearest(said, names);
  return near === null ? otherwise : `did you mean ${cleanText(near)}?`;
}

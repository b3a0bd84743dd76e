/**
 * The name that was probably meant: the one with the fewest edits (insert, delete, replace, swap of
 * neighbours) from `word`, letter case aside, or else the only one that begins with it; null if none is
 * near enough to be more than chance.
 */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const wanted = word.toLowerCase();
  // They are gone through twice, and the keys of a map can be gone through only once.
  const names = [...candidates];
  if (wanted === "" || wanted.length > LONGEST) return null;
  let best: string | null = null;
  let fewest = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const name of names) {
    if (Math.abs(name.length - wanted.length) >= fewest || name.length > LONGEST) continue;
    const edits = distance(wanted, name.toLowerCase());
    if (edits < fewest) {
      fewest = edits;
      best = name;
    }
  }
  if (best !== null || wanted.length < 3) return best;
  const longer = names.filter((name) => name.toLowerCase().startsWith(wanted));
  return longer.length === 1 ? (longer[0] ?? null) : null;
}

/** Longer words are no slip of the keyboard, and the table below grows with the square. */
const LONGEST = 64;

/** Damerau's distance in its restricted form: no part is edited twice. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

import { type Form, type Likeness, likenessOf } from "./item.ts";

/** Entries of one content, and how many of them there are. */
export interface Entries {
  readonly hash: string;
  readonly place: number;
  readonly count: number;
  readonly form: Form | null;
  /** It has a name that no other entry has. */
  readonly unique?: boolean;
}

/** So many entries were shown before as the one and are shown now as the other. */
export interface Pair<A, B> {
  readonly old: A;
  readonly now: B;
  readonly count: number;
}

export interface Paired<A, B> {
  readonly pairs: readonly Pair<A, B>[];
  /** What is left of each side, by what it is of. */
  readonly oldLeft: ReadonlyMap<A, number>;
  readonly nowLeft: ReadonlyMap<B, number>;
}

/** So many are compared in some milliseconds; a page that is read in every round takes no more. */
const MOST_COMPARED = 20_000;
/** More fields than these do not change of an entry that cannot be told by its place. */
const MOST_CHANGED = 2;

/** Whether two entries that may be one are, as far as not all that might be it is shown on both sides. */
export interface Rules {
  readonly ofName: (likeness: Likeness, old: Entries, now: Entries) => boolean;
  readonly ofBlock: (likeness: Likeness, old: Entries, now: Entries) => boolean;
}

/**
 * Finds entries that were there before among those that are shown now, each once. What is the same in
 * all is the same entry. Of those that have one name, or of one block where a name is missing, as many
 * are the same as there were, the most alike first. An entry is itself whatever else of it changes:
 * where all of the name or of the block is shown on both sides, `rules` ask for no likeness.
 */
export function pairUp<A extends Entries, B extends Entries>(
  olds: readonly A[],
  news: readonly B[],
  rules: Rules,
): Paired<A, B> {
  const pairing = new Pairing<A, B>(olds, news);
  pairing.takeSame();
  pairing.takeBy(
    ({ form }) => form?.name ?? null,
    () => true,
    (likeness, old, now) =>
      old.unique === true || now.unique === true || rules.ofName(likeness, old, now),
  );
  if (!pairing.lacksNames) return pairing;
  pairing.takeBy(({ place }) => String(place), lacksName, rules.ofBlock);
  // Its block may be what has changed. That is looked for where it takes no time: not among thousands.
  if (pairing.size > MOST_COMPARED) return pairing;
  pairing.takeBy(
    () => "",
    lacksName,
    ({ equal, differ }) => equal > MOST_CHANGED && differ <= 1,
  );
  return pairing;
}

/** Whether so little of an entry differs that it is the same although others may be hidden. */
export function isClose({ equal, differ }: Likeness): boolean {
  return differ === 0 || (differ <= MOST_CHANGED && differ < equal);
}

/** Whether one of two entries has no name by which it could be told from the other. */
function lacksName({ form: old }: Entries, { form: now }: Entries): boolean {
  return old !== null && now !== null && (old.name === null || now.name === null);
}

class Pairing<A extends Entries, B extends Entries> implements Paired<A, B> {
  readonly pairs: Pair<A, B>[] = [];
  readonly oldLeft: Map<A, number>;
  readonly nowLeft: Map<B, number>;

  constructor(olds: readonly A[], news: readonly B[]) {
    this.oldLeft = new Map(olds.map((one) => [one, one.count]));
    this.nowLeft = new Map(news.map((one) => [one, one.count]));
  }

  /** How many comparisons it would take to hold all that is left against each other. */
  get size(): number {
    return this.oldLeft.size * this.nowLeft.size;
  }

  /** Whether anything that is left could not be told by a name. */
  get lacksNames(): boolean {
    const left = [...this.oldLeft.keys(), ...this.nowLeft.keys()];
    return left.some(({ form }) => form !== null && form.name === null);
  }

  /** What is the same in all. */
  takeSame(): void {
    const olds = groupBy([...this.oldLeft.keys()], ({ hash }) => hash);
    for (const now of this.nowLeft.keys()) {
      for (const old of olds.get(now.hash) ?? []) this.#take(old, now);
    }
  }

  /** What is left and has the same key, as far as it may be the same; the most alike first. */
  takeBy(
    keyOf: (one: Entries) => string | null,
    mayBe: (old: A, now: B) => boolean,
    isLike: (likeness: Likeness, old: A, now: B) => boolean,
  ): void {
    if (this.nowLeft.size === 0 || this.oldLeft.size === 0) return;
    const groups = groupBy([...this.oldLeft.keys()], keyOf);
    for (const [key, news] of groupBy([...this.nowLeft.keys()], keyOf)) {
      const close: { old: A; now: B; score: number }[] = [];
      for (const now of news) {
        for (const old of groups.get(key) ?? []) {
          if (old.form === null || now.form === null || !mayBe(old, now)) continue;
          const likeness = likenessOf(old.form, now.form);
          if (!isLike(likeness, old, now)) continue;
          close.push({ old, now, score: likeness.equal - likeness.differ });
        }
      }
      close.sort((a, b) => b.score - a.score);
      for (const { old, now } of close) this.#take(old, now);
    }
  }

  #take(old: A, now: B): void {
    const [before, shown] = [this.oldLeft.get(old) ?? 0, this.nowLeft.get(now) ?? 0];
    const count = Math.min(before, shown);
    if (count === 0) return;
    this.pairs.push({ old, now, count });
    reduce(this.oldLeft, old, before - count);
    reduce(this.nowLeft, now, shown - count);
  }
}

function reduce<T>(left: Map<T, number>, one: T, count: number): void {
  if (count === 0) left.delete(one);
  else left.set(one, count);
}

function groupBy<T extends Entries>(
  all: readonly T[],
  keyOf: (one: Entries) => string | null,
): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    if (key === null) continue;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [one]);
    else known.push(one);
  }
  return groups;
}

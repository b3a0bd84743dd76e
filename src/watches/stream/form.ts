/**
 * In which form an entry was shown. A field that a service leaves out for a while makes another
 * content of the same entry, which would be told of again.
 */
export interface Form {
  /** A bit for each field that is missing, in the order of the contract; 0: none is. */
  readonly lacks: number;
  /** A hash of what names the entry; null: that is missing. */
  readonly name: string | null;
  /** A hash of everything else; null: some of it is missing. */
  readonly rest: string | null;
}

/** Entries that are remembered, and in which form; null: not known. */
interface Formed {
  readonly hash: string;
  readonly form: Form | null;
  readonly count: number;
}

/** Finds entries that were shown in another form. */
export class Forms {
  readonly #names = new Map<string, Formed[]>();
  readonly #rests = new Map<string, Formed[]>();

  constructor(remembered: Iterable<Formed>) {
    for (const one of remembered) {
      add(this.#names, one.form?.name ?? null, one);
      add(this.#rests, one.form?.rest ?? null, one);
    }
  }

  /**
   * Entries that were shown with other fields missing and may be this one: their names are the same,
   * or where one has none, all else. Of entries in the same form the content decides.
   */
  others(form: Form | null): readonly Formed[] {
    if (form === null) return [];
    const named = inOther(this.#names, form.name, form.lacks);
    return named.length > 0 ? named : inOther(this.#rests, form.rest, form.lacks);
  }

  /** Those that had all that this one has: it is no news. */
  countFuller(form: Form | null): number {
    return sum(this.others(form).filter((other) => !lacksMore(other.form, form)));
  }

  /** Those that lacked what this one has, how many and by the hashes of their contents; null: none. */
  lacked(form: Form | null): { readonly count: number; readonly hashes: readonly string[] } | null {
    const poorer = this.others(form).filter((other) => lacksMore(other.form, form));
    if (poorer.length === 0) return null;
    return { count: sum(poorer), hashes: poorer.map(({ hash }) => hash) };
  }
}

/** Whether an entry lacks a field that another has. */
function lacksMore(one: Form | null, other: Form | null): boolean {
  const [lacks, known] = [one?.lacks ?? 0, other?.lacks ?? 0];
  return (lacks & ~known) !== 0;
}

function sum(formed: readonly Formed[]): number {
  return formed.reduce((total, { count }) => total + count, 0);
}

function add(map: Map<string, Formed[]>, part: string | null, one: Formed): void {
  if (part === null) return;
  const known = map.get(part);
  if (known === undefined) map.set(part, [one]);
  else known.push(one);
}

function inOther(
  map: ReadonlyMap<string, readonly Formed[]>,
  part: string | null,
  lacks: number,
): readonly Formed[] {
  const found = part === null ? [] : (map.get(part) ?? []);
  return found.filter(({ form }) => form?.lacks !== lacks);
}

/**
 * In which form an entry was shown. A field that a service leaves out for a while makes another
 * content of the same entry, which would be told of again: twice, once it is there again.
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
   * How many entries were shown with other fields missing that may be this one: their names are the
   * same, or where one has none, all else. Of entries in the same form the content decides.
   */
  count(form: Form | null): number {
    if (form === null) return 0;
    const { lacks, name, rest } = form;
    return Math.max(total(this.#names, name, lacks), total(this.#rests, rest, lacks));
  }
}

function add(map: Map<string, Formed[]>, part: string | null, one: Formed): void {
  if (part === null) return;
  const known = map.get(part);
  if (known === undefined) map.set(part, [one]);
  else known.push(one);
}

function total(map: ReadonlyMap<string, Formed[]>, part: string | null, lacks: number): number {
  const found = part === null ? [] : (map.get(part) ?? []);
  return found.reduce((sum, { form, count }) => (form?.lacks === lacks ? sum : sum + count), 0);
}

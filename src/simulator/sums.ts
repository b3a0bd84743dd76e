/** Lots that came in and went out, by token, and US dollars: sums up to some move. */
export interface SumRow {
  readonly in0: bigint;
  readonly out0: bigint;
  readonly in1: bigint;
  readonly out1: bigint;
  readonly usd: number;
}

const NOTHING: SumRow = { in0: 0n, out0: 0n, in1: 0n, out1: 0n, usd: 0 };

const COLUMNS = 4;
const FIRST_SIZE = 256;

/** Rows of sums, numbered from 0, packed: some years of a pool take less than a megabyte. */
export class Sums {
  #lots = new BigInt64Array(COLUMNS * FIRST_SIZE);
  #usd = new Float64Array(FIRST_SIZE);
  #length = 0;

  constructor(first: SumRow) {
    this.push(first);
  }

  get length(): number {
    return this.#length;
  }

  row(index: number): SumRow {
    const lots = (column: number): bigint => this.#lots[index * COLUMNS + column] ?? 0n;
    return { in0: lots(0), out0: lots(1), in1: lots(2), out1: lots(3), usd: this.#usd[index] ?? 0 };
  }

  push({ in0, out0, in1, out1, usd }: SumRow): void {
    if (this.#length === this.#usd.length) {
      const [lots, dollars] = [this.#lots, this.#usd];
      this.#lots = new BigInt64Array(lots.length * 2);
      this.#lots.set(lots);
      this.#usd = new Float64Array(dollars.length * 2);
      this.#usd.set(dollars);
    }
    this.#lots.set([in0, out0, in1, out1], this.#length * COLUMNS);
    this.#usd[this.#length] = usd;
    this.#length += 1;
  }
}

/** So many pools of other markets are remembered. */
const KEPT = 64;
const kept = new Map<string, Sums>();

/**
 * Everything in a market runs relative to its start, so what a pool traded before a script did
 * anything depends on the seed alone: markets of one seed share those sums.
 */
export function sharedSums(seed: number, pool: string): Sums {
  const key = `${seed}:${pool}`;
  const found = kept.get(key);
  if (found !== undefined) return found;
  if (kept.size >= KEPT) kept.clear();
  const made = new Sums(NOTHING);
  kept.set(key, made);
  return made;
}

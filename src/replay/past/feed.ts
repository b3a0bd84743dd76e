import type { Run } from "../../model/index.ts";
import type { PastSeries, PastSubject } from "./past-subject.ts";

/** Where a run goes. */
export interface Place {
  readonly subject: PastSubject;
  readonly series: PastSeries;
}

/** A run of the past with its place. */
export interface Placed {
  readonly place: Place;
  readonly run: Run;
  /** From which round on it is known. */
  readonly from: number;
}

/** Hands runs to their subjects as the replay comes to their dates. Sources give them in the order in which they are known. */
export class Feed {
  readonly #sources: Source[];

  constructor(sources: readonly Iterator<Placed>[]) {
    this.#sources = sources.map((iterator) => new Source(iterator));
  }

  /** Everything that has begun by then; `seen` hears of each run. */
  advance(date: number, seen: ((placed: Placed) => void) | null = null): void {
    for (const source of this.#sources) {
      for (let next = source.next; next !== null && next.from <= date; next = source.next) {
        source.move();
        next.place.subject.take(next.place.series, next.run);
        seen?.(next);
      }
    }
  }
}

class Source {
  next: Placed | null = null;

  constructor(private readonly iterator: Iterator<Placed>) {
    this.move();
  }

  move(): void {
    const result: IteratorResult<Placed, unknown> = this.iterator.next();
    this.next = result.done === true ? null : result.value;
  }
}

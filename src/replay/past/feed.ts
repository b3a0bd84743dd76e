import type { Run } from "../../model/index.ts";
import type { PastSeries, PastSubject } from "./past-subject.ts";

/** Where a run goes. */
export interface Place {
  readonly subject: PastSubject;
  readonly series: PastSeries;
}

/** Hears of a run that has come to its place. */
export type Heard = (place: Place, run: Run) => void;

/** Runs in the order in which they are known, a page at a time. */
export interface FeedSource {
  readonly pages: Iterator<readonly Run[]> | AsyncIterator<readonly Run[]>;
  /** By the number of a series; the runs of others are left out. */
  readonly places: ReadonlyMap<number, Place>;
  /** From which round on a run is known; null: never. */
  readonly from: (run: Run, place: Place) => number | null;
  readonly heard?: Heard | undefined;
}

/** Hands runs to their subjects as the replay comes to their dates. */
export class Feed {
  readonly #sources: readonly Source[];

  constructor(sources: readonly FeedSource[]) {
    this.#sources = sources.map((source) => new Source(source));
  }

  /** Everything that is known by then. */
  async advance(date: number, heard: Heard | null = null): Promise<void> {
    for (const source of this.#sources) {
      while (source.from <= date) {
        const { place, run } = source;
        if (place !== null && run !== null) {
          place.subject.take(place.series, run);
          heard?.(place, run);
          source.heard?.(place, run);
        }
        while (!source.move()) await source.turn();
      }
    }
  }
}

/** A source at its next run. A year has millions of them, so that nothing is made for each, and nobody waits for each. */
class Source {
  run: Run | null = null;
  place: Place | null = null;
  /** From when on the next run is known; infinite: there is none. At the beginning nothing is read yet. */
  from = Number.NEGATIVE_INFINITY;
  /** Null: it was the last one. */
  #page: readonly Run[] | null = [];
  #at = -1;

  readonly heard: FeedSource["heard"];

  constructor(private readonly source: FeedSource) {
    this.heard = source.heard;
  }

  /** Goes to the next run of its page; false: that has no more. */
  move(): boolean {
    const page = this.#page;
    for (;;) {
      this.#at += 1;
      const run = page?.[this.#at];
      if (run === undefined) break;
      const place = this.source.places.get(run.series);
      const from = place === undefined ? null : this.source.from(run, place);
      if (place === undefined || from === null) continue;
      this.run = run;
      this.place = place;
      this.from = from;
      return true;
    }
    if (page !== null) return false;
    this.run = null;
    this.place = null;
    this.from = Number.POSITIVE_INFINITY;
    return true;
  }

  /** Reads the next page. */
  async turn(): Promise<void> {
    const next = await this.source.pages.next();
    this.#page = next.done === true ? null : next.value;
    this.#at = -1;
  }
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare, Decimal, decimalFromInteger } from "../../../src/base/decimal.ts";
import { parseSchedule } from "../../../src/base/schedule.ts";
import { BucketSeries } from "../../../src/decide/windows/buckets.ts";
import { medianOfThree, StateWindow } from "../../../src/decide/windows/window.ts";
import { propertyRuns } from "../../support/tier.ts";

const MINUTE = 60_000;
const schedule = parseSchedule("1m", "UTC");
const third = (date: number): number => schedule.third(date);
const n = (value: number): Decimal => decimalFromInteger(value);

interface Observation {
  readonly date: number;
  readonly value: number | null;
}

/** The rule document's sentences, word by word and slowly. */
class Reference {
  readonly #seen: readonly Observation[];
  constructor(seen: readonly Observation[]) {
    this.#seen = seen;
  }

  /** Observed values, each confirmed by its neighbours; `current` is the last one's neighbour. */
  confirmed(current: number): { date: number; value: number }[] {
    const values = this.#seen.filter((o): o is { date: number; value: number } => o.value !== null);
    return values.map(({ date, value }, i) => {
      const before = values[i - 1]?.value;
      const after = values[i + 1]?.value ?? current;
      if (before === undefined) return { date, value };
      return { date, value: [before, value, after].toSorted((a, b) => a - b)[1] as number };
    });
  }

  /** The observation in force at a time: the last sample, if it is a value and not too old. */
  sampleInForce(time: number): Observation | undefined {
    const last = this.#seen.findLast(({ date }) => date <= time);
    return last === undefined || last.value === null || time > third(last.date) ? undefined : last;
  }

  inForce(time: number, current: number): number | undefined {
    const sample = this.sampleInForce(time);
    return this.confirmed(current).find(({ date }) => date === sample?.date)?.value;
  }

  window(from: number, current: number): number[] {
    const inside = this.confirmed(current).filter(({ date }) => date > from);
    const first = this.inForce(from, current);
    return [...(first === undefined ? [] : [first]), ...inside.map(({ value }) => value)];
  }

  /** Counted in steps of a second; the dates are whole minutes. */
  known(from: number, date: number): number {
    let known = 0;
    for (let at = from; at < date; at += 1_000) {
      if (this.sampleInForce(at) !== undefined && this.sampleInForce(at + 999)) known += 1_000;
    }
    return known;
  }
}

/** The first value of a series that began after `from` and had no hole since; undefined: there is none. */
function firstOf(
  seen: readonly Observation[],
  until: (date: number) => number,
  from: number,
  date: number,
): number | undefined {
  const [oldest] = seen;
  if (oldest === undefined || oldest.date <= from) return undefined;
  const values = seen.filter((one) => one.value !== null);
  const all = [oldest, ...values, { date }];
  const isHoled = all.some((one, i) => i > 0 && one.date > until(all[i - 1]?.date ?? 0));
  return isHoled ? undefined : (values[0]?.value ?? undefined);
}

const observations = fc
  .array(
    fc.record({
      gap: fc.oneof({ weight: 8, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 7 })),
      value: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: -3, max: 3 }) },
        fc.constantFrom(1_000, -1_000),
        fc.constant(null),
      ),
    }),
    { maxLength: 25 },
  )
  .map((steps) => {
    let date = 0;
    return steps.map(({ gap, value }): Observation => {
      date += gap * MINUTE;
      return { date, value };
    });
  });

describe("a state window", () => {
  it("agrees with the rule document at every step", () => {
    fc.assert(
      fc.property(
        observations,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: -3, max: 3 }),
        (seen, span, current) => {
          const window = new StateWindow("both", span * MINUTE, schedule);
          const trail = new StateWindow("trail", span * MINUTE, schedule);
          for (const [i, { date, value }] of seen.entries()) {
            const reference = new Reference(seen.slice(0, i));
            const from = date - span * MINUTE;
            const values = reference.window(from, current);
            const lowest = window.lowest(from, n(current))?.value.toString();
            const highest = window.highest(from, n(current))?.value.toString();
            expect(lowest).toBe(values.length === 0 ? undefined : String(Math.min(...values)));
            expect(highest).toBe(values.length === 0 ? undefined : String(Math.max(...values)));
            const inForce = trail.inForce(from, n(current))?.value.toString();
            expect(inForce).toBe(reference.inForce(from, current)?.toString());
            expect(window.known(from, date)).toBe(reference.known(from, date));
            const first = trail.first(from, date)?.value.toString();
            expect(first).toBe(firstOf(seen.slice(0, i), third, from, date)?.toString());
            window.observe(date, value === null ? null : n(value));
            trail.observe(date, value === null ? null : n(value));
          }
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });

  it("finds the same among many values as a search through all of them", () => {
    const trends = fc.array(
      fc.record({
        step: fc.constantFrom(-1, -1, 0, 1),
        noise: fc.constantFrom(0, 0, 0, 5),
        rounds: fc.integer({ min: 1, max: 60 }),
      }),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(trends, fc.integer({ min: 1, max: 70 }), (legs, span) => {
        const window = new StateWindow("both", span * MINUTE, schedule);
        const trail = new StateWindow("trail", span * MINUTE, schedule);
        const seen: { date: number; value: number }[] = [];
        let level = 0;
        for (const { step, noise, rounds } of legs) {
          for (let i = 0; i < rounds; i += 1) {
            level += step;
            const value = level + (i % 3) * noise;
            const date = seen.length * MINUTE;
            seen.push({ date, value });
            window.observe(date, n(value));
            trail.observe(date, n(value));
          }
          const reference = new Reference(seen);
          const from = (seen.length - span) * MINUTE;
          const values = reference.window(from, level);
          const current = n(level);
          expect(window.lowest(from, current)?.value).toEqual(n(Math.min(...values)));
          expect(window.highest(from, current)?.value).toEqual(n(Math.max(...values)));
          const inForce = reference.inForce(from, level);
          expect(trail.inForce(from, current)?.value.toString()).toBe(inForce?.toString());
        }
      }),
    );
  });

  it("is the same whether it saw the rounds or was filled from stored runs", () => {
    fc.assert(
      fc.property(observations, fc.integer({ min: 1, max: 12 }), (seen, span) => {
        const live = new StateWindow("both", span * MINUTE, schedule);
        const filled = new StateWindow("both", span * MINUTE, schedule);
        for (const { date, value } of seen) live.observe(date, value === null ? null : n(value));
        for (const { first, last, value } of runsOf(seen)) {
          filled.load(first, last, value === null ? null : n(value));
        }
        const date = (seen.at(-1)?.date ?? 0) + MINUTE;
        const from = date - span * MINUTE;
        expect(filled.lowest(from, n(0))).toEqual(live.lowest(from, n(0)));
        expect(filled.highest(from, n(0))).toEqual(live.highest(from, n(0)));
        expect(filled.known(from, date)).toBe(live.known(from, date));
      }),
    );
  });

  it("begins anew with nothing of what it is told to forget", () => {
    fc.assert(
      fc.property(observations, observations, (old, seen) => {
        const span = 8 * MINUTE;
        for (const need of ["both", "trail"] as const) {
          const begun = new StateWindow(need, span, schedule);
          for (const { date, value } of old) begun.observe(date, value === null ? null : n(value));
          begun.clear();
          const fresh = new StateWindow(need, span, schedule);
          for (const { date, value } of [{ date: 0, value: null }, ...seen]) {
            const now = date + MINUTE;
            for (const window of [begun, fresh]) {
              window.observe(date, value === null ? null : n(value));
            }
            const said = [begun, fresh].map((window) => [
              window.lowest(now - span, n(0)),
              window.highest(now - span, n(0)),
              window.inForce(now - span, n(0)),
              window.first(now - span, now),
              window.known(now - span, now),
            ]);
            expect(said[0]).toEqual(said[1]);
          }
        }
      }),
    );
  });

  it("never takes one absurd answer for a base", () => {
    const window = new StateWindow("both", 60 * MINUTE, schedule);
    for (const [i, value] of [100, 100, 1, 100, 100].entries()) {
      window.observe(i * MINUTE, n(value));
    }
    const from = 5 * MINUTE - 60 * MINUTE;
    expect(window.lowest(from, n(100))?.value.toString()).toBe("100");
  });

  it("takes a level that two rounds have seen", () => {
    const window = new StateWindow("both", 60 * MINUTE, schedule);
    for (const [i, value] of [100, 100, 1, 1, 100].entries()) {
      window.observe(i * MINUTE, n(value));
    }
    expect(window.lowest(-55 * MINUTE, n(100))?.value.toString()).toBe("1");
  });

  it("finds the lowest that came after a long rise, and the highest after a long fall, once it is back", () => {
    const rising = Array.from({ length: 20 }, (_, i) => 100 + i);
    for (const sign of [1, -1]) {
      const window = new StateWindow("both", 10 * MINUTE, schedule);
      const values = [...rising, 1, 1, ...rising.slice(0, 5)].map((value) => sign * value);
      for (const [i, value] of values.entries()) window.observe(i * MINUTE, n(value));
      const from = (values.length - 10) * MINUTE;
      const current = n(sign * 105);
      const found = sign === 1 ? window.lowest(from, current) : window.highest(from, current);
      expect(found?.value.toString()).toBe(String(sign));
    }
  });

  it("keeps a value in force for three intervals, the end included", () => {
    const window = new StateWindow("trail", 10 * MINUTE, schedule);
    window.observe(0, n(7));
    expect(window.inForce(3 * MINUTE, n(9))?.value.toString()).toBe("7");
    expect(window.inForce(3 * MINUTE + 1, n(9))).toBeNull();
  });

  it("has no first value where there was none for longer than that before it", () => {
    const first = (at: number): string | undefined => {
      const window = new StateWindow("trail", 10 * MINUTE, schedule);
      window.observe(MINUTE, null);
      window.observe(at, n(7));
      return window.first(0, at + MINUTE)?.value.toString();
    };
    expect(first(4 * MINUTE)).toBe("7");
    expect(first(5 * MINUTE)).toBeUndefined();
  });

  it("remembers as much as the window needs and not more", () => {
    const window = new StateWindow("both", 5 * MINUTE, schedule);
    for (let i = 0; i < 10_000; i += 1) window.observe(i * MINUTE, n(i % 2 === 0 ? i : -i));
    const from = 10_000 * MINUTE - 5 * MINUTE;
    expect(window.highest(from, n(0))?.value.toString()).toBe("9996");
  });
});

describe("the median of three", () => {
  it("is the middle one, in every order", () => {
    fc.assert(
      fc.property(fc.tuple(fc.integer(), fc.integer(), fc.integer()), ([a, b, c]) => {
        const middle = [a, b, c].toSorted((x, y) => x - y)[1];
        expect(medianOfThree(n(a), n(b), n(c)).toString()).toBe(String(middle));
      }),
    );
  });
});

describe("a bucket series", () => {
  const HOUR = 60 * MINUTE;
  const entries = fc.array(
    fc.tuple(
      fc.integer({ min: 0, max: 30 }).map((hour) => hour * HOUR),
      fc.option(fc.integer({ min: -5, max: 5 })),
    ),
    { maxLength: 40 },
  );

  it("knows the extremes, the value in force and what it knows", () => {
    fc.assert(
      fc.property(
        entries,
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 12 }),
        (given, hour, span) => {
          const series = BucketSeries.empty(HOUR).with(
            given.map(([start, value]) => [start, value === null ? null : n(value)] as const),
            0,
          );
          const date = hour * HOUR;
          const from = date - span * HOUR;
          const latest = new Map(given);
          const before = [...latest]
            .filter(([start]) => start < date)
            .toSorted((a, b) => a[0] - b[0]);
          const inForce = (time: number): number | null => {
            const last = before.findLast(([start]) => start <= time);
            return last === undefined || time > last[0] + 3 * HOUR ? null : last[1];
          };
          const values = [
            inForce(from),
            ...before.filter(([start]) => start > from).map(([, value]) => value),
          ].filter((value) => value !== null);
          const past = series.before(date);
          const text = (value: Decimal | undefined): string | undefined => value?.toString();
          const least = values.length === 0 ? undefined : String(Math.min(...values));
          const most = values.length === 0 ? undefined : String(Math.max(...values));
          expect(text(past.lowest(from, n(0))?.value)).toBe(least);
          expect(text(past.highest(from, n(0))?.value)).toBe(most);
          expect(text(past.inForce(from, n(0))?.value)).toBe(inForce(from)?.toString());
          const seen = before.map(([start, value]) => ({ date: start, value }));
          const first = firstOf(seen, (start) => start + 3 * HOUR, from, date);
          expect(text(past.first(from, date)?.value)).toBe(first?.toString());
          let known = 0;
          for (let at = from; at < date; at += HOUR) {
            if (inForce(at) !== null && inForce(at + HOUR - 1) !== null) known += HOUR;
          }
          expect(past.known(from, date)).toBe(known);
        },
      ),
    );
  });

  it("keeps the newest of the buckets that are too old, which shows that it is no young series", () => {
    const all = [0, 1, 2, 3].map((hour) => [hour * HOUR, n(hour)] as const);
    const series = BucketSeries.empty(HOUR).with(all, 2 * HOUR);
    expect(all.map(([start]) => series.get(start)?.toString())).toEqual([undefined, "1", "2", "3"]);
    expect(series.before(4 * HOUR).first(HOUR, 4 * HOUR)).toBeNull();
  });

  it("has as its newest one the last that has a value and is old enough, exactly so old being enough", () => {
    const series = BucketSeries.empty(HOUR).with(
      [
        [0, n(1)],
        [HOUR, n(2)],
        [2 * HOUR, null],
      ],
      0,
    );
    const at = (now: number): number | undefined => series.newest(now, 5 * MINUTE)?.at;
    expect(at(3 * HOUR)).toBe(HOUR);
    expect(at(HOUR + 5 * MINUTE)).toBe(HOUR);
    expect(at(HOUR + 5 * MINUTE - 1)).toBe(0);
    expect(at(5 * MINUTE - 1)).toBeUndefined();
  });

  it("replaces a bucket that is answered again", () => {
    const series = BucketSeries.empty(HOUR)
      .with([[HOUR, n(1)]], 0)
      .with([[HOUR, n(2)]], 0);
    const value = series.get(HOUR);
    expect(value instanceof Decimal && compare(value, n(2))).toBe(0);
    expect(series.get(2 * HOUR)).toBeUndefined();
  });
});

function runsOf(
  seen: readonly Observation[],
): { first: number; last: number; value: number | null }[] {
  const runs: { first: number; last: number; value: number | null }[] = [];
  for (const { date, value } of seen) {
    const run = runs.at(-1);
    if (run !== undefined && run.value === value && date <= third(run.last)) run.last = date;
    else runs.push({ first: date, last: date, value });
  }
  return runs;
}

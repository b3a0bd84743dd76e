import fc from "fast-check";

/** Comparisons of the whole language, drawn at random, for the records of any-answers.ts. */

export type KindName = "v4_pool" | "token_supply" | "holder_count" | "gas" | "v4_position";

/** A metric whose values are `scale` times the levels of any-answers.ts. */
interface Metric {
  readonly name: string;
  readonly scale: number;
  readonly unit: string;
  /** Whether percentages of it have a meaning. */
  readonly percent: boolean;
}

export interface AnyComparison {
  readonly text: string;
  /** A `resolve_when` that does not contradict it; null: none is offered. */
  readonly over: string | null;
  /** A `worse_by` for it; null: it has its own, or none. */
  readonly worse: string | null;
}

const METRICS: Readonly<Record<KindName, readonly Metric[]>> = {
  v4_pool: [
    { name: "tvl_usd", scale: 100, unit: " usd", percent: true },
    { name: "swap_count", scale: 10, unit: "", percent: true },
    { name: "current_tick", scale: 1_000, unit: "", percent: false },
  ],
  token_supply: [{ name: "total_supply", scale: 10, unit: " tokens", percent: true }],
  holder_count: [{ name: "holder_count", scale: 10, unit: "", percent: true }],
  gas: [{ name: "tip_top10", scale: 1, unit: " gwei", percent: true }],
  v4_position: [
    { name: "current_tick", scale: 1_000, unit: "", percent: false },
    { name: "value_usd", scale: 100, unit: " usd", percent: true },
  ],
};

const pick = fc.constantFrom;
const level = fc.integer({ min: 6, max: 12 });
const scaled = ({ scale, unit }: Metric, n: number): string => `${n * scale}${unit}`;
const plain = (text: string): AnyComparison => ({ text, over: null, worse: null });

/** A comparison that holds or does not, as against one that happens. */
export function anyComparison(kind: KindName): fc.Arbitrary<AnyComparison> {
  const metric = pick(...METRICS[kind]);
  const inPercent = pick(...METRICS[kind].filter(({ percent }) => percent));
  const windows = kind === "gas" ? pick("4h", "8h") : pick("7m", "12m", "30m");
  const simple = fc
    .tuple(metric, pick("above", "below", "at_least", "at_most"), level)
    .map(([one, op, n]): AnyComparison => {
      const falling = op === "above" || op === "at_least";
      const over = falling
        ? `{below: ${scaled(one, n - 0.5)}}`
        : `{above: ${scaled(one, n + 0.5)}}`;
      return {
        text: `{metric: ${one.name}, ${op}: ${scaled(one, n)}}`,
        over,
        worse: scaled(one, 1),
      };
    });
  const range = fc
    .tuple(metric, pick("inside", "outside"), level, fc.integer({ min: 1, max: 3 }))
    .map(([one, op, n, wide]): AnyComparison => {
      const ends = `[${scaled(one, n)}, ${scaled(one, n + wide)}]`;
      const worse = op === "outside" ? scaled(one, 1) : null;
      return { text: `{metric: ${one.name}, ${op}: ${ends}}`, over: null, worse };
    });
  const span = fc.oneof(
    windows.map((w) => `within: ${w}`),
    windows.map((w) => `since: ${w}`),
    pick("since: last"),
  );
  const moved = fc
    .tuple(metric, pick("rises", "falls", "moves"), span, pick("10%", "25%", ""), pick(1, 2, 3))
    .map(([one, op, w, percent, by]) => {
      const distance = one.percent && percent !== "" ? percent : scaled(one, by);
      return plain(`{metric: ${one.name}, ${op}: ${distance}, ${w}}`);
    });
  const all: fc.Arbitrary<AnyComparison>[] = [simple, simple, range, moved, moved];
  all.push(
    fc
      .tuple(
        inPercent,
        pick("above", "below", "at_least"),
        pick("p10", "p90", "110% of p50"),
        kind === "gas" ? pick("24h") : pick("60m", "2h"),
      )
      .map(([one, op, limit, w]) => plain(`{metric: ${one.name}, ${op}: ${limit}, within: ${w}}`)),
  );
  if (kind !== "gas") {
    all.push(
      fc
        .tuple(metric, pick("5m", "12m"))
        .map(([one, w]) => plain(`{metric: ${one.name}, unchanged: ${w}}`)),
    );
  }
  if (kind === "v4_pool") {
    all.push(
      pick(
        plain("{metric: timestamp, no_update_for: 4m}"),
        plain("{metric: swap_count, above: 100% of other}"),
        plain("{metric: swap_count, moves: 20, since: last}"),
      ),
    );
  }
  if (kind === "v4_position") {
    all.push(
      pick(
        plain("{metric: in_range, equals: false}"),
        plain("{metric: side, equals: below}"),
        plain("{metric: ticks_to_edge, below: 500 ticks}"),
        plain('{metric: range_position, above: "95%"}'),
      ),
    );
  }
  return fc.oneof(...all);
}

/** A comparison of two values, which happens. */
export function anyEvent(kind: KindName): fc.Arbitrary<string> {
  return fc
    .tuple(pick(...METRICS[kind]), level, fc.boolean())
    .map(([one, n, crosses]) =>
      crosses
        ? `{metric: ${one.name}, crosses: ${scaled(one, n)}}`
        : `{metric: ${one.name}, changes: true}`,
    );
}

/** Of several runs. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  return {
    median: (at(Math.floor((sorted.length - 1) / 2)) + at(Math.ceil((sorted.length - 1) / 2))) / 2,
    lowest: at(0),
    highest: at(sorted.length - 1),
  };
}

/** The median, and behind it the lowest and the highest where there was more than one run. */
export function shown({ median, lowest, highest }: Spread, digits: number): string {
  const own = median.toFixed(digits);
  return lowest === highest ? own : `${own} (${lowest.toFixed(digits)}–${highest.toFixed(digits)})`;
}

import { type Octave, stream, uniform, wander } from "./noise.ts";

/** A step differs from its lot by up to this share of it, so that amounts are no round numbers. */
const ODDNESS = 0.8;

/**
 * An amount that stands still and then moves by about a `lot`: `base` at time zero, wandering
 * around it by the octaves' shares of it. All amounts are raw units and exact to the last one; `t`
 * is in milliseconds and may be negative. It stays within `base` × (1 ± twice the sum of the
 * octaves' sizes) and a lot.
 */
export function steps(
  seed: number,
  name: string,
  base: bigint,
  lot: bigint,
  octaves: readonly Octave[],
): (t: number) => bigint {
  const way = wander(stream(seed, name), octaves);
  const oddness = stream(seed, `${name}:odd`);
  const lots = Number(base) / Number(lot);
  return (t) => {
    const count = Math.round(way(t) * lots);
    if (count === 0) return base;
    // The odd part depends on the step alone, so that nothing moves between two of them.
    const odd = BigInt(Math.floor(uniform(oddness, count) * ODDNESS * Number(lot)));
    return base + BigInt(count) * lot + (count < 0 ? -odd : odd);
  };
}

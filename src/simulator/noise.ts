/**
 * Randomness without state: every value is a function of a stream and a position on it, so that a
 * question about any time has one answer, however often and in whatever order it is asked.
 */

/** One independent sequence of random values; made by `stream`. */
export type Stream = number;

/** A layer of noise: it wanders by up to ±`size` and takes about `period` (ms) to do so. */
export interface Octave {
  readonly period: number;
  readonly size: number;
}

/** The stream of this name under this seed. */
export function stream(seed: number, name: string): Stream {
  let state = mix(seed | 0) ^ mix(Math.floor(seed / 2 ** 32) | 0);
  for (let i = 0; i < name.length; i += 1) state = mix(state ^ name.charCodeAt(i));
  return state;
}

/** A value in [0, 1), uniform; `index` is any safe integer, negative ones included. */
export function uniform(of: Stream, index: number): number {
  const low = mix(of ^ mix(index | 0));
  return (mix(low ^ (Math.floor(index / 2 ** 32) | 0)) >>> 0) / 2 ** 32;
}

/** Smooth value noise in [−1, 1]: random at whole `x`, blended with a quintic between them. */
export function smoothNoise(of: Stream, x: number): number {
  const left = Math.floor(x);
  const a = uniform(of, left) * 2 - 1;
  const b = uniform(of, left + 1) * 2 - 1;
  return a + (b - a) * blend(x - left);
}

/**
 * A smooth wander of time that is zero at time zero: the sum of the octaves' noise. `t` is in
 * milliseconds and may be negative.
 */
export function wander(of: Stream, octaves: readonly Octave[]): (t: number) => number {
  const layers = octaves.map(({ period, size }, i) => {
    const own = mix(of ^ mix(i + 1));
    // Octaves start between their lattice points, or all of them would stand still at time zero.
    const phase = uniform(own, -1);
    return { own, period, size, phase, zero: smoothNoise(own, phase) };
  });
  return (t) => {
    let sum = 0;
    for (const { own, period, size, phase, zero } of layers) {
      sum += size * (smoothNoise(own, t / period + phase) - zero);
    }
    return sum;
  };
}

/** 0 up to 0, 1 from 1, and a quintic between, whose slope is zero at both ends. */
export function blend(x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return x * x * x * (x * (x * 6 - 15) + 10);
}

/** The finalizer of MurmurHash3 (32 bits), after a step away from zero. */
function mix(value: number): number {
  let h = (value + 0x9e3779b9) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

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

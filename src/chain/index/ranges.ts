/** Of the blocks from `first` to `last`, both included. */
export interface BlockRange {
  readonly first: number;
  readonly last: number;
}

/** How many blocks are asked for at once, and what was learnt of how many a node answers. */
export interface RangeSize {
  /** At least 1. */
  readonly blocks: number;
  /** So many were refused; Infinity: none were yet. */
  readonly refused: number;
}

/** With what nobody has refused yet is begun. */
export const FIRST_SIZE: RangeSize = { blocks: 2_000, refused: Number.POSITIVE_INFINITY };

/** What came of asking for the logs of a range. */
export type RangeOutcome =
  /** It was too much at once: too many blocks, results or bytes, or it took too long. */
  | { readonly status: "refused"; readonly blocks: number }
  /** `share` of the most that an answer may hold (bytes, logs, time) was used, 0 to 1. */
  | { readonly status: "answered"; readonly share: number };

/**
 * The next size: half of what was refused; a quarter more while an answer used less than half of what it may
 * hold. It stays below what was refused, a mark that moves up slowly, for a node refuses busy ranges that
 * are shorter than quiet ones that it answers.
 */
export function nextSize(size: RangeSize, outcome: RangeOutcome): RangeSize {
  if (outcome.status === "refused") {
    return { blocks: Math.max(1, Math.floor(outcome.blocks / 2)), refused: outcome.blocks };
  }
  const refused = size.refused * FORGET;
  if (outcome.share >= 0.5) return { blocks: size.blocks, refused };
  const more = Math.min(Math.ceil(size.blocks * 1.25), Math.ceil(refused) - 1, LONGEST);
  return { blocks: Math.max(size.blocks, more, 1), refused };
}

/** After 35 answers twice as much as was refused is tried. */
const FORGET = 1.02;
/** No chain has more blocks than a node may be asked to search. */
const LONGEST = 1_000_000;

/** What is asked for next of a range that is to be read from its first block on; null: nothing is left. */
export function nextRange({ first, last }: BlockRange, size: RangeSize): BlockRange | null {
  return first > last ? null : { first, last: Math.min(last, first + size.blocks - 1) };
}

/** At how many places a chain is looked at before it is read. */
const SAMPLES = 20;

/**
 * Where to look in order to estimate how many logs a range has: at most 20 parts of at most `blocks` blocks,
 * one in the middle of each of as many equal parts of the whole. They do not overlap.
 */
export function samplesOf({ first, last }: BlockRange, blocks: number): readonly BlockRange[] {
  const length = last - first + 1;
  if (length <= 0) return [];
  const count = Math.min(SAMPLES, length);
  return Array.from({ length: count }, (_, i) => {
    const begin = first + Math.floor((length * i) / count);
    const end = first + Math.floor((length * (i + 1)) / count) - 1;
    const used = Math.min(blocks, end - begin + 1);
    const from = begin + Math.floor((end - begin + 1 - used) / 2);
    return { first: from, last: from + used - 1 };
  });
}

/** How many logs the whole range has if it is like its samples; rounded up. */
export function estimate(
  whole: BlockRange,
  samples: readonly (BlockRange & { readonly logs: number })[],
): number {
  const looked = samples.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const logs = samples.reduce((sum, sample) => sum + sample.logs, 0);
  if (looked === 0) return 0;
  return Math.ceil((logs * (whole.last - whole.first + 1)) / looked);
}

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
  /** So many were answered since; 0: none were yet. */
  readonly answered: number;
}

/** With what nobody has refused yet is begun. */
export const FIRST_SIZE: RangeSize = {
  blocks: 2_000,
  refused: Number.POSITIVE_INFINITY,
  answered: 0,
};

/** What came of asking for the logs of a range. */
export type RangeOutcome =
  /** It was too much at once: too many results or bytes, it took too long, or (`isLong`) it had too many blocks. */
  | { readonly status: "refused"; readonly blocks: number; readonly isLong: boolean }
  /** `share` of the most that an answer may hold (bytes, logs, time) was used, 0 to 1. */
  | { readonly status: "answered"; readonly share: number };

/**
 * The next size: half of what was refused, or what was answered before where that is more; a quarter more
 * while an answer used less than half of what it may hold. Where a node refuses so many blocks whatever is in
 * them, it comes near to that and stays below, a mark that moves up slowly.
 */
export function nextSize(size: RangeSize, outcome: RangeOutcome): RangeSize {
  const { answered } = size;
  if (outcome.status === "refused") {
    const { blocks, isLong } = outcome;
    const half = Math.max(1, Math.floor(blocks / 2));
    if (!isLong) return { ...size, blocks: half, answered: 0 };
    const isKnown = answered < blocks;
    return {
      blocks: isKnown ? Math.max(half, answered) : half,
      refused: blocks,
      answered: isKnown ? answered : 0,
    };
  }
  const refused = size.refused * FORGET;
  const rest = { refused, answered: size.blocks };
  if (outcome.share >= 0.5 || refused < size.blocks * NEAR) return { blocks: size.blocks, ...rest };
  const between = Math.floor((size.blocks + refused) / 2);
  const more = Math.min(Math.ceil(size.blocks * 1.25), between, LONGEST);
  return { blocks: Math.max(size.blocks, more), ...rest };
}

/** Whether a node refused a range for the number of its blocks, and not for what is in them: by its words. */
export function isOfLength(message: string): boolean {
  return (
    /block range|range of blocks|blocks? (?:range|distance)|max(?:imum)? range|range (?:is )?too|\d blocks?\b/i.test(
      message,
    ) && !/results?\b|\blogs\b|response|size|time/i.test(message)
  );
}

/** After 700 answers twice as much as was refused is tried. */
const FORGET = 1.001;
/** What is this near to what was refused is not tried. */
const NEAR = 1.05;
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

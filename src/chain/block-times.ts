/** Seconds between blocks, as chains have them about; only what calls come to is reckoned with them. */
const SECONDS: ReadonlyMap<number, number> = new Map([
  [1, 12],
  [10, 2],
  [56, 0.75],
  [130, 1],
  [137, 2],
  [143, 0.4],
  [480, 2],
  [8453, 2],
  [13371, 2],
  [42161, 0.25],
  [42220, 1],
  [43114, 1.5],
  [57073, 1],
  [59144, 2],
  [81457, 2],
  [747474, 1],
  [7777777, 2],
]);
/** Chains that are not known make their blocks about as fast as most do. */
const USUAL_SECONDS = 2;

/** Chains on which blocks come when somebody sends something: their heads may stand for hours. */
export const DEVELOPMENT: ReadonlySet<number> = new Set([1_337, 31_337]);

/** A head that is watched is looked at so often. */
const LOOK_MS = 400;
/** No block comes before this part of the usual time since the one before it was seen. */
const QUIET_SHARE = 0.6;

/**
 * How long to wait, in milliseconds, until a head that is watched is looked at again; `isNew`: the look has shown
 * another block. `blockMs`: the mean time between two.
 */
export function looksAfter(chainId: number, blockMs: number, isNew: boolean): number {
  return isNew && !DEVELOPMENT.has(chainId) ? Math.max(LOOK_MS, QUIET_SHARE * blockMs) : LOOK_MS;
}

/** How often a head is looked at between two blocks, where it is watched. */
export function looksABlock(blockSeconds: number): number {
  const blockMs = blockSeconds * 1_000;
  if (blockMs <= LOOK_MS) return blockMs / LOOK_MS;
  // The last look sees the block, about half of the time between two looks after it came.
  return 1 + Math.max(0, Math.ceil((blockMs - Math.max(LOOK_MS, QUIET_SHARE * blockMs)) / LOOK_MS));
}

/** About how many seconds lie between two blocks of a chain. */
export function blockSecondsOf(chainId: number): number {
  return SECONDS.get(chainId) ?? USUAL_SECONDS;
}

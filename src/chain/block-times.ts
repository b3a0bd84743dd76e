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

/** About how many seconds lie between two blocks of a chain. */
export function blockSecondsOf(chainId: number): number {
  return SECONDS.get(chainId) ?? USUAL_SECONDS;
}

/** So many of the newest blocks are kept, with what they overwrote: a reorg of as many is taken back. */
export const DEPTH = 512;

/** Blocks this far below the head, or deeper, are read in ranges; above, one by one, each by its hash. */
export const LINKED = 64;

/**
 * Three-valued truth, as small integers since a round computes a hundred thousand of them. The
 * unknowns are ordered: of several, the greatest says why the whole is unknown.
 */
export const FALSE = 0;
export const TRUE = 1;
/** Only because a closed position has no range. */
export const UNKNOWN_CLOSED = 2;
/** The past is not known well enough. */
export const UNKNOWN_WINDOW = 3;
/** A value is missing now. */
export const UNKNOWN_VALUE = 4;
export type Truth = 0 | 1 | 2 | 3 | 4;

/** Why a limit is not known. */
export type UnknownLimit = typeof UNKNOWN_WINDOW | typeof UNKNOWN_VALUE;

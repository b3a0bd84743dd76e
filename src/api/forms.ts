/** What the values of parameters look like. */

export const POOL_ID = /^0x[0-9a-f]{64}$/i;

/** A uint256 as a decimal string has at most 78 digits. */
export const NFT_ID = /^\d{1,78}$/;

/** An account's address; upper and lower case are one address. */
export const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** `dexa` is the pool protocol itself, `dexb` the second compatible one. */
export const PROTOCOLS = ["dexa", "dexb"] as const;

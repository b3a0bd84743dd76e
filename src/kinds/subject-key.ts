const KEY_WITH_CHAIN = /^[^:]*:(\d+)(?::|$)/;

/**
 * The chain that the key of a subject names, as the keys of every kind do whose subjects are on one:
 * `gas:1`, `v4_pool:137:0x…`. Null for what is on none, and for several subjects together.
 */
export function chainOfKey(key: string): number | null {
  const chain = KEY_WITH_CHAIN.exec(key)?.[1];
  return chain === undefined ? null : Number(chain);
}

/** What the project knows of a chain. Chains that are not here are used by number. */
export interface Chain {
  readonly id: number;
  /** The name that people read. */
  readonly name: string;
  /** The name that rules use. */
  readonly alias: string;
  readonly nativeSymbol: string;
  /** The block explorer's address without a trailing slash. */
  readonly explorer: string;
}

export const CHAINS: readonly Chain[] = [
  chain(1, "Ethereum", "ethereum", "ETH", "https://etherscan.io"),
  chain(10, "OP Mainnet", "optimism", "ETH", "https://optimistic.etherscan.io"),
  chain(56, "BNB Chain", "bnb", "BNB", "https://bscscan.com"),
  chain(130, "Unichain", "unichain", "ETH", "https://uniscan.xyz"),
  chain(137, "Polygon", "polygon", "POL", "https://polygonscan.com"),
  chain(143, "Monad", "monad", "MON", "https://monadscan.com"),
  chain(8453, "Base", "base", "ETH", "https://basescan.org"),
  chain(13371, "Immutable zkEVM", "immutable", "IMX", "https://explorer.immutable.com"),
  chain(42161, "Arbitrum", "arbitrum", "ETH", "https://arbiscan.io"),
  chain(43114, "Avalanche", "avalanche", "AVAX", "https://snowtrace.io"),
  chain(747474, "Katana", "katana", "ETH", "https://katanascan.com"),
];

const BY_ID = new Map(CHAINS.map((c) => [c.id, c]));
const BY_ALIAS = new Map(CHAINS.map((c) => [c.alias, c]));

function chain(
  id: number,
  name: string,
  alias: string,
  nativeSymbol: string,
  explorer: string,
): Chain {
  return { id, name, alias, nativeSymbol, explorer };
}

export function chainById(id: number): Chain | undefined {
  return BY_ID.get(id);
}

/** `ethereum`, `Ethereum`: letter case does not matter. */
export function chainByAlias(alias: string): Chain | undefined {
  return BY_ALIAS.get(alias.toLowerCase());
}

/** How a rule names a chain: `ethereum`, or the number of one that has no name here. */
export function chainWord(id: number): string {
  return BY_ID.get(id)?.alias ?? String(id);
}

/** `Ethereum`, or `chain 4663` for a chain that is not known by name. */
export function chainName(id: number): string {
  return BY_ID.get(id)?.name ?? `chain ${id}`;
}

/** How a simulated chain makes blocks and what its gas costs; fees and tips are in gwei. */
export interface Network {
  readonly chainId: number;
  /** Mean milliseconds from block to block; Ethereum's 12 s slots are missed now and then. */
  readonly blockMs: number;
  /** The block number at the market's start. */
  readonly startBlock: number;
  /** The level around which the base fee swings; 0 where the chain has none. */
  readonly baseFee: number;
  /** The level of the tip that enters the top 10% of a block. */
  readonly tip: number;
  /** No transaction tips less. */
  readonly tipFloor: number;
  readonly gasLimit: number;
  /** Gas used in a block on average. */
  readonly gasUsed: number;
  readonly txsPerBlock: number;
  /** The mean share of transactions that tip nothing. */
  readonly zeroTips: number;
}

/** The chains that the embedded service knows. Another chain is refused. */
export const NETWORKS: readonly Network[] = [
  listed(1, 12_060, 23_890_000, [0.9, 1.4, 0], [60_000_000, 30_900_000, 215, 0.06]),
  listed(10, 2_000, 144_200_000, [0.0004, 0.0022, 0], [60_000_000, 6_100_000, 38, 0.31]),
  listed(56, 750, 69_400_000, [0, 0.32, 0.05], [70_000_000, 14_800_000, 92, 0]),
  listed(130, 1_000, 33_100_000, [0.0005, 0.0009, 0], [30_000_000, 4_300_000, 17, 0.42]),
  listed(137, 2_110, 79_700_000, [34, 44, 25], [45_000_000, 24_600_000, 108, 0]),
  listed(143, 400, 98_500_000, [102, 2.1, 0], [200_000_000, 31_000_000, 62, 0.11]),
  listed(8453, 2_000, 38_700_000, [0.0061, 0.0128, 0], [240_000_000, 71_500_000, 258, 0.09]),
  listed(13371, 2_000, 31_800_000, [0.00000005, 10.6, 10], [30_000_000, 1_900_000, 9, 0]),
  // Arbitrum reports 2^50 as the gas limit of every block.
  listed(42161, 250, 404_300_000, [0.0118, 0.0016, 0], [2 ** 50, 1_450_000, 7, 0.93]),
  listed(43114, 1_640, 72_600_000, [0.62, 0.47, 0], [38_000_000, 6_900_000, 21, 0.14]),
  listed(747474, 1_000, 41_300_000, [0.0011, 0.0014, 0], [60_000_000, 2_700_000, 11, 0.37]),
];

function listed(
  chainId: number,
  blockMs: number,
  startBlock: number,
  [baseFee, tip, tipFloor]: readonly [number, number, number],
  [gasLimit, gasUsed, txsPerBlock, zeroTips]: readonly [number, number, number, number],
): Network {
  const fees = { baseFee, tip, tipFloor };
  return { chainId, blockMs, startBlock, ...fees, gasLimit, gasUsed, txsPerBlock, zeroTips };
}

/** The grid goes through `network.startBlock` at `start`, so that its numbers look like today's. */
export function blocksOf(network: Network, start: number) {
  const { blockMs, startBlock } = network;
  const timeOf = (block: number): number => Math.ceil(start + (block - startBlock) * blockMs);
  const numberAt = (at: number): number => {
    const guess = startBlock + Math.floor((at - start) / blockMs);
    // Rounding to whole milliseconds may put the block one further.
    if (timeOf(guess + 1) <= at) return Math.max(guess + 1, -1);
    return Math.max(timeOf(guess) <= at ? guess : guess - 1, -1);
  };
  return {
    /** When the block was made, in whole milliseconds. */
    timeOf /** The newest block at a time; −1 before the chain's first one, which has number 0. */,
    numberAt /** How many blocks were made in (from, to]. */,
    countIn: (from: number, to: number) => numberAt(to) - numberAt(from),
  };
}

/** The blocks of one chain as a fixed grid in time. All times are epoch milliseconds. */
export type Blocks = ReturnType<typeof blocksOf>;

import { isMap, listOf } from "../../base/json.ts";

/**
 * What a block's transactions bid above its base fee, in wei per gas. Thresholds are the lowest tip among
 * the top 5% or 10% of the bids, of which there is always one at least; means are cut to whole wei.
 */
export interface Tips {
  /** How many transactions bid, and how many of those bid nothing. */
  readonly bids: number;
  readonly zero: number;
  readonly min: bigint;
  readonly max: bigint;
  readonly top5: bigint;
  readonly top5Mean: bigint;
  readonly top10: bigint;
  readonly top10Mean: bigint;
}

/**
 * The tips of the transactions of a block, exact: min(maxPriorityFeePerGas, maxFeePerGas − base fee), and
 * for those with one price, gasPrice − base fee (EIP-1559). Transactions of the chain itself (deposits of a
 * rollup, state syncs), which pay less than the base fee, and those that pay in another currency do not
 * bid. Null where none bids. `baseFee` is null before EIP-1559. Throws RangeError for what is no transaction.
 */
export function tipsOf(baseFee: bigint | null, transactions: readonly unknown[]): Tips | null {
  const tips = transactions
    .map((transaction) => tipOf(baseFee ?? 0n, transaction))
    .filter((tip) => tip !== null)
    .toSorted((a, b) => (a > b ? -1 : a < b ? 1 : 0));
  const [max] = tips;
  const min = tips.at(-1);
  if (max === undefined || min === undefined) return null;
  const top = (share: number) => {
    const count = Math.ceil(tips.length / share);
    const sum = tips.slice(0, count).reduce((all, tip) => all + tip, 0n);
    return { threshold: tips[count - 1] ?? max, mean: sum / BigInt(count) };
  };
  const [top5, top10] = [top(20), top(10)];
  return {
    bids: tips.length,
    zero: tips.filter((tip) => tip === 0n).length,
    min,
    max,
    top5: top5.threshold,
    top5Mean: top5.mean,
    top10: top10.threshold,
    top10Mean: top10.mean,
  };
}

function tipOf(baseFee: bigint, transaction: unknown): bigint | null {
  if (!isMap(transaction)) throw new RangeError("it is not a transaction");
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, feeCurrency } = transaction;
  // Celo: its prices are in that token.
  if (typeof feeCurrency === "string") return null;
  const isPriced = maxFeePerGas !== undefined && maxFeePerGas !== null;
  if (!isPriced && (gasPrice === undefined || gasPrice === null)) return null;
  const above = wei(isPriced ? maxFeePerGas : gasPrice) - baseFee;
  if (above < 0n) return null;
  if (!isPriced) return above;
  const most = wei(maxPriorityFeePerGas);
  return most < above ? most : above;
}

function wei(value: unknown): bigint {
  if (typeof value === "string" && /^0x[0-9a-f]{1,64}$/i.test(value)) return BigInt(value);
  throw new RangeError("a transaction has no readable price");
}

/** The percentiles that `eth_feeHistory` is asked for: the least, and the top tenth in steps of one. */
export const PERCENTILES: readonly number[] = [0, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100];

/**
 * The same from one block's `reward` for PERCENTILES. These percentiles weigh each transaction with its gas
 * and not each as one, so only least and most are exact; means are those of straight lines between the
 * percentiles. How many bid is not told. Throws RangeError for what is no such list.
 */
export function estimatedTips(reward: unknown): Omit<Tips, "bids" | "zero"> {
  const steps = listOf(reward).map(wei);
  const [min, top10, top5, max] = [steps[0], steps[1], steps[6], steps.at(-1)];
  if (steps.length !== PERCENTILES.length) throw new RangeError("there are other percentiles");
  if (min === undefined || top10 === undefined || top5 === undefined || max === undefined) {
    throw new RangeError("there are no percentiles");
  }
  return {
    min,
    max,
    top5,
    top5Mean: meanOfLine(steps.slice(6)),
    top10,
    top10Mean: meanOfLine(steps.slice(1)),
  };
}

/** The mean of the line through equally distant points. */
function meanOfLine(points: readonly bigint[]): bigint {
  const ends = (points[0] ?? 0n) + (points.at(-1) ?? 0n);
  const sum = points.reduce((all, point) => all + point, 0n);
  return (2n * sum - ends) / BigInt(2 * (points.length - 1));
}

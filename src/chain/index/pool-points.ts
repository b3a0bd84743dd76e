import { cents, isoTime, sixDecimals } from "../../api/written.ts";
import { priceOf, valueOf } from "../state/price.ts";
import type { Trades } from "./trades.ts";

/** What is to be known of a pool besides its logs. */
export interface PoolFacts {
  readonly version: "v3" | "v4";
  /** In hundredths of a basis point; null: not known, or a hook decides. */
  readonly fee: number | null;
  readonly token0: SideFacts;
  readonly token1: SideFacts;
}

export interface SideFacts {
  /** Null: nobody told which token it is. */
  readonly address: string | null;
  /** Null: it tells none. */
  readonly decimals: number | null;
}

export interface PointParts {
  readonly chainId: number;
  readonly id: string;
  readonly facts: PoolFacts;
  /** From when (epoch ms) to when, the running one to now. */
  readonly begin: number;
  readonly end: number;
  readonly trades: Trades;
  /** What was traded in the hour or day before; null: not known. */
  readonly before: Trades | null;
  /** How the pool stood when it began; null: not known. */
  readonly opened: Trades["last"];
  /** What a whole token was worth at a time (epoch ms), in dollars; null: not known. */
  readonly usd: (token: string, at: number) => Promise<number | null>;
}

/**
 * An hour or a day of a pool in the specification's words: how it stood after its last swap, what was traded,
 * and what was paid for that. Null: nothing is known of how it stood, for no swap was read yet.
 */
export async function poolPoint(parts: PointParts) {
  const { chainId, id, facts, begin, end, trades, before, opened, usd } = parts;
  const state = trades.last ?? opened;
  if (state === null) return null;
  const { token0, token1 } = facts;
  const [d0, d1] = [token0.decimals, token1.decimals];
  const price = (root: bigint | null): number | null =>
    root === null || d0 === null || d1 === null ? null : priceOf(root, d0, d1);
  const each = (token: string): Promise<number | null> => usd(token, end);
  const volume = await volumeUsd(trades, facts, each);
  const earlier = before === null ? null : await volumeUsd(before, facts, each);
  const fees = await feesUsd(trades, facts, each);
  const open = price(opened?.sqrtPriceX96 ?? null);
  const [low, high] = [price(trades.low), price(trades.high)];
  const date = isoTime(begin);
  return {
    id: `${id}-${date}`,
    date,
    pool: id,
    liquidity: state.liquidity.toString(),
    sqrtPrice: state.sqrtPriceX96.toString(),
    tick: state.tick,
    volumeToken0: trades.volume0.toString(),
    volumeToken0D: d0 === null ? null : sixDecimals(trades.volume0, d0),
    volumeToken1: trades.volume1.toString(),
    volumeToken1D: d1 === null ? null : sixDecimals(trades.volume1, d1),
    volumeUSD: volume === null ? null : cents(volume),
    volumePercentageChange:
      volume === null || earlier === null || earlier === 0
        ? null
        : cents((volume / earlier - 1) * 100),
    collectedFeesToken0: trades.fees0?.toString() ?? null,
    collectedFeesToken1: trades.fees1?.toString() ?? null,
    collectedFeesUSD: fees === null ? null : cents(fees),
    swapCount: String(trades.swaps),
    open,
    high: extreme(Math.max, high, open),
    low: extreme(Math.min, low, open),
    close: price(state.sqrtPriceX96),
    chainId,
  };
}

function extreme(
  of: (a: number, b: number) => number,
  traded: number | null,
  open: number | null,
): number | null {
  return traded === null || open === null ? (traded ?? open) : of(traded, open);
}

/** What was traded, by the first of the two tokens whose worth is known, in dollars; null: neither's is. */
export async function volumeUsd(
  { volume0, volume1 }: Pick<Trades, "volume0" | "volume1">,
  { token0, token1 }: PoolFacts,
  usd: (token: string) => Promise<number | null>,
): Promise<number | null> {
  return (await worth(token0, volume0, usd)) ?? (await worth(token1, volume1, usd));
}

/** What was paid for it, in dollars; null where one of the fees, or the worth of its token, is not known. */
export async function feesUsd(
  { fees0, fees1 }: Pick<Trades, "fees0" | "fees1">,
  { token0, token1 }: PoolFacts,
  usd: (token: string) => Promise<number | null>,
): Promise<number | null> {
  const fee0 = fees0 === 0n ? 0 : await worth(token0, fees0, usd);
  const fee1 = fees1 === 0n ? 0 : await worth(token1, fees1, usd);
  return fee0 === null || fee1 === null ? null : fee0 + fee1;
}

async function worth(
  { address, decimals }: SideFacts,
  raw: bigint | null,
  usd: (token: string) => Promise<number | null>,
): Promise<number | null> {
  if (raw === null || address === null) return null;
  return valueOf(raw, decimals, await usd(address));
}

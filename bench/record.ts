/** The mark of 1.25 kB that a record reaches with a name of this length. */
const FILLER = "Bench Token With A Long And Honest Name";

/**
 * The text of one V4 pool record of about 1.25 kB as the service writes it, cut where the parts
 * that change go: before `tvl_usd`, before `timestamp`, and the end.
 */
export function recordParts(chainId: number, poolId: string): readonly [string, string, string] {
  const seed = Number.parseInt(poolId.slice(2, 10), 16);
  const usd = 1_000_000 + (seed % 50_000_000);
  const record = {
    pool_id: poolId,
    chain_id: chainId,
    fee: 500,
    tick_spacing: 10,
    current_tick: -199_890,
    sqrt_price_x96: "3618602270101715334278112",
    liquidity: `${seed}87053232914`,
    price0: 2086.035178060384,
    price1: 0.000479378301964,
    amount0: `${seed}219718758116`,
    amount1: `${seed}97079921`,
    amount0_d: `${seed % 10_000}.219718`,
    amount1_d: `${seed % 1_000_000}.707992`,
    volume_token0: `${seed}51219718758116679`,
    volume_token1: `${seed}5199970788`,
    volume_token0_d: `${seed % 100_000}.512197`,
    volume_token1_d: `${seed % 10_000_000}.519997`,
    volume_usd: usd * 40 + 0.61,
    collected_fees_token0: `${seed}21971875811`,
    collected_fees_token1: `${seed}9997`,
    collected_fees_usd: usd / 50 + 0.25,
    tvl_usd: "@tvl@",
    swap_count: String(seed % 1_000_000),
    active_position_count: seed % 5_000,
    block_number: "24018765",
    timestamp: "@time@",
    created_at_block_number: "21688329",
    created_at_timestamp: "1737676871",
    token0: token("0x0000000000000000000000000000000000000000", "ETH", 18, 2086.04),
    token1: token("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", "USDC", 6, 0.9998),
    hook: { address: "0x0000000000000000000000000000000000000000" },
  };
  const [first = "", second = "", third = ""] = JSON.stringify(record).split(/"@tvl@"|@time@/);
  return [first, second, third];
}

function token(address: string, symbol: string, decimals: number, price: number): object {
  return { address, symbol, name: FILLER, decimals, price };
}

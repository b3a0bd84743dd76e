import type { Answers } from "../../src/kinds/kind.ts";
import type { Answer, Ask, RawRecord } from "../../src/model/index.ts";

/** Records as the service gives them, from real facts of the ETH/USDC 0.05% pool. */

export const POOL_ID = "0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27";
export const NATIVE = "0x0000000000000000000000000000000000000000";
export const MANAGER = "0xbD216513d74C8cf14cf4747E6AaA6420FF64ee9e";

export const ETH: RawRecord = {
  address: NATIVE,
  symbol: "ETH",
  name: "Ether",
  decimals: 18,
  price: 2086.04,
};
export const USDC: RawRecord = {
  address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  symbol: "USDC",
  name: "USD Coin",
  decimals: 6,
  price: 1,
};

export function poolRecord(changes: RawRecord = {}): RawRecord {
  return {
    pool_id: POOL_ID,
    chain_id: 1,
    fee: 500,
    tick_spacing: 10,
    current_tick: -199890,
    sqrt_price_x96: "3618602270101715334278112",
    liquidity: "1234567890123456789",
    price0: 2086.0412345,
    price1: 0.000479377,
    amount0: "4096123456789012345678",
    amount1: "8765432101234",
    amount0_d: "4096.123456",
    amount1_d: "8765432.101234",
    volume_token0: "123456789012345678901234",
    volume_token1: "234567890123456",
    volume_token0_d: "123456.789012",
    volume_token1_d: "234567890.123456",
    volume_usd: 469123456.78,
    collected_fees_token0: "61728394506172839450",
    collected_fees_token1: "117283945061",
    collected_fees_usd: 234561.73,
    tvl_usd: 17310098.44,
    swap_count: "1834567",
    active_position_count: 412,
    block_number: "21234567",
    timestamp: "1764201600",
    created_at_block_number: "21000000",
    created_at_timestamp: "1754201600",
    token0: ETH,
    token1: USDC,
    hook: { address: NATIVE },
    ...changes,
  };
}

export function positionRecord(changes: RawRecord = {}): RawRecord {
  return {
    chain_id: 1,
    protocol: "dexa",
    manager_address: MANAGER,
    nft_id: "42",
    pool_id: POOL_ID,
    owner_address: "0x1111111111111111111111111111111111111111",
    lower_tick: -200310,
    upper_tick: -199090,
    liquidity: "49387053232",
    amount0: "1219718758116679",
    amount1: "1999707",
    amount0_d: "0.001219",
    amount1_d: "1.999707",
    core_total_usd: 4.54,
    ratio: 0.56,
    block_number: "21234567",
    timestamp: "1764201600",
    ...changes,
  };
}

export function gasHour(hour: string, changes: RawRecord = {}): RawRecord {
  return {
    hour,
    block_count: 300,
    avg_base_fee: "1500000000",
    avg_gas_used: "15000000",
    avg_gas_limit: "36000000",
    utilization: 0.42,
    tx_count: "51234",
    avg_block_priority_fee_min: "1000000",
    avg_block_priority_fee_max: "90000000000",
    avg_priority_fee_top5_threshold: "3500000000",
    avg_priority_fee_top5_avg: "5000000000",
    avg_priority_fee_top10_threshold: "2100000000",
    avg_priority_fee_top10_avg: "3900000000",
    zero_tip_ratio: 0.03,
    ...changes,
  };
}

export function ok(...records: RawRecord[]): Answer {
  return { status: "ok", records };
}

export function failed(detail: string): Answer {
  return { status: "failed", failure: { reason: "timeout", detail } };
}

/** The answers of one round: by record. */
export function answersOf(answers: Partial<Record<Ask["record"], Answer>>): Answers {
  return (ask) => answers[ask.record];
}

import { expect, test } from "vitest";
import { type GasBlock, hourOf, methodOf } from "../../../src/chain/gas/hours.ts";

const TIPS = { min: 1n, max: 9n, top5: 9n, top5Mean: 9n, top10: 8n, top10Mean: 8n };

function block(changed: Partial<GasBlock>): GasBlock {
  return {
    number: 1,
    baseFee: 10n,
    gasUsed: 15n,
    gasLimit: 30n,
    txs: 4,
    tips: { ...TIPS, bids: 4, zero: 1 },
    ...changed,
  };
}

test("an hour averages its blocks, cut to whole wei", () => {
  const hour = hourOf([
    block({}),
    block({ baseFee: 11n, tips: { ...TIPS, max: 20n, bids: 2, zero: 2 } }),
  ]);
  expect(hour).toEqual({
    block_count: 2,
    avg_base_fee: "10",
    avg_gas_used: "15",
    avg_gas_limit: "30",
    utilization: 0.5,
    tx_count: "8",
    avg_block_priority_fee_min: "1",
    avg_block_priority_fee_max: "14",
    avg_priority_fee_top5_threshold: "9",
    avg_priority_fee_top5_avg: "9",
    avg_priority_fee_top10_threshold: "8",
    avg_priority_fee_top10_avg: "8",
    zero_tip_ratio: 0.5,
  });
});

test("a block in which nobody bids counts as a block and not among the tips", () => {
  const hour = hourOf([block({}), block({ txs: 0, gasUsed: 0n, tips: null })]);
  expect(hour).toMatchObject({ block_count: 2, tx_count: "4", avg_block_priority_fee_max: "9" });
  expect(hourOf([block({ txs: 0, tips: null })])).toMatchObject({
    tx_count: "0",
    avg_block_priority_fee_max: null,
    zero_tip_ratio: null,
  });
});

test("one block of the fee history makes an estimated hour, which does not say what is not known", () => {
  const blocks = [block({}), block({ txs: null, tips: TIPS })];
  expect(methodOf(blocks)).toBe("estimated");
  expect(hourOf(blocks)).toMatchObject({ tx_count: null, zero_tip_ratio: null, block_count: 2 });
  expect(methodOf([block({})])).toBe("exact");
});

test("an hour before EIP-1559 has no base fee", () => {
  expect(hourOf([block({ baseFee: null })]).avg_base_fee).toBeNull();
});

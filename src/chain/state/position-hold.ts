import { amountsBetween, sqrtPriceX96AtTick } from "../../base/ticks.ts";
import type { BlockReader } from "./block-reader.ts";
import type { ChainParts } from "./chain-state.ts";
import type { Amounts } from "./position-amounts.ts";
import { v3StateOf } from "./v3-pools.ts";
import { owedOf } from "./v3-positions.ts";
import type { PositionFacts } from "./v4-keys.ts";
import { v4ManagerOf } from "./v4-pools.ts";
import { v4FeesOf } from "./v4-positions.ts";
import { readSlot0 } from "./v4-slots.ts";

/** What went into a position, came out of it, or was collected of it, at one time. */
export interface PositionFlow extends Amounts {
  readonly kind: "in" | "out" | "collected";
  /** What its liquidity rose or fell by. */
  readonly liquidity: bigint;
}

/** Whoever knows what went in and out of positions, since some block. Both reject with Refusal and RpcError. */
export interface PositionFlows {
  /** Oldest first, up to the reader's block. */
  v3(reader: BlockReader, nft: string): Promise<readonly PositionFlow[]>;
  /** Likewise; null: of some nobody keeps the state that tells what they were. */
  v4(
    reader: BlockReader,
    nft: string,
    facts: PositionFacts,
    manager: string,
  ): Promise<readonly PositionFlow[] | null>;
}

/**
 * The record of what a V3 position is and was given; undefined where there is none. Rejects with RpcError, and
 * with Refusal until its entries are read.
 */
export async function v3HoldRecord(
  reader: BlockReader,
  nft: string,
  { chainId, v3Positions }: ChainParts,
  known: PositionFlows,
) {
  const found = await v3Positions.read(reader, nft);
  const state = found === null ? null : await v3StateOf(reader, found.facts.pool);
  if (found === null || state === null) return undefined;
  const { facts, holding } = found;
  const [fees, flows] = await Promise.all([
    owedOf(reader, facts, holding, state),
    known.v3(reader, nft),
  ]);
  const { liquidity } = holding;
  const ends = [sqrtPriceX96AtTick(facts.lower), sqrtPriceX96AtTick(facts.upper)] as const;
  const amounts = amountsBetween(state.sqrtPriceX96, ...ends, liquidity);
  const { sqrtPriceX96 } = state;
  return holdRecord({ chainId, nft, sqrtPriceX96, liquidity, amounts, fees, flows });
}

/** The same of a V4 position. */
export async function v4HoldRecord(
  reader: BlockReader,
  nft: string,
  parts: ChainParts,
  known: PositionFlows,
) {
  const { chainId, keys } = parts;
  const manager = v4ManagerOf(parts);
  const facts = manager === null ? null : await keys.position(reader, nft);
  if (manager === null || facts === null) return undefined;
  const [words, fees, flows] = await Promise.all([
    reader.slots(facts.slots),
    v4FeesOf(reader, facts),
    known.v4(reader, nft, facts, manager),
  ]);
  const { sqrtPriceX96 } = readSlot0(words[0] ?? 0n);
  const liquidity = words[1] ?? 0n;
  const amounts = amountsBetween(sqrtPriceX96, facts.sqrtLower, facts.sqrtUpper, liquidity);
  const hold = { chainId, nft, sqrtPriceX96, liquidity, amounts, fees, flows };
  return { ...holdRecord(hold), protocol: "dexa" };
}

interface Hold {
  readonly chainId: number;
  readonly nft: string;
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
  readonly amounts: Amounts;
  readonly fees: Amounts | null;
  readonly flows: readonly PositionFlow[] | null;
}

function holdRecord({ chainId, nft, sqrtPriceX96, liquidity, amounts, fees, flows }: Hold) {
  const given = flows === null ? null : sumOf(flows);
  // Entries that do not come to its liquidity begin too late to tell what was put in.
  const deposited = given?.liquidity === liquidity ? given.deposited : null;
  return {
    chain_id: chainId,
    nft_id: nft,
    sqrt_price_x96: sqrtPriceX96.toString(),
    amount0: amounts.amount0.toString(),
    amount1: amounts.amount1.toString(),
    fees0: fees?.amount0.toString() ?? null,
    fees1: fees?.amount1.toString() ?? null,
    collected0: given?.collected.amount0.toString() ?? null,
    collected1: given?.collected.amount1.toString() ?? null,
    deposited0: deposited?.amount0.toString() ?? null,
    deposited1: deposited?.amount1.toString() ?? null,
  };
}

/**
 * All that was put in less what was taken out, and all that was collected less what was taken out, which is
 * among it: below zero it is while that still waits to be collected, as part of the fees owed.
 */
function sumOf(flows: readonly PositionFlow[]): {
  readonly liquidity: bigint;
  readonly deposited: Amounts;
  readonly collected: Amounts;
} {
  const sum = { in: [0n, 0n], out: [0n, 0n], collected: [0n, 0n] } as Record<
    PositionFlow["kind"],
    [bigint, bigint]
  >;
  let liquidity = 0n;
  for (const flow of flows) {
    const [amount0, amount1] = sum[flow.kind];
    sum[flow.kind] = [amount0 + flow.amount0, amount1 + flow.amount1];
    liquidity += flow.liquidity;
  }
  const less = (one: [bigint, bigint]): Amounts => ({
    amount0: one[0] - sum.out[0],
    amount1: one[1] - sum.out[1],
  });
  return { liquidity, deposited: less(sum.in), collected: less(sum.collected) };
}

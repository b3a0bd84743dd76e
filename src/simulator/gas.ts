import { DAY, HOUR, MINUTE } from "../base/duration.ts";
import { type Blocks, blocksOf, type Network } from "./networks.ts";
import { type Octave, smoothNoise, stream, uniform, wander } from "./noise.ts";
import type { Story } from "./script.ts";
import { scriptedTips } from "./scripted.ts";

/** Finished hours are kept so as not to be computed again: 90 days and a few more. */
const KEPT_HOURS = 2_300;

/**
 * The gas statistics of one chain: `hour` (epoch ms of its start) as it is known at `at`. A running
 * hour covers the blocks up to `at`; an hour without a block has no record.
 */
export function gasOf(
  network: Network,
  story: Story,
): (hour: number, at: number) => ReturnType<typeof averaged> {
  const blocks = blocksOf(network, story.start);
  const fees = feesOf(network, story);
  const finished = new Map<number, ReturnType<typeof averaged>>();
  return (hour, at) => {
    const kept = finished.get(hour);
    const over = at >= hour + HOUR;
    if (over && kept !== undefined) return kept;
    const record = averaged(network, blocks, fees, hour, Math.min(at, hour + HOUR - 1));
    if (over && record !== undefined) {
      if (finished.size >= KEPT_HOURS) finished.clear();
      finished.set(hour, record);
    }
    return record;
  };
}

/**
 * The hourly gas record of the specification, fees in wei as decimal strings: averages over the
 * blocks from `hour` to `last`, both included.
 */
function averaged(
  network: Network,
  blocks: Blocks,
  fees: (minute: number) => Minute,
  hour: number,
  last: number,
) {
  const parts: (readonly [Minute, number])[] = [];
  for (let minute = hour; minute <= last; minute += MINUTE) {
    const made = blocks.countIn(minute - 1, Math.min(minute + MINUTE - 1, last));
    if (made > 0) parts.push([fees(minute), made]);
  }
  const count = parts.reduce((sum, [, made]) => sum + made, 0);
  if (count === 0) return undefined;
  const total = (of: (minute: Minute) => number): number =>
    parts.reduce((sum, [minute, made]) => sum + of(minute) * made, 0);
  // Sums of whole numbers below 2^53 are exact, so an average never depends on their order.
  const mean = (of: (minute: Minute) => number): string => String(Math.floor(total(of) / count));
  const txs = total((m) => m.txs);
  return {
    hour: new Date(hour).toISOString().replace(".000Z", "Z"),
    block_count: count,
    avg_base_fee: mean((m) => m.baseFee),
    avg_gas_used: mean((m) => m.gasUsed),
    avg_gas_limit: String(network.gasLimit),
    utilization: sixDigits(total((m) => m.gasUsed) / count / network.gasLimit),
    tx_count: String(txs),
    avg_block_priority_fee_min: mean((m) => m.lowest),
    avg_block_priority_fee_max: mean((m) => m.highest),
    avg_priority_fee_top5_threshold: mean((m) => m.top5),
    avg_priority_fee_top5_avg: mean((m) => m.top5Mean),
    avg_priority_fee_top10_threshold: mean((m) => m.top10),
    avg_priority_fee_top10_avg: mean((m) => m.top10Mean),
    zero_tip_ratio: sixDigits(total((m) => m.zeroTips * m.txs) / txs),
  };
}

function sixDigits(value: number): number {
  return Number(value.toPrecision(6));
}

/** What every block of one minute looks like: wei, gas and transactions are whole numbers. */
type Minute = ReturnType<ReturnType<typeof feesOf>>;

const WEI_PER_GWEI = 1e9;

const LEVEL: readonly Octave[] = [
  { period: 12 * MINUTE, size: 0.06 },
  { period: 90 * MINUTE, size: 0.1 },
  { period: 9 * HOUR, size: 0.13 },
  { period: 4 * DAY, size: 0.15 },
];

/** A spike of demand of the market's own, if there is one, lies within a slot of this length. */
const SLOT = 3 * HOUR;
const SPIKES_PER_SLOT = 0.06;

/**
 * The fees of one chain, a function of the minute (epoch ms of its start): a level, a daily rhythm,
 * a wander, spikes, and the script on top. In the three hours before and after `start` there
 * is no spike but the script's, so that what a script shows is what it says.
 */
function feesOf(network: Network, { seed, start, script }: Story) {
  const name = `gas:${network.chainId}`;
  const tipWander = wander(stream(seed, `${name}:tip`), LEVEL);
  const baseWander = wander(stream(seed, `${name}:base`), LEVEL);
  const shape = stream(seed, `${name}:shape`);
  const spikes = stream(seed, `${name}:spikes`);

  return (minute: number) => {
    const t = minute - start;
    const day = rhythm(minute);
    const spike = spikeAt(spikes, t);
    const noise = (layer: number): number => smoothNoise(shape + layer, t / (7 * MINUTE));
    const tips = day * spike * scriptedTips(script, network.chainId, t);
    const tip = Math.max(network.tip * Math.exp(tipWander(t)) * tips, network.tipFloor * 1.04);
    const top5 = tip * (1.45 + 0.15 * noise(1));
    const top5Mean = top5 * (1.8 + 0.2 * noise(2));
    const demand = 1 + 0.09 * noise(3) + 0.35 * (day - 1);
    const lowest = network.tipFloor * (1.004 + 0.004 * noise(4)) + quietTip(network, tip);
    const base = network.baseFee * Math.exp(1.5 * baseWander(t)) * day * (1 + 0.4 * (spike - 1));
    return {
      baseFee: wei(base),
      /** The lowest tip of a block. */
      lowest: wei(lowest),
      highest: wei(top5Mean * (9 + 5 * noise(5))),
      top5: wei(top5),
      top5Mean: wei(top5Mean),
      top10: wei(tip),
      top10Mean: wei(tip * (1.65 + 0.2 * noise(6))),
      gasUsed: Math.round(Math.min(network.gasUsed * demand, network.gasLimit)),
      txs: Math.max(1, Math.round(network.txsPerBlock * demand)),
      /** Share of the transactions without a tip. */
      zeroTips: Math.min(1, network.zeroTips * (1 + 0.2 * noise(7) - 0.3 * (day - 1))),
    };
  };
}

/** Blocks without a zero tip are rare where zero tips are common; they lift the lowest a little. */
function quietTip(network: Network, tip: number): number {
  return network.tipFloor > 0 ? 0 : tip * 0.0004 * (1 - network.zeroTips);
}

/** Around 1: the most at 15:00 UTC, the least at 3:00, and less at weekends. */
function rhythm(at: number): number {
  const hour = (at % DAY) / HOUR;
  // 1 January 1970 was a Thursday, so days 2 and 3 of each seven are Saturday and Sunday.
  const weekday = Math.floor(at / DAY) % 7;
  const weekend = weekday === 2 || weekday === 3;
  return (1 + 0.26 * Math.cos(((hour - 15) / 24) * 2 * Math.PI)) * (weekend ? 0.9 : 1);
}

function spikeAt(of: number, t: number): number {
  const slot = Math.floor(t / SLOT);
  if (slot === -1 || slot === 0) return 1;
  if (uniform(of, slot * 4) >= SPIKES_PER_SLOT) return 1;
  const length = (4 + 20 * uniform(of, slot * 4 + 1)) * MINUTE;
  const begin = slot * SLOT + uniform(of, slot * 4 + 2) * (SLOT - length);
  if (t < begin || t >= begin + length) return 1;
  return 2.5 + 4.5 * uniform(of, slot * 4 + 3);
}

function wei(gwei: number): number {
  return Math.round(gwei * WEI_PER_GWEI);
}

import { DAY, HOUR, MINUTE } from "../base/duration.ts";
import type { Network } from "./networks.ts";
import { type Octave, smoothNoise, stream, uniform, wander } from "./noise.ts";
import { type ScriptEvent, scriptedTips } from "./script.ts";

/** What every block of one minute looks like: wei, gas and transactions are whole numbers. */
export interface Minute {
  readonly baseFee: number;
  /** The lowest tip of a block. */
  readonly lowest: number;
  readonly highest: number;
  readonly top5: number;
  readonly top5Mean: number;
  readonly top10: number;
  readonly top10Mean: number;
  readonly gasUsed: number;
  readonly txs: number;
  /** Share of the transactions without a tip. */
  readonly zeroTips: number;
}

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
export function feesOf(
  network: Network,
  seed: number,
  start: number,
  script: readonly ScriptEvent[],
): (minute: number) => Minute {
  const name = `gas:${network.chainId}`;
  const tipWander = wander(stream(seed, `${name}:tip`), LEVEL);
  const baseWander = wander(stream(seed, `${name}:base`), LEVEL);
  const shape = stream(seed, `${name}:shape`);
  const spikes = stream(seed, `${name}:spikes`);

  return (minute) => {
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
      lowest: wei(lowest),
      highest: wei(top5Mean * (9 + 5 * noise(5))),
      top5: wei(top5),
      top5Mean: wei(top5Mean),
      top10: wei(tip),
      top10Mean: wei(tip * (1.65 + 0.2 * noise(6))),
      gasUsed: Math.round(Math.min(network.gasUsed * demand, network.gasLimit)),
      txs: Math.max(1, Math.round(network.txsPerBlock * demand)),
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

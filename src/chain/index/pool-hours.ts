import { setImmediate } from "node:timers/promises";
import { DAY, HOUR } from "../../base/duration.ts";
import { hourAt } from "../gas/gas-table.ts";
import type { ChainTables } from "./chain-tables.ts";
import { DEPTH } from "./reorg.ts";
import { after, NO_TRADES, type Trades, tradesOf } from "./trades.ts";

/** Hours of pools that are over are kept, so many in all. */
const KEPT = 20_000;

/** What pools traded by hours, as far as their windows and the borders of hours are known. */
export class PoolHours {
  readonly #kept = new Map<string, Trades>();

  constructor(private readonly tables: ChainTables) {}

  /**
   * What a pool traded in [from, to) (epoch ms, whole hours), up to the newest block. Null where the first block
   * of one of the hours is not known. Other work has its turn between two hours.
   */
  async between(
    pool: string,
    fee: number | null,
    from: number,
    to: number,
  ): Promise<Trades | null> {
    let sum = NO_TRADES;
    const newest = this.tables.blocks.newest()?.time ?? 0;
    for (let hour = from; hour < to && hour <= newest; hour += HOUR) {
      const trades = await this.#hour(pool, fee, hour);
      if (trades === null) return null;
      sum = after(sum, trades);
    }
    return sum;
  }

  /**
   * What a pool traded in the 24 hours up to the newest block, or since the chain began. Where they begin within
   * an hour is reckoned between the first blocks of that hour and the next. Null as above, and where the
   * pool's window (`first`: its first block) is shorter.
   */
  async lastDay(pool: string, fee: number | null, first: number): Promise<Trades | null> {
    const { blocks, borders, entries } = this.tables;
    const newest = blocks.newest();
    if (newest === undefined) return null;
    const since = newest.time - DAY;
    const chainBegins = borders.begin() ?? 0;
    if (chainBegins > since) {
      return first === 0 ? this.between(pool, fee, chainBegins, newest.time + 1) : null;
    }
    const hour = hourAt(since);
    const [low, next] = [borders.at(hour), borders.at(hour + HOUR)];
    if (low === undefined || next === undefined) return null;
    const begin = low + Math.ceil(((next - low) * (since - hour)) / HOUR);
    if (begin < first) return null;
    const part = tradesOf(entries.swapsBetween(pool, begin, next - 1), fee);
    const rest = await this.between(pool, fee, hour + HOUR, newest.time + 1);
    return rest === null ? null : after(part, rest);
  }

  async #hour(pool: string, fee: number | null, hour: number): Promise<Trades | null> {
    const { blocks, borders, entries } = this.tables;
    const newest = blocks.newest();
    const first = borders.at(hour);
    if (newest === undefined || first === undefined) return null;
    const next = borders.at(hour + HOUR);
    if (next === undefined && newest.time >= hour + HOUR) return null;
    const key = `${pool}:${hour}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    await setImmediate();
    const last = (next ?? Number.MAX_SAFE_INTEGER) - 1;
    const trades = tradesOf(entries.swapsBetween(pool, first, last), fee);
    if (next !== undefined && next <= newest.number - DEPTH) {
      if (this.#kept.size >= KEPT) this.#kept.clear();
      this.#kept.set(key, trades);
    }
    return trades;
  }
}

import { DAY, HOUR } from "../../base/duration.ts";
import { blocksAt } from "../index/blocks.ts";
import type { ChainTables } from "../index/chain-tables.ts";
import type { RpcNode } from "../rpc/node.ts";
import type { ChainReporter } from "../rpc/nodes.ts";
import { hourBorder } from "./borders.ts";
import { feeHistory } from "./fee-history.ts";
import { hourAt } from "./gas-table.ts";
import type { GasBlock } from "./hours.ts";
import { isLacking } from "./live-gas.ts";

/** As far back as one question may reach. */
export const GAS_DAYS = 90;
/** Blocks that are read at once: as many as one answer of the fee history holds. */
const AT_ONCE = 1_024;
/** On a chain whose blocks are rare. */
const HOURS_AT_ONCE = 24;

/** Reads the hours before the first start, and those that the daemon was not there for: the newest first. */
export class GasPast {
  /** Gas of hours before this one cannot be had (epoch ms). */
  #gasFloor = 0;

  constructor(
    private readonly tables: ChainTables,
    private readonly report: ChainReporter,
    /** Of so many days the first blocks of hours are wanted, whether gas can be read or not. */
    private readonly days: number,
  ) {}

  /** Reads some hours. False: there are none left. Rejects with RpcError. */
  async step(node: RpcNode): Promise<boolean> {
    const hours = this.#missing();
    const [newest] = hours;
    if (newest === undefined) return false;
    const borders = await this.#bordersOf(node, hours);
    const read = hours.filter((hour) => borders.has(hour));
    const first = borders.get(read.at(-1) ?? newest) ?? 0;
    const end = borders.get(newest + HOUR) ?? 0;
    const blocks = await this.#read(node, newest, first, end);
    this.tables.write(() => {
      for (const hour of read) {
        const [begin, next] = [borders.get(hour), borders.get(hour + HOUR)];
        if (begin === undefined || next === undefined) continue;
        this.tables.borders.put(hour, begin);
        const own = blocks.filter(({ number }) => number >= begin && number < next);
        this.tables.gas.putHour(hour, own);
      }
    });
    return true;
  }

  /** None where the node has no fee history of them, which is said once. */
  async #read(
    node: RpcNode,
    newest: number,
    first: number,
    end: number,
  ): Promise<readonly GasBlock[]> {
    if (end <= first || newest < this.#gasFloor) return [];
    const edges = await blocksAt(node, [first, end - 1]);
    const limits = edges.map(({ gasLimit }) => gasLimit);
    const limit = limits.reduce((sum, one) => sum + one, 0n) / BigInt(limits.length);
    try {
      return await feeHistory(node, first, end - 1, limit);
    } catch (error) {
      if (!isLacking(error)) throw error;
      this.#gasFloor = newest + HOUR;
      this.report("warn", "older gas hours cannot be read: the node has no fee history of them", {
        node: node.name,
        before: new Date(this.#gasFloor).toISOString(),
      });
      return [];
    }
  }

  /** Hours that follow one another backwards from the newest that lacks. */
  #missing(): readonly number[] {
    const { gas, borders } = this.tables;
    const newest = this.tables.blocks.newest();
    if (newest === undefined) return [];
    const last = hourAt(newest.time) - HOUR;
    const from = Math.max(borders.begin() ?? 0, hourAt(last - GAS_DAYS * DAY));
    const windows = hourAt(last - this.days * DAY);
    const known = gas.known(from, last);
    const lacks = (hour: number): boolean => {
      const [first, next] = [borders.at(hour), borders.at(hour + HOUR)];
      if (hour < this.#gasFloor) return first === undefined && hour >= windows;
      // An hour without a block has no record.
      return !known.has(hour) && (first === undefined || first !== next);
    };
    const missing: number[] = [];
    for (let hour = last; hour >= from && missing.length < HOURS_AT_ONCE; hour -= HOUR) {
      if (lacks(hour)) missing.push(hour);
      else if (missing.length > 0) break;
    }
    return missing;
  }

  /**
   * The first blocks of the newest of these hours, and of the hour after them: as many as have their blocks in
   * one answer, one at least.
   */
  async #bordersOf(node: RpcNode, hours: readonly number[]): Promise<Map<number, number>> {
    const borders = new Map<number, number>();
    const [newest] = hours;
    if (newest === undefined) return borders;
    let above = await this.#borderOf(node, newest + HOUR, null);
    borders.set(newest + HOUR, above.number);
    const end = above.number;
    for (const hour of hours) {
      const border = await this.#borderOf(node, hour, above);
      if (borders.size > 1 && end - border.number > AT_ONCE) break;
      borders.set(hour, border.number);
      if (border.number === 0) break;
      above = border;
    }
    return borders;
  }

  async #borderOf(
    node: RpcNode,
    hour: number,
    above: { readonly number: number; readonly time: number; readonly perHour: number } | null,
  ): Promise<{ readonly number: number; readonly time: number; readonly perHour: number }> {
    const { borders, blocks } = this.tables;
    const known = borders.at(hour);
    const newest = blocks.newest();
    const high = above ?? {
      number: newest?.number ?? 0,
      time: newest?.time ?? hour,
      perHour: 1_800,
    };
    const number = known ?? (await hourBorder(node, hour, high, high.perHour));
    const perHour = above === null ? high.perHour : Math.max(1, above.number - number);
    return { number, time: hour, perHour };
  }
}

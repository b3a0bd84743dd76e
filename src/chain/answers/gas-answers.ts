import { isoTime } from "../../api/written.ts";
import { chainName } from "../../base/chains.ts";
import { DAY } from "../../base/duration.ts";
import { Refusal } from "../../serve/refusal.ts";
import { hourAt } from "../gas/gas-table.ts";
import { GAS_DAYS } from "../gas/past.ts";
import type { ChainTables } from "../index/chain-tables.ts";
import { type Remaining, RemainingTime } from "../index/remaining.ts";

export interface GasAnswersOptions {
  readonly chainId: number;
  readonly tables: ChainTables;
  /** Waits a little until something is so, as it soon may be; then it is asked again. */
  readonly soon: (isSo: () => boolean) => Promise<void>;
  /** Milliseconds of a clock that is never set. */
  readonly elapsed: () => number;
}

/** A chain's hours of gas in the specification's words. */
export class GasAnswers {
  readonly #options: GasAnswersOptions;
  readonly #remaining: RemainingTime;

  constructor(options: GasAnswersOptions) {
    this.#options = options;
    this.#remaining = new RemainingTime(options.elapsed);
  }

  /** The hours that begin in [from, to] (epoch ms), oldest first; those that are not read yet are left out. */
  async hours(from: number, to: number): Promise<readonly unknown[]> {
    const { tables, chainId, soon } = this.#options;
    await soon(() => tables.blocks.newest() !== undefined);
    if (tables.blocks.newest() === undefined) {
      throw new Refusal("not_indexed", `gas of ${chainName(chainId)}: no block is read yet`);
    }
    return tables.gas
      .hours(from, to)
      .map(({ hour, fields }) => ({ hour: isoTime(hour), ...fields }));
  }

  /** How many hours of gas are read of the last 90 days, and which part of them block by block. */
  progress(): { readonly read: Remaining; readonly exactHours: number } {
    const { tables } = this.#options;
    const newest = tables.blocks.newest();
    if (newest === undefined) return { read: this.#remaining.of("gas", 0, 1), exactHours: 0 };
    const running = hourAt(newest.time);
    const from = running - GAS_DAYS * DAY;
    const hours = tables.gas.hours(from, running);
    const exactSince = hours.findLastIndex(({ method }) => method === "estimated") + 1;
    const wanted = GAS_DAYS * 24 + 1;
    return {
      read: this.#remaining.of("gas", hours.length, wanted),
      exactHours: hours.length - exactSince,
    };
  }
}

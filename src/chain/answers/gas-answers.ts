import { isoTime } from "../../api/written.ts";
import { chainName } from "../../base/chains.ts";
import { Refusal } from "../../serve/refusal.ts";
import type { ChainTables } from "../index/chain-tables.ts";

export interface GasAnswersOptions {
  readonly chainId: number;
  readonly tables: ChainTables;
  /** Waits a little until something is so, as it soon may be; then it is asked again. */
  readonly soon: (isSo: () => boolean) => Promise<void>;
}

/** A chain's hours of gas in the specification's words. */
export class GasAnswers {
  constructor(private readonly options: GasAnswersOptions) {}

  /** The hours that begin in [from, to] (epoch ms), oldest first; those that are not read yet are left out. */
  async hours(from: number, to: number): Promise<readonly unknown[]> {
    const { tables, chainId, soon } = this.options;
    await soon(() => tables.blocks.newest() !== undefined);
    if (tables.blocks.newest() === undefined) {
      throw new Refusal("not_indexed", `gas of ${chainName(chainId)}: no block is read yet`);
    }
    return tables.gas
      .hours(from, to)
      .map(({ hour, fields }) => ({ hour: isoTime(hour), ...fields }));
  }
}

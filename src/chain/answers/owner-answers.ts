import { Refusal } from "../../serve/refusal.ts";
import type { ChainTables } from "../index/chain-tables.ts";
import { RemainingTime, reading } from "../index/remaining.ts";

export interface OwnerAnswersOptions {
  readonly tables: ChainTables;
  /** Waits a little until something is so, as it soon may be. */
  readonly soon: (isSo: () => boolean) => Promise<void>;
  /** Asks for the transfers of an owner's positions to be read from now on. */
  readonly follow: (owner: string) => void;
  /** Milliseconds of a clock that is never set. */
  readonly elapsed: () => number;
}

/** Which V4 positions owners have, by the transfers of their NFTs. */
export class OwnerAnswers {
  readonly #remaining: RemainingTime;

  constructor(private readonly options: OwnerAnswersOptions) {
    this.#remaining = new RemainingTime(options.elapsed);
  }

  /**
   * The ids of an owner's positions in decimal, as they came; `owner` in lower case. Throws Refusal until all
   * transfers are read up to `block`: a list in part would say that positions have left.
   */
  async heldBy(owner: string, block: number): Promise<readonly string[]> {
    const { tables, soon } = this.options;
    const isRead = (): boolean =>
      this.#isLive(owner) && (tables.blocks.newest()?.number ?? -1) >= block;
    if (!isRead()) await soon(isRead);
    if (isRead()) return tables.nfts.heldBy(owner);
    const source = tables.sources.get("owner", owner);
    const newest = tables.blocks.newest()?.number ?? 0;
    const first = source?.first ?? 0;
    const done = source === undefined ? 0 : (source.last ?? newest) - first + 1;
    const left = this.#remaining.of(owner, done, Math.max(1, newest - first + 1));
    throw new Refusal("not_indexed", `V4 positions of ${owner}: ${reading(left)}`);
  }

  #isLive(owner: string): boolean {
    const source = this.options.tables.sources.get("owner", owner);
    if (source === undefined) this.options.follow(owner);
    return source?.last === null;
  }
}

import type { Clock } from "../base/clock.ts";
import type { RpcSettings } from "../model/index.ts";
import { Refusal } from "../serve/refusal.ts";
import type { Database } from "../store/sqlite/driver.ts";
import { type ChainIndex, openChainIndex } from "./chain-index.ts";
import { openChainDb } from "./db/open.ts";
import { SeenTable } from "./db/seen-table.ts";
import { type NotedProgress, notedProgress } from "./index/progress-table.ts";
import type { ChainReporter } from "./rpc/nodes.ts";
import type { ChainState } from "./state/chain-state.ts";

export interface ChainIndexesOptions {
  readonly settings: RpcSettings;
  readonly chains: ReadonlyMap<number, ChainState>;
  readonly clock: Clock;
  readonly report: ChainReporter;
}

/** The indexes of all chains in one database, each begun when it is first needed. */
export class ChainIndexes {
  readonly #indexes = new Map<number, Promise<ChainIndex>>();
  /** By chain the end of those that are followed no more: two of one chain would be in each other's way. */
  readonly #ends = new Map<number, Promise<void>>();
  #db: Promise<Database> | null = null;
  #open: Database | null = null;
  #part = 1;

  constructor(private readonly options: ChainIndexesOptions) {}

  /** Of the requests that the nodes may be sent so much is this process's from now on; above 0, and 1 at most. */
  pace(part: number): void {
    this.#part = part;
    for (const index of this.#indexes.values()) {
      // One that fails to open has nothing to ask.
      void index.then(
        (opened) => opened.pace(part),
        () => {},
      );
    }
  }

  /**
   * Goes on with these chains, and with no others until they are asked about again. What was read of those stays, and
   * is gone on from then.
   */
  keep(needed: ReadonlySet<number>): void {
    for (const [chainId, index] of this.#indexes) {
      if (needed.has(chainId)) continue;
      this.#indexes.delete(chainId);
      this.#ends.set(chainId, this.#end(chainId, index));
    }
    // Who asks hears what is wrong.
    for (const chainId of needed) this.of(chainId).catch(() => {});
  }

  /** Begins all of them. Rejects with ChainDbError, and as `ChainState.open` does. */
  async all(): Promise<void> {
    await Promise.all([...this.options.chains.keys()].map((chainId) => this.of(chainId)));
  }

  /** Rejects likewise, and with Refusal where there is no node of the chain. */
  async of(chainId: number): Promise<ChainIndex> {
    const { settings, chains, clock, report } = this.options;
    const [state, config] = [chains.get(chainId), settings.chains.get(chainId)];
    if (state === undefined || config === undefined) {
      throw new Refusal("unsupported_chain", `no node of chain ${chainId}`);
    }
    const begun = this.#indexes.get(chainId);
    if (begun !== undefined) return begun;
    const begin = async (): Promise<ChainIndex> => {
      await this.#ends.get(chainId);
      const db = await this.#database();
      const { data: path } = settings;
      return openChainIndex({ state, config, db, path, clock, report, part: this.#part });
    };
    const opening = begin();
    this.#indexes.set(chainId, opening);
    // What failed is tried anew with the next question.
    opening.catch(() => {
      if (this.#indexes.get(chainId) === opening) this.#indexes.delete(chainId);
    });
    return opening;
  }

  async #end(chainId: number, index: Promise<ChainIndex>): Promise<void> {
    await this.#ends.get(chainId);
    // One that failed to open has nothing to end.
    const opened = await index.catch(() => null);
    await opened?.close();
  }

  /** Where it is kept since when the subjects of a chain are as they are; null: the database is in memory, or no good. */
  async seen(chainId: number): Promise<SeenTable | null> {
    if (this.options.settings.data === null) return null;
    try {
      return new SeenTable(await this.#database(), chainId);
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      this.options.report("warn", "nothing of chains can be kept", { chain: chainId, detail });
      return null;
    }
  }

  /** What of the past is still being read. */
  progress(): readonly NotedProgress[] {
    return this.#open === null ? [] : notedProgress(this.#open);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#ends.values());
    const indexes = await Promise.allSettled(this.#indexes.values());
    for (const index of indexes) {
      if (index.status === "fulfilled") await index.value.close();
    }
    const db = await this.#db?.catch(() => null);
    this.#open = null;
    db?.close();
  }

  #database(): Promise<Database> {
    const opening = async (): Promise<Database> => {
      try {
        this.#open = await openChainDb(this.options.settings.data ?? ":memory:");
        return this.#open;
      } catch (error) {
        this.#db = null;
        throw error;
      }
    };
    this.#db ??= opening();
    return this.#db;
  }
}

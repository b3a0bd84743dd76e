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
      const db = await this.#database();
      const { data: path } = settings;
      return openChainIndex({ state, config, db, path, clock, report, part: this.#part });
    };
    const opening = begin();
    this.#indexes.set(chainId, opening);
    // What failed is tried anew with the next question.
    opening.catch(() => this.#indexes.delete(chainId));
    return opening;
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

import type { Database } from "../../store/sqlite/driver.ts";
import { BorderTable } from "../gas/border-table.ts";
import { GasTable } from "../gas/gas-table.ts";
import { Entries } from "./entries.ts";
import { Flows, NftTransfers } from "./flows.ts";
import { Holders, TokenStatuses } from "./holders.ts";
import { ProgressTable } from "./progress-table.ts";
import { Journal, KeptBlocks } from "./reorg.ts";
import { Sources } from "./sources.ts";

/** All that is kept of one chain. */
export class ChainTables {
  readonly blocks: KeptBlocks;
  readonly journal: Journal;
  readonly gas: GasTable;
  readonly borders: BorderTable;
  readonly sources: Sources;
  readonly entries: Entries;
  readonly nfts: NftTransfers;
  readonly flows: Flows;
  readonly holders: Holders;
  readonly status: TokenStatuses;
  readonly progress: ProgressTable;

  constructor(
    private readonly db: Database,
    chain: number,
  ) {
    this.blocks = new KeptBlocks(db, chain);
    this.journal = new Journal(db, chain);
    this.gas = new GasTable(db, chain);
    this.borders = new BorderTable(db, chain);
    this.sources = new Sources(db, chain);
    this.entries = new Entries(db, chain);
    this.nfts = new NftTransfers(db, chain);
    this.flows = new Flows(db, chain);
    this.holders = new Holders(db, chain, this.journal);
    this.status = new TokenStatuses(db, chain);
    this.progress = new ProgressTable(db, chain);
  }

  /** Runs `work` in one transaction: all of it is kept, or nothing. */
  write<T>(work: () => T): T {
    return this.db.transaction(work).immediate();
  }

  /** Takes back what the blocks above `number` wrote, and them. Part of a transaction. */
  undo(number: number): void {
    const { gas, borders, entries, nfts, flows, holders } = this;
    for (const rows of [gas, borders, entries, nfts, flows, holders]) rows.undo(number);
    this.blocks.cutAbove(number);
    // What was read in ranges has no journal: a reorg as deep as that means reading it again.
    for (const { kind, id, first, last, since } of this.sources.all()) {
      const isWhole =
        last === null ? kind !== "transfers" || number >= (since ?? 0) - 1 : last <= number;
      if (isWhole) continue;
      if (kind === "transfers") this.holders.clear(id);
      this.sources.move(
        { kind, id },
        kind === "transfers" ? first - 1 : Math.max(first - 1, number),
      );
    }
  }
}

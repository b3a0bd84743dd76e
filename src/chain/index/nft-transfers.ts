import type { Database } from "../../store/sqlite/driver.ts";
import { type ChainLog, readNftTransfer } from "../codec/events.ts";
import type { Undoing } from "./reorg.ts";

interface MoveRow {
  readonly nft: string;
  readonly sender: string;
  readonly receiver: string;
}

/**
 * The transfers of V4 positions from and to owners that are followed. Methods that write are parts of a
 * transaction.
 */
export class NftTransfers implements Undoing {
  readonly #put;
  readonly #of;
  readonly #cut;

  constructor(
    db: Database,
    private readonly chain: number,
  ) {
    this.#put = db.prepare<[number, number, number, string, string, string]>(
      `INSERT OR REPLACE INTO nft_transfers (chain, block, log_index, nft, sender, receiver)
       VALUES (?, ?, ?, ?, ?, ?)`,
    );
    this.#of = db.prepare<[number, string, number, string], MoveRow>(
      `SELECT block, log_index, nft, sender, receiver FROM nft_transfers WHERE chain = ? AND sender = ?
       UNION
       SELECT block, log_index, nft, sender, receiver FROM nft_transfers WHERE chain = ? AND receiver = ?
       ORDER BY block, log_index`,
    );
    this.#cut = db.prepare<[number, number]>(
      "DELETE FROM nft_transfers WHERE chain = ? AND block > ?",
    );
  }

  /** Keeps the transfer that a log tells; false: it is another log. */
  put(log: ChainLog): boolean {
    const transfer = readNftTransfer(log);
    if (transfer === null) return false;
    const { from, to, value } = transfer;
    this.#put.run(this.chain, log.block, log.index, value.toString(), from, to);
    return true;
  }

  /** The NFTs that an owner has (its address in lower case), by their ids in decimal, as they came. */
  heldBy(owner: string): readonly string[] {
    const held = new Set<string>();
    for (const { nft, sender, receiver } of this.#of.all(this.chain, owner, this.chain, owner)) {
      if (sender === owner) held.delete(nft);
      if (receiver === owner) held.add(nft);
    }
    return [...held];
  }

  undo(number: number): void {
    this.#cut.run(this.chain, number);
  }
}

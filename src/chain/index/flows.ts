import type { Database } from "../../store/sqlite/driver.ts";
import { type ChainLog, readNftTransfer, readV3Flow, type V3Flow } from "../codec/events.ts";
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

/** What went into a position, came out of it, or was collected, and by which log. */
export interface Flow extends Omit<V3Flow, "nft"> {
  readonly block: number;
  readonly logIndex: number;
}

interface FlowRow {
  readonly block: number;
  readonly logIndex: number;
  readonly kind: Flow["kind"];
  readonly liquidity: string;
  readonly amount0: string;
  readonly amount1: string;
}

/**
 * What went in and out of positions that are followed. Methods that write are parts of a transaction.
 */
export class Flows implements Undoing {
  readonly #put;
  readonly #of;
  readonly #cut;

  constructor(
    db: Database,
    private readonly chain: number,
  ) {
    this.#put = db.prepare<[number, string, number, number, string, string, string, string]>(
      `INSERT OR REPLACE INTO position_flows
         (chain, position, block, log_index, kind, liquidity, amount0, amount1)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#of = db.prepare<[number, string], FlowRow>(
      `SELECT block, log_index AS logIndex, kind, liquidity, amount0, amount1 FROM position_flows
       WHERE chain = ? AND position = ? ORDER BY block, log_index`,
    );
    this.#cut = db.prepare<[number, number]>(
      "DELETE FROM position_flows WHERE chain = ? AND block > ?",
    );
  }

  /** Keeps what a log of V3's position manager tells; false: it is another log. */
  put(log: ChainLog): boolean {
    const flow = readV3Flow(log);
    if (flow === null) return false;
    this.add(`v3:${flow.nft}`, { ...flow, block: log.block, logIndex: log.index });
    return true;
  }

  /** Keeps what was found out of a position, which goes by its version and id: `v4:42`. */
  add(position: string, { block, logIndex, kind, liquidity, amount0, amount1 }: Flow): void {
    const numbers = [liquidity.toString(), amount0.toString(), amount1.toString()] as const;
    this.#put.run(this.chain, position, block, logIndex, kind, ...numbers);
  }

  /** Oldest first. */
  of(position: string): readonly Flow[] {
    return this.#of.all(this.chain, position).map(({ block, logIndex, kind, ...row }) => ({
      block,
      logIndex,
      kind,
      liquidity: BigInt(row.liquidity),
      amount0: BigInt(row.amount0),
      amount1: BigInt(row.amount1),
    }));
  }

  undo(number: number): void {
    this.#cut.run(this.chain, number);
  }
}

import type { Database } from "../../store/sqlite/driver.ts";
import type { Transfer } from "../codec/events.ts";
import type { Journal, Undoing } from "./reorg.ts";

/** How far the count of a token's holders has come, beside its sums. */
interface TokenStatus {
  /** About how many transfers there are; null: not looked yet. */
  readonly estimate: number | null;
  /** At which block the sums last agreed with the contract; null: they were not compared yet. */
  readonly checked: number | null;
  /** How often it was begun anew because they did not agree. */
  readonly recounts: number;
  /** Why its holders cannot be counted; null: they can, as far as is known. */
  readonly refused: string | null;
}

const UNKNOWN: TokenStatus = { estimate: null, checked: null, recounts: 0, refused: null };

/** The status of the tokens of a chain, by their addresses in lower case. Methods that write are parts of a transaction. */
export class TokenStatuses {
  readonly #get;
  readonly #put;

  constructor(
    db: Database,
    private readonly chain: number,
  ) {
    this.#get = db.prepare<[number, string], TokenStatus>(
      "SELECT estimate, checked, recounts, refused FROM tokens WHERE chain = ? AND address = ?",
    );
    this.#put = db.prepare<[TokenStatus & { readonly chain: number; readonly address: string }]>(
      `INSERT INTO tokens
         (chain, address, holders, below_zero, transfers, supply, estimate, checked, recounts, refused)
       VALUES (@chain, @address, 0, 0, 0, '0', @estimate, @checked, @recounts, @refused)
       ON CONFLICT (chain, address) DO UPDATE SET estimate = excluded.estimate,
         checked = excluded.checked, recounts = excluded.recounts, refused = excluded.refused`,
    );
  }

  get(token: string): TokenStatus {
    return this.#get.get(this.chain, token) ?? UNKNOWN;
  }

  put(token: string, changed: Partial<TokenStatus>): void {
    this.#put.run({ ...this.get(token), ...changed, chain: this.chain, address: token });
  }
}

/** Where tokens come from when they are minted, and go to when they are burned. */
const NOBODY = `0x${"0".repeat(40)}`;

/** What is known of all holders of a token together. */
interface HolderTotals {
  /** Wallets with more than nothing. */
  readonly holders: number;
  /** Wallets with less than nothing: then not every movement is logged as a transfer. */
  readonly belowZero: number;
  readonly transfers: number;
  /** What was minted less what was burned: the sum of all balances. */
  readonly supply: bigint;
}

/** A wallet in lower case and what it holds, in raw units. */
export interface Holding {
  readonly wallet: string;
  readonly balance: bigint;
}

interface TokenRow {
  readonly id: number;
  readonly holders: number;
  readonly below_zero: number;
  readonly transfers: number;
  readonly supply: string;
}

/** Of which kind of rows a note in the journal is. */
const KIND = "holders";

/**
 * The holders of tokens as sums of their transfers. Methods that write are parts of a transaction; token
 * addresses are in lower case.
 */
export class Holders implements Undoing {
  readonly #add;
  readonly #token;
  readonly #setTotals;
  readonly #balance;
  readonly #put;
  readonly #drop;
  readonly #richest;
  readonly #poorest;
  readonly #clear;

  constructor(
    db: Database,
    private readonly chain: number,
    private readonly journal: Journal,
  ) {
    this.#add = db.prepare<[number, string]>(
      `INSERT INTO tokens (chain, address, holders, below_zero, transfers, supply)
       VALUES (?, ?, 0, 0, 0, '0') ON CONFLICT DO NOTHING`,
    );
    this.#token = db.prepare<[number, string], TokenRow>(
      `SELECT id, holders, below_zero, transfers, supply FROM tokens
       WHERE chain = ? AND address = ?`,
    );
    this.#setTotals = db.prepare<[number, number, number, string, number]>(
      "UPDATE tokens SET holders = ?, below_zero = ?, transfers = ?, supply = ? WHERE id = ?",
    );
    this.#balance = db
      .prepare<[number, Buffer], string>(
        "SELECT balance FROM holders WHERE token = ? AND wallet = ?",
      )
      .pluck();
    this.#put = db.prepare<[number, Buffer, string]>(
      `INSERT INTO holders (token, wallet, balance) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET balance = excluded.balance`,
    );
    this.#drop = db.prepare<[number, Buffer]>("DELETE FROM holders WHERE token = ? AND wallet = ?");
    const page = (order: string) =>
      db.prepare<[number, number, number], { readonly wallet: Buffer; readonly balance: string }>(
        `SELECT wallet, balance FROM holders WHERE token = ?
         ORDER BY length(balance) ${order}, balance ${order}, wallet ${order} LIMIT ? OFFSET ?`,
      );
    this.#richest = page("DESC");
    this.#poorest = page("ASC");
    this.#clear = db.prepare<[number]>("DELETE FROM holders WHERE token = ?");
  }

  /** Undefined: the token is not counted. */
  totals(token: string): HolderTotals | undefined {
    const row = this.#token.get(this.chain, token);
    if (row === undefined) return undefined;
    const { holders, below_zero, transfers, supply } = row;
    return { holders, belowZero: below_zero, transfers, supply: BigInt(supply) };
  }

  /** The richest first, or the poorest; who holds nothing is not among them. */
  page(token: string, size: number, offset: number, ascending: boolean): readonly Holding[] {
    const row = this.#token.get(this.chain, token);
    if (row === undefined) return [];
    const rows = (ascending ? this.#poorest : this.#richest).all(row.id, size, offset);
    return rows.map(({ wallet, balance }) => ({
      wallet: `0x${wallet.toString("hex")}`,
      balance: BigInt(balance),
    }));
  }

  /**
   * Adds transfers of a token. `block`: all are of this block, which a reorg may take back; null: they are of
   * any blocks that none can reach.
   */
  add(token: string, transfers: readonly Transfer[], block: number | null): void {
    if (transfers.length === 0) return;
    const row = this.#rowOf(token);
    const sums = sumsOf(transfers);
    const minted = sums.get(NOBODY) ?? 0n;
    sums.delete(NOBODY);
    let { holders, below_zero: belowZero } = row;
    for (const [wallet, change] of sums) {
      if (change === 0n) continue;
      const key = Buffer.from(wallet.slice(2), "hex");
      const text = this.#balance.get(row.id, key);
      const before = text === undefined ? 0n : BigInt(text);
      const after = before + change;
      if (block !== null) this.journal.note(block, KIND, `${token}:${wallet}`, text ?? null);
      if (after === 0n) this.#drop.run(row.id, key);
      else this.#put.run(row.id, key, after.toString());
      holders += Number(after > 0n) - Number(before > 0n);
      belowZero += Number(after < 0n) - Number(before < 0n);
    }
    if (block !== null) {
      const all = [row.holders, row.below_zero, row.transfers, row.supply].join(" ");
      this.journal.note(block, KIND, token, all);
    }
    const supply = BigInt(row.supply) - minted;
    const count = row.transfers + transfers.length;
    this.#setTotals.run(holders, belowZero, count, supply.toString(), row.id);
  }

  undo(number: number): void {
    for (const { key, before } of this.journal.takeAbove(number, KIND)) {
      const [token = "", wallet] = key.split(":");
      const row = this.#rowOf(token);
      if (wallet === undefined) {
        const [holders, belowZero, transfers, supply] = (before ?? "0 0 0 0").split(" ");
        this.#setTotals.run(
          Number(holders),
          Number(belowZero),
          Number(transfers),
          supply ?? "0",
          row.id,
        );
        continue;
      }
      const bytes = Buffer.from(wallet.slice(2), "hex");
      if (before === null) this.#drop.run(row.id, bytes);
      else this.#put.run(row.id, bytes, before);
    }
  }

  /** Forgets all holders of a token: it is counted anew. */
  clear(token: string): void {
    const { id } = this.#rowOf(token);
    this.#clear.run(id);
    this.#setTotals.run(0, 0, 0, "0", id);
  }

  #rowOf(token: string): TokenRow {
    const row = this.#token.get(this.chain, token);
    if (row !== undefined) return row;
    this.#add.run(this.chain, token);
    const added = this.#token.get(this.chain, token);
    if (added === undefined) throw new Error("a token that was added is not there");
    return added;
  }
}

/** What each wallet gained, nobody among them. */
function sumsOf(transfers: readonly Transfer[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { from, to, value } of transfers) {
    sums.set(from, (sums.get(from) ?? 0n) - value);
    sums.set(to, (sums.get(to) ?? 0n) + value);
  }
  return sums;
}

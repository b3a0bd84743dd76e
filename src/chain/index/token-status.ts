import type { Database } from "../../store/sqlite/driver.ts";

/** How far the count of a token's holders has come, beside its sums. */
export interface TokenStatus {
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

import type { Database } from "../../store/sqlite/driver.ts";

/** Since when a subject has been as it is: a block and its time (epoch ms). */
export interface Seen {
  /** Anything that changes with the subject. */
  readonly state: string;
  readonly block: number;
  readonly time: number;
}

/** Since when the subjects of a chain have been as they are, for the next start. */
export class SeenTable {
  readonly #get;
  readonly #put;

  constructor(
    private readonly db: Database,
    private readonly chain: number,
  ) {
    this.#get = db.prepare<[number, string], Seen>(
      "SELECT state, block, time FROM seen WHERE chain = ? AND subject = ?",
    );
    this.#put = db.prepare<[number, string, string, number, number]>(
      `INSERT INTO seen (chain, subject, state, block, time) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET state = excluded.state, block = excluded.block, time = excluded.time`,
    );
  }

  get(subject: string): Seen | undefined {
    return this.#get.get(this.chain, subject);
  }

  /** All in one transaction. */
  put(seen: Iterable<readonly [subject: string, Seen]>): void {
    this.db
      .transaction(() => {
        for (const [subject, { state, block, time }] of seen) {
          this.#put.run(this.chain, subject, state, block, time);
        }
      })
      .immediate();
  }
}

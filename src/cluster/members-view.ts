import { type PostgresPlace, targetOf } from "../base/postgres-url.ts";
import { storeFailure, unusable } from "../store/postgres/failure.ts";
import { NEWEST_NUMBER, numberOf } from "../store/postgres/schema.ts";
import { connect } from "../store/postgres/session.ts";

/** A daemon of a cluster as the others see it. */
export interface MemberView {
  readonly name: string;
  readonly version: string;
  /** The same text for those with the same rules. */
  readonly config: string;
  /** It is the one that watches. */
  readonly works: boolean;
  /** Epoch milliseconds, by the server's clock. */
  readonly joinedAt: number;
  /** For so long, in milliseconds, the others count it as alive if it does not renew that; negative: that is over. */
  readonly leftMs: number;
}

/** Those that are alive, who watches first. Throws StoreError. */
export async function readMembers(place: PostgresPlace): Promise<readonly MemberView[]> {
  const where = `the PostgreSQL schema ${place.schema}`;
  try {
    const session = await connect(targetOf(place));
    try {
      const number = await numberOf((...asked) => session.query(...asked), place.schema);
      if (number === null) return [];
      if (number < NEWEST_NUMBER) {
        throw unusable(where, "an older tickwatch wrote it: start a daemon of this version first");
      }
      return await session.query<MemberView>(
        `SELECT members.name, version, config, leases.name IS NOT NULL AS works,
           floor(extract(epoch FROM joined_at) * 1000)::float8 AS "joinedAt",
           floor(extract(epoch FROM until - now()) * 1000)::float8 AS "leftMs"
         FROM members LEFT JOIN leases ON owner = members.id
         WHERE NOT dead ORDER BY works DESC, joined_at`,
      );
    } finally {
      await session.end();
    }
  } catch (error) {
    throw storeFailure(error, where);
  }
}

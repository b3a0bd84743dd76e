import { SECOND } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import { type PostgresPlace, targetOf } from "../base/postgres-url.ts";
import type { ClusterConfig } from "../model/index.ts";
import { storeFailure } from "../store/postgres/failure.ts";
import { takeLease } from "../store/postgres/lease.ts";
import { connect, type Session } from "../store/postgres/session.ts";

/** A member that has not renewed its row for so long, by the server's clock, is dead to the others. */
export const LEASE_MS = 15 * SECOND;

export interface MemberParts {
  readonly place: PostgresPlace;
  readonly cluster: ClusterConfig;
  /** Of the program. */
  readonly version: string;
  /** A short text that differs where the configuration does. */
  readonly config: () => string;
  readonly log: Log;
  /** Milliseconds; tests make it shorter. */
  readonly leaseMs?: number;
}

/** The server's clock as last heard: its time, and the elapsed time of this process at that moment. */
export interface HeardClock {
  readonly at: number;
  readonly elapsed: number;
}

/** The server's clock at that moment, epoch milliseconds. */
export const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now";

/** How messages name the cluster's schema. */
export function whereOf({ place }: MemberParts): string {
  return `the PostgreSQL schema ${place.schema}`;
}

/** A session that keeps out who runs without `cluster`. Throws StoreError. */
export async function open({ place }: MemberParts, where: string): Promise<Session> {
  try {
    const session = await connect(targetOf(place));
    try {
      await takeLease(session, place.schema, where, "shared");
      return session;
    } catch (error) {
      await session.end();
      throw error;
    }
  } catch (error) {
    throw storeFailure(error, where);
  }
}

/** Writes the row of a new member; resolves to the server's clock. Throws what the driver throws. */
export async function enter(session: Session, id: string, parts: MemberParts): Promise<HeardClock> {
  const { cluster, version, config, leaseMs = LEASE_MS } = parts;
  const sentAt = performance.now();
  const [row] = await session.query<{ now: number }>(
    `INSERT INTO members (id, name, version, config, until)
     VALUES ($1, $2, $3, $4, now() + $5 * interval '1 millisecond') RETURNING ${NOW}`,
    [id, cluster.name, version, config(), leaseMs],
  );
  if (row === undefined) throw new Error("a member was not written");
  // Of those who left long ago nobody needs to know.
  await session.query("DELETE FROM members WHERE dead AND until < now() - interval '1 day'");
  return { at: row.now, elapsed: (sentAt + performance.now()) / 2 };
}

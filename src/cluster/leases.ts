import { slotFrom } from "../store/postgres/member-access.ts";
import type { Session } from "../store/postgres/session.ts";

/** What is shared out: a slot, a channel or the upkeep. */
export interface Lease {
  readonly name: string;
  /** A member's id; null, or that of one that is dead: nobody has it. */
  readonly owner: string | null;
  readonly epoch: number;
  /** The configuration up to which the state of a slot was brought; null: that is not known. */
  readonly config: number | null;
}

/** One that is not dead. */
export interface Living {
  readonly id: string;
  readonly name: string;
  /** What it decides by, as a hash. */
  readonly config: string;
  /** It wants no part of the work at the moment. */
  readonly rests: boolean;
}

/** How the work is shared at one moment. */
export interface ClusterView {
  readonly leases: readonly Lease[];
  readonly members: readonly Living[];
  /** The configuration in force; null: there was none yet. */
  readonly newest: { readonly number: number; readonly hash: string } | null;
  /** The configuration that was asked for has been in force before, or is. */
  readonly isKnown: boolean;
  /** The number of the last notice that anybody has written. */
  readonly lastNotice: number;
}

/** `hash`: of the configuration whose past is asked for. */
export async function readView(session: Session, hash: string): Promise<ClusterView> {
  const [newest] = await session.query<{ number: number; hash: string; known: boolean }>(
    `SELECT number, hash, EXISTS (SELECT FROM configs WHERE hash = $1) AS known
     FROM configs ORDER BY number DESC LIMIT 1`,
    [hash],
  );
  const [notices] = await session.query<{ last: number }>(
    "SELECT coalesce(max(seq), 0) AS last FROM notices",
  );
  const leases = await session.query<Lease>(
    "SELECT name, owner::text, epoch, config FROM leases ORDER BY name",
  );
  const members = await session.query<Living>(
    `SELECT id::text, name, config, coalesce((status ->> 'rests')::boolean, false) AS rests
     FROM members WHERE NOT dead ORDER BY id`,
  );
  const isKnown = newest?.known === true;
  return { leases, members, newest: newest ?? null, isKnown, lastNotice: notices?.last ?? 0 };
}

/** Makes a configuration the one in force. Whoever takes a lease does so before, or under this one. */
export async function register(session: Session, hash: string, by: string): Promise<void> {
  await inTransaction(session, async () => {
    await session.query("LOCK TABLE configs IN SHARE ROW EXCLUSIVE MODE");
    await session.run(
      `INSERT INTO configs (hash, by) SELECT $1, $2
       WHERE $1 IS DISTINCT FROM (SELECT hash FROM configs ORDER BY number DESC LIMIT 1)`,
      [hash, by],
    );
  });
}

/** A lease for each of these; they stay. */
export async function addLeases(session: Session, names: readonly string[]): Promise<void> {
  await session.run(
    "INSERT INTO leases (name) SELECT unnest($1::text[]) ON CONFLICT (name) DO NOTHING",
    [names.toSorted()],
  );
}

/**
 * Takes those of these leases that nobody has who is alive, for a member that decides by the configuration `hash`: none
 * unless that is in force and nobody still decides by another one. Waits for what their last owner commits.
 */
export async function take(
  session: Session,
  id: string,
  hash: string,
  names: readonly string[],
): Promise<number> {
  return await inTransaction(session, async () => {
    await session.query("LOCK TABLE configs IN SHARE MODE");
    const isMember = await session.run(
      `UPDATE members SET config = $2 WHERE id = $1 AND NOT dead
         AND $2 = (SELECT hash FROM configs ORDER BY number DESC LIMIT 1)
         AND NOT EXISTS (SELECT FROM leases JOIN members AS other ON other.id = owner
           WHERE NOT other.dead AND other.id <> $1 AND other.config <> $2)`,
      [id, hash],
    );
    if (isMember === 0) return 0;
    return await session.run(
      `UPDATE leases SET owner = $1, epoch = epoch + 1 WHERE name IN (
         SELECT name FROM leases WHERE name = ANY($2::text[])
           AND NOT EXISTS (SELECT FROM members WHERE members.id = owner AND NOT dead)
         ORDER BY name FOR UPDATE)`,
      [id, names],
    );
  });
}

export async function release(
  session: Session,
  id: string,
  names: readonly string[],
): Promise<void> {
  await session.run(
    "UPDATE leases SET owner = NULL, freed_at = now() WHERE owner = $1 AND name = ANY($2::text[])",
    [id, names],
  );
}

/** The state of these slots is that of the configuration from now on. */
export async function bringUp(
  session: Session,
  id: string,
  names: readonly string[],
  config: number,
): Promise<void> {
  await session.run(
    `UPDATE leases SET config = $3
     WHERE owner = $1 AND name = ANY($2::text[]) AND config IS DISTINCT FROM $3`,
    [id, names.filter((name) => slotFrom(name) !== null), config],
  );
}

async function inTransaction<T>(session: Session, work: () => Promise<T>): Promise<T> {
  await session.query("BEGIN");
  try {
    const done = await work();
    await session.query("COMMIT");
    return done;
  } catch (error) {
    if (session.isAlive) await session.query("ROLLBACK").catch(() => session.destroy());
    throw error;
  }
}

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
  /** The configuration by which the owner of a slot decides, or the last one did; null: nobody has. */
  readonly decides: number | null;
}

/** One that is not dead. */
export interface Living {
  readonly id: string;
  readonly name: string;
  /** It wants no part of the work at the moment. */
  readonly rests: boolean;
  /** How much of the work it is to have beside the others; 1 unless its configuration says otherwise. */
  readonly weight: number;
  /** The number of the configuration that it decides by; null: it has just come. */
  readonly decides: number | null;
  /** The newest configuration that it could decide by; null: it has looked at none yet. */
  readonly passed: number | null;
}

/** A configuration that is in force, was, or is to be. */
export interface Registered {
  readonly number: number;
  readonly hash: string;
  /** The name of the daemon that has loaded it first. */
  readonly by: string;
  /** Its files are in the database. */
  readonly isStored: boolean;
  /** It is in force, or goes into force: nobody may take a slot by an older one any more. */
  readonly isBegun: boolean;
}

/** How the work is shared at one moment. */
export interface ClusterView {
  readonly leases: readonly Lease[];
  readonly members: readonly Living[];
  /** The newest first; of older ones only some, and the one that was asked for. */
  readonly configs: readonly Registered[];
  /** The number of the last notice that anybody has written. */
  readonly lastNotice: number;
}

/** Of so many configurations the files are kept. Their numbers may have gaps: a server that crashed counts on later. */
const MOST_STORED = 10;

/** `hash`: of the configuration whose past is asked for. */
export async function readView(session: Session, hash: string): Promise<ClusterView> {
  const configs = await session.query<Registered>(
    `SELECT number, hash, by, files IS NOT NULL AS "isStored", begun_at IS NOT NULL AS "isBegun"
     FROM configs WHERE number IN (SELECT number FROM configs ORDER BY number DESC LIMIT $2)
       OR number = (SELECT max(number) FROM configs WHERE hash = $1)
       OR number = (SELECT max(number) FROM configs WHERE begun_at IS NOT NULL)
       OR number IN (SELECT decides FROM leases)
     ORDER BY number DESC`,
    [hash, MOST_STORED],
  );
  const [notices] = await session.query<{ last: number }>(
    "SELECT coalesce(max(seq), 0) AS last FROM notices",
  );
  const leases = await session.query<Lease>(
    "SELECT name, owner::text, epoch, config, decides FROM leases ORDER BY name",
  );
  const members = await session.query<Living>(
    `SELECT id::text, name, coalesce((status ->> 'rests')::boolean, false) AS rests,
       coalesce((status ->> 'weight')::float8, 1) AS weight,
       (status ->> 'decides')::integer AS decides, (status ->> 'passed')::integer AS passed
     FROM members WHERE NOT dead ORDER BY id`,
  );
  return { leases, members, configs, lastNotice: notices?.last ?? 0 };
}

/** Makes a configuration the newest, unless it is already. `files`: see `rollout-table.ts`. */
export async function register(
  session: Session,
  config: { readonly hash: string; readonly files: string | null },
  by: string,
): Promise<void> {
  await changingConfigs(session, async () => {
    await session.run(
      `INSERT INTO configs (hash, by, files) SELECT $1, $2, $3
       WHERE $1 IS DISTINCT FROM (SELECT hash FROM configs ORDER BY number DESC LIMIT 1)`,
      [config.hash, by, config.files],
    );
    await session.run(
      `UPDATE configs SET files = NULL WHERE files IS NOT NULL
         AND number NOT IN (SELECT number FROM configs ORDER BY number DESC LIMIT $1)
         AND number IS DISTINCT FROM (SELECT max(number) FROM configs WHERE begun_at IS NOT NULL)`,
      [MOST_STORED],
    );
  });
}

/** The files of a configuration; null: they are not kept. */
export async function storedFiles(session: Session, number: number): Promise<string | null> {
  const [row] = await session.query<{ files: string | null }>(
    "SELECT files FROM configs WHERE number = $1",
    [number],
  );
  return row?.files ?? null;
}

/** From now on nobody takes a slot to decide it by an older configuration. */
export async function begin(session: Session, number: number): Promise<void> {
  await changingConfigs(session, async () => {
    await session.run(
      "UPDATE configs SET begun_at = now() WHERE number <= $1 AND begun_at IS NULL",
      [number],
    );
  });
}

/** Whoever takes a lease does so before, or sees what was changed. */
async function changingConfigs(session: Session, work: () => Promise<void>): Promise<void> {
  await inTransaction(session, async () => {
    await session.query("LOCK TABLE configs IN SHARE ROW EXCLUSIVE MODE");
    await work();
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
 * Takes those of these leases that nobody has who is alive, for a member that decides by the configuration `number`: none
 * once a newer one has begun to go into force. Waits for what their last owner commits.
 */
export async function take(
  session: Session,
  id: string,
  number: number,
  names: readonly string[],
): Promise<number> {
  return await inTransaction(session, async () => {
    await session.query("LOCK TABLE configs IN SHARE MODE");
    const free = await session.query<{ name: string }>(
      `SELECT name FROM leases WHERE name = ANY($1::text[])
         AND NOT EXISTS (SELECT FROM members WHERE members.id = owner AND NOT dead)
       ORDER BY name FOR UPDATE`,
      [names],
    );
    // Looked at again now that nobody else can take them: a statement that waits for a row has looked at other tables before.
    return await session.run(
      `UPDATE leases SET owner = $1, epoch = epoch + 1, decides = $3 WHERE name = ANY($2::text[])
         AND NOT EXISTS (SELECT FROM members WHERE members.id = owner AND NOT dead)
         AND EXISTS (SELECT FROM members WHERE members.id = $1 AND NOT dead)
         AND NOT EXISTS (SELECT FROM configs WHERE number > $3 AND begun_at IS NOT NULL)`,
      [id, free.map(({ name }) => name), number],
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

/** Nothing in these slots is decided by another configuration any more. */
export async function enter(
  session: Session,
  id: string,
  names: readonly string[],
  number: number,
): Promise<void> {
  await session.run("UPDATE leases SET decides = $3 WHERE owner = $1 AND name = ANY($2::text[])", [
    id,
    names,
    number,
  ]);
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

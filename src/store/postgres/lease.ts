import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { StoreError } from "../store.ts";
import { migrate, NEWEST_NUMBER, numberOf } from "./schema.ts";
import type { Session } from "./session.ts";

/** Members of a cluster share the lock, which keeps out who runs alone, and the other way round. */
export type LeaseKind = "alone" | "shared";

/** Another process that has just died may hold the lock as long as its connection is not known to be gone. */
const LEASE_PATIENCE_MS = 1_500;
const LEASE_PAUSE_MS = 100;
/** The lock of a session: the server frees it when the connection ends, however that ends. */
export async function takeLease(
  session: Session,
  schema: string,
  where: string,
  how: LeaseKind,
): Promise<void> {
  for (let waited = 0; ; waited += LEASE_PAUSE_MS) {
    if (await tryLease(session, schema, how)) return;
    if (waited >= LEASE_PATIENCE_MS) break;
    await delay(LEASE_PAUSE_MS);
  }
  throw new StoreError(
    "leased",
    `${where} is in use by another tickwatch${await holderOf(session)}: stop that one, or name another ` +
      "schema with ?schema= in `store`",
  );
}

/** What is locked, as text of which the server makes a number. */
export function leaseKey(schema: string): string {
  return `tickwatch runs on ${schema}`;
}

export async function tryLease(session: Session, schema: string, how: LeaseKind): Promise<boolean> {
  const lock = how === "alone" ? "pg_try_advisory_lock" : "pg_try_advisory_lock_shared";
  return (
    (await session.value<boolean>(`SELECT ${lock}(hashtextextended($1, 0))`, [
      leaseKey(schema),
    ])) === true
  );
}

/** ` (process 4711 on host)`; empty when it cannot be read. */
async function holderOf(session: Session): Promise<string> {
  try {
    const holder = await session.value<string>("SELECT holder FROM writers WHERE session = 'data'");
    return holder === null ? "" : ` (${holder})`;
  } catch {
    // It has not made the tables yet.
    return "";
  }
}

/** A role that may not make tables can run on those that are there. */
export async function upgrade(session: Session, schema: string): Promise<void> {
  if ((await numberOf((...asked) => session.query(...asked), schema)) === NEWEST_NUMBER) return;
  await migrate((...asked) => session.query(...asked), schema);
}

/** The number under which a session writes that has the row `name` in `writers` for itself. */
export async function enterWriters(session: Session, names: readonly string[]): Promise<number> {
  // Who ran alone, and thinks that it still does, is kept out.
  await session.run("UPDATE writers SET fence = fence + 1 WHERE session = ANY($1::text[])", [
    ["data", "outbox"],
  ]);
  const [row] = await session.query<{ fence: number }>(
    `INSERT INTO writers (session, fence, seq, holder)
     SELECT name, (SELECT max(fence) FROM writers), 0, $2 FROM unnest($1::text[]) AS given (name)
     ON CONFLICT (session) DO UPDATE SET fence = excluded.fence, seq = 0
     RETURNING fence`,
    [names, holderText()],
  );
  if (row === undefined) throw new Error("the table writers is empty");
  return row.fence;
}

function holderText(): string {
  return `process ${process.pid} on ${hostname()}`;
}

/** Nobody who opened the schema before may write to it from now on: a commit of theirs ends first, or fails. */
export async function raiseFence(session: Session): Promise<number> {
  const rows = await session.query<{ fence: number }>(
    `UPDATE writers SET fence = (SELECT max(fence) FROM writers) + 1, seq = 0, holder = $1
     RETURNING fence`,
    [holderText()],
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the table writers is empty");
  // What a cluster had shared out is one daemon's from now on.
  await session.run(
    `UPDATE leases SET owner = NULL, epoch = epoch + 1, config = NULL, decides = NULL,
       freed_at = now()
     WHERE owner IS NOT NULL OR config IS NOT NULL OR decides IS NOT NULL`,
  );
  await session.run("DELETE FROM slot_rounds");
  return row.fence;
}

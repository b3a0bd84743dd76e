import type { Command, CommandPlace } from "../../model/index.ts";
import { SLOT_COUNT } from "./member-access.ts";
import type { Session } from "./session.ts";

/**
 * A command may be about alerts of several members: each carries it out in the slots that it holds, and it is done
 * once all slots are through with it by one configuration.
 */

/** The commands that are not carried out yet in all slots of this place, oldest first. */
export async function openCommands(
  session: Session,
  { slots, config }: CommandPlace,
): Promise<Command[]> {
  if (slots.length === 0) return [];
  const rows = await session.query<Omit<Command, "doneIn"> & { readonly slots: number[] }>(
    `SELECT id, kind, rule, subject, author, comment, at, ARRAY(
       SELECT slot FROM order_slots WHERE order_slots.id = orders.id AND config = $1) AS slots
     FROM orders WHERE done_at IS NULL ORDER BY id`,
    [config],
  );
  return rows.flatMap(({ slots: done, ...command }) => {
    const doneIn = new Set(done);
    return slots.every((slot) => doneIn.has(slot)) ? [] : [{ ...command, doneIn }];
  });
}

/** Inside a transaction. */
export async function tickCommands(
  session: Session,
  ids: readonly number[],
  { slots, config }: CommandPlace,
  now: number,
): Promise<void> {
  if (ids.length === 0) return;
  // Who ticks the last slot sees what the others have ticked.
  await session.query("SELECT id FROM orders WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE", [
    ids,
  ]);
  await session.run(
    `INSERT INTO order_slots (id, config, slot)
     SELECT one.id, $3, two.slot
     FROM unnest($1::bigint[]) AS one (id), unnest($2::smallint[]) AS two (slot)
     ON CONFLICT (id, config, slot) DO NOTHING`,
    [ids, slots, config],
  );
  await session.run(
    `UPDATE orders SET done_at = $1 WHERE id = ANY($2::bigint[]) AND done_at IS NULL AND (
       SELECT count(*) FROM order_slots WHERE order_slots.id = orders.id AND config = $3
     ) = ${SLOT_COUNT}`,
    [now, ids, config],
  );
}

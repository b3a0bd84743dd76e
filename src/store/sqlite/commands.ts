import type { Command, Silence } from "../../model/index.ts";
import { type SilenceRow, silenceOf } from "../command-rows.ts";
import type { Database } from "./driver.ts";

/** What people have told the daemon; they write it beside it. */
export interface CommandTables {
  silences(now: number): Silence[];
  orders(): Command[];
  /** Inside a transaction. */
  carryOut(orders: readonly number[], at: number): void;
}

export const SILENCES = `SELECT id, rule, subjects, labels, starts_at AS startsAt, ends_at AS endsAt, author,
  comment, created_at AS createdAt FROM silences`;

export function commandTables(db: Database): CommandTables {
  const inForce = db.prepare<[number, number], SilenceRow>(
    `${SILENCES} WHERE ends_at > ? AND starts_at <= ? ORDER BY id`,
  );
  const open = db.prepare<[], Command>(
    `SELECT id, kind, rule, subject, author, comment, at FROM orders
     WHERE done_at IS NULL ORDER BY id`,
  );
  const done = db.prepare<[number, number]>("UPDATE orders SET done_at = ? WHERE id = ?");
  return {
    silences: (now) => inForce.all(now, now).map(silenceOf),
    orders: () => open.all(),
    carryOut(orders, at) {
      for (const id of orders) done.run(at, id);
    },
  };
}

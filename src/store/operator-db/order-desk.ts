import type { Alert, AlertLife, Order } from "../../model/index.ts";
import { openBeside } from "./beside.ts";

/** What one needs to know of an alert to give an order about it. */
export interface OrderedAlert {
  /** The subject's key. */
  readonly subject: string;
  readonly label: string | null;
  readonly state: Alert["state"];
  /** What people believe. */
  readonly told: Alert["told"]["state"];
  readonly acked: AlertLife["acked"];
  /** `once`, and it is over. */
  readonly spent: boolean;
}

/** Writes down what the daemon is to do with its alerts, beside it or while there is none. */
export interface OrderDesk {
  /** The alerts of a rule as the daemon has left them, by their subjects' keys. */
  alerts(rule: string): OrderedAlert[];
  /** Writes all of them down, or none. */
  give(orders: readonly Omit<Order, "id">[]): void;
  close(): void;
}

type Row = [
  subject: string,
  label: string | null,
  state: Alert["state"],
  told: Alert["told"]["state"],
  by: string | null,
  at: number | null,
  once: string | null,
];

const ALERTS = `SELECT subjects.text, alerts.label, alerts.state, alerts.told_state,
    json_extract(life, '$.acked.by'), json_extract(life, '$.acked.at'), json_extract(life, '$.once')
  FROM alerts JOIN names AS rules ON rules.id = alerts.rule
    JOIN names AS subjects ON subjects.id = alerts.subject
  WHERE rules.text = ? ORDER BY subjects.text`;

/** Opens the database at `path` without the daemon's lease; null where there is none. Throws StoreError. */
export function openOrderDesk(path: string): Promise<OrderDesk | null> {
  return openBeside(path, { write: true }, ({ db, guarded }) => {
    const alerts = db.prepare<[string], Row>(ALERTS).raw();
    const insert = db.prepare<Omit<Order, "id">>(
      `INSERT INTO orders (kind, rule, subject, author, comment, at)
       VALUES (@kind, @rule, @subject, @author, @comment, @at)`,
    );
    const insertAll = db.transaction((orders: readonly Omit<Order, "id">[]) => {
      for (const order of orders) insert.run(order);
    });
    return {
      alerts: (rule) => guarded(() => alerts.all(rule).map(alertOf)),
      give: (orders) => guarded(() => insertAll.immediate(orders)),
      close: () => db.close(),
    };
  });
}

function alertOf([subject, label, state, told, by, at, once]: Row): OrderedAlert {
  const acked = by === null || at === null ? null : { by, at };
  return { subject, label, state, told, acked, spent: once === "spent" };
}

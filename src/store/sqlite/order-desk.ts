import { existsSync } from "node:fs";
import type { Alert, AlertLife, Order } from "../../model.ts";
import { StoreError } from "../store.ts";
import { loadDriver } from "./driver.ts";
import { storeFailure } from "./failure.ts";
import { checkHeader } from "./schema.ts";

/** Another process waits so long for the daemon's commit, which takes milliseconds. */
const BUSY_MS = 5_000;

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
export async function openOrderDesk(path: string): Promise<OrderDesk | null> {
  if (!existsSync(path)) return null;
  const driver = await loadDriver();
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw storeFailure(error, path);
    }
  };
  return guarded(() => {
    checkHeader(path);
    const db = new driver(path, { fileMustExist: true, timeout: BUSY_MS });
    try {
      // As the daemon writes: what it is told must not be lost with the power.
      db.pragma("synchronous = FULL");
      if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'orders'").get() === undefined) {
        const how = "start the daemon of this version first";
        throw new StoreError("unwritable", `${path} is from before there were orders: ${how}`);
      }
      const alerts = db.prepare<[string], Row>(ALERTS).raw();
      const insert = db.prepare<Omit<Order, "id">>(
        `INSERT INTO orders (kind, rule, subject, author, comment, at)
         VALUES (@kind, @rule, @subject, @author, @comment, @at)`,
      );
      return {
        alerts: (rule) => guarded(() => alerts.all(rule).map(alertOf)),
        give: (orders) =>
          guarded(() =>
            db
              .transaction(() => {
                for (const order of orders) insert.run(order);
              })
              .immediate(),
          ),
        close: () => db.close(),
      };
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function alertOf([subject, label, state, told, by, at, once]: Row): OrderedAlert {
  const acked = by === null || at === null ? null : { by, at };
  return { subject, label, state, told, acked, spent: once === "spent" };
}

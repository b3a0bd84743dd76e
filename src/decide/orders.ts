import type { Alert, Order } from "../model/index.ts";
import { isFiring, isSpent, withLife } from "./life.ts";

/** Whether there is something for somebody to look after: it fires, or people believe that it does. */
export function canBeAcked(state: Alert["state"], told: Alert["told"]["state"]): boolean {
  return isFiring(state) || told === "firing";
}

/** The alert once the order is carried out; the same object where the order changes nothing. */
export function carryOut(alert: Alert, { kind, author, at }: Order): Alert {
  switch (kind) {
    case "ack":
      return canBeAcked(alert.state, alert.told.state)
        ? withLife(alert, { acked: { by: author, at } })
        : alert;
    case "unack":
      return withLife(alert, { acked: null });
    case "rearm":
      return isSpent(alert) ? withLife(alert, { once: null }) : alert;
  }
}

import type {
  StoredAttempt,
  StoredDelivery,
  StoredNotice,
} from "../../store/operator-db/history.ts";
import { DROPPED } from "../../store/operator-db/outbox.ts";
import type { Attempt, Delivery, Notice } from "../api/schemas/history.ts";
import { iso } from "../live/alert-view.ts";

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}

export function attemptView({
  channel,
  number,
  at,
  outcome,
  answer,
  until,
}: StoredAttempt): Attempt {
  return { channel, at: iso(at), number, outcome, answer, until: isoOrNull(until) };
}

function deliveryView(delivery: StoredDelivery): Delivery {
  const { channel, state, message, until, settledAt, error, attempts } = delivery;
  return {
    channel,
    state: state === "dead" && error === DROPPED ? "dropped" : state,
    message,
    until: isoOrNull(until),
    settled_at: isoOrNull(settledAt),
    error,
    attempts: attempts.map(attemptView),
  };
}

export function noticeView({ notice, deliveries }: StoredNotice): Notice {
  const { id, kind, severity, rule, subject, label, at, headline, fields, title, note, link } =
    notice;
  return {
    id,
    kind,
    severity,
    rule,
    subject,
    name: label ?? null,
    at: iso(at),
    headline,
    fields: [...fields],
    title,
    note,
    link,
    deliveries: deliveries.map(deliveryView),
  };
}

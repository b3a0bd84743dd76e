import type { Alert, AlertLife, AlertState } from "../model/index.ts";

const NOTHING: AlertLife = {
  firings: null,
  gaps: null,
  worst: null,
  reminded: null,
  cooling: null,
  held: null,
  blindSince: null,
  blindTo: null,
  byMissing: false,
  lapse: null,
  once: null,
  acked: null,
};

/** What an alert remembers, every part of it null where it remembers nothing. */
export function lifeOf({ life }: Alert): AlertLife {
  return life ?? NOTHING;
}

/** The alert with these parts of its life; the same object if they are what they were. */
export function withLife(alert: Alert, parts: Partial<AlertLife>): Alert {
  const old = lifeOf(alert);
  const life = { ...old, ...parts };
  if (same(life, old)) return alert;
  return { ...alert, life: same(life, NOTHING) ? null : life };
}

function same(a: AlertLife, b: AlertLife): boolean {
  return (
    a.firings === b.firings &&
    a.gaps === b.gaps &&
    a.worst === b.worst &&
    a.reminded === b.reminded &&
    a.cooling === b.cooling &&
    a.held === b.held &&
    a.blindSince === b.blindSince &&
    a.blindTo === b.blindTo &&
    a.byMissing === b.byMissing &&
    a.lapse === b.lapse &&
    a.once === b.once &&
    (a.when ?? null) === (b.when ?? null) &&
    (a.spoke ?? null) === (b.spoke ?? null) &&
    a.acked === b.acked
  );
}

/** The side on which an alert fires: one that recovers has not resolved yet. */
export function isFiring(state: AlertState): boolean {
  return state === "firing" || state === "recovering";
}

/** `once`, and it is over: it is not evaluated until its rule is edited or it is armed again. */
export function isSpent({ life }: Alert): boolean {
  return life !== null && life.once === "spent";
}

/** Somebody looks after it. */
export function isAcked({ life }: Alert): boolean {
  return life !== null && life.acked !== null;
}

/**
 * Whether nothing that an alert remembers asks for a word by itself: when and of what people were told
 * matters only to what comes next.
 */
export function isAtRest({ life }: Alert): boolean {
  if (life === null) return true;
  const { firings, gaps, held, blindSince, blindTo, byMissing, acked } = life;
  const waits = firings !== null || gaps !== null || held !== null || acked !== null;
  return !waits && blindSince === null && blindTo === null && !byMissing;
}

/**
 * An alert whose rule was edited: it is spent no more, and counts anew. What people were told stays, and
 * under which condition, since the one that ends it may be another.
 */
export function edited(alert: Alert): Alert {
  const { when = null } = lifeOf(alert);
  const unknown = alert.told.state === "firing" && when === null;
  return withLife(alert, { once: null, when: unknown ? EARLIER : when });
}

/** Under a wording, or on values, that were not kept. */
export const EARLIER = "";

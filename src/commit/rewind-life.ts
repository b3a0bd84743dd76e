import type { Flaps, NotificationState } from "../model/index.ts";

/** What an alert remembers with its dates no later than `now`; the same object if none is. */
export function rewindLife(life: NotificationState, now: number): NotificationState {
  if (latestOf(life) <= now) return life;
  const { firings, gaps, reminded, cooling, held, blindSince, lapse } = life;
  const trueSince = lapse === null ? null : earlier(lapse.trueSince, now);
  return {
    ...life,
    firings: rewindFlaps(firings, now),
    gaps: rewindFlaps(gaps, now),
    reminded: reminded === null ? null : { ...reminded, at: Math.min(reminded.at, now) },
    cooling: earlier(cooling, now),
    held: held === null ? null : { ...held, since: Math.min(held.since, now) },
    blindSince: earlier(blindSince, now),
    lapse: lapse === null ? null : { trueSince },
  };
}

function latestOf({
  firings,
  gaps,
  reminded,
  cooling,
  held,
  blindSince,
  lapse,
}: NotificationState): number {
  const dates = [
    ...datesOf(firings),
    ...datesOf(gaps),
    reminded?.at,
    cooling,
    held?.since,
    blindSince,
    lapse?.trueSince,
  ];
  return dates.reduce<number>(
    (latest, date) => Math.max(latest, date ?? latest),
    Number.NEGATIVE_INFINITY,
  );
}

function datesOf(flaps: Flaps | null): readonly number[] {
  if (flaps === null) return [];
  const { dates, on } = flaps;
  return on === null ? dates : [...dates, on.since, on.told, on.side];
}

function rewindFlaps(flaps: Flaps | null, now: number): Flaps | null {
  if (flaps === null) return null;
  const { dates, on } = flaps;
  return {
    dates: dates.map((date) => Math.min(date, now)),
    on:
      on === null
        ? null
        : {
            since: Math.min(on.since, now),
            told: Math.min(on.told, now),
            side: Math.min(on.side, now),
          },
  };
}

function earlier(date: number | null, now: number): number | null {
  return date === null ? null : Math.min(date, now);
}

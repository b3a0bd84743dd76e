import type { Alert, NotificationState } from "../model/index.ts";

/** An alert as a row of a table, the same in every store. */

export const ALERT_COLUMNS = [
  "rule",
  "subject",
  "created_at",
  "started",
  "state",
  "since",
  "held_at",
  "fired_at",
  "fired_bucket",
  "missing_since",
  "missing_rounds",
  "missing_told",
  "told_state",
  "told_value",
  "told_channels",
  "label",
  "seen",
  "life",
] as const;

/** A row in the order of ALERT_COLUMNS. */
export type AlertRow = [
  rule: number,
  subject: number,
  createdAt: number,
  started: number,
  state: Alert["state"],
  since: number,
  heldAt: number | null,
  firedAt: number | null,
  firedBucket: number | null,
  missingSince: number | null,
  missingRounds: number | null,
  missingTold: number | null,
  toldState: Alert["lastNotified"]["state"],
  toldValue: string | null,
  toldChannels: string,
  label: string | null,
  seen: string | null,
  life: string | null,
];

/** How an alert is kept; `names` gives the numbers of rule and subject. */
export function alertRow(
  alert: Alert,
  names: { readonly idOf: (text: string) => number },
): AlertRow {
  const { missing, lastNotified } = alert;
  return [
    names.idOf(alert.rule),
    names.idOf(alert.subject),
    alert.createdAt,
    Number(alert.started),
    alert.state,
    alert.since,
    alert.heldAt,
    alert.firedAt,
    alert.firedBucket,
    missing?.since ?? null,
    missing?.rounds ?? null,
    missing === null ? null : Number(missing.told),
    lastNotified.state,
    lastNotified.value,
    JSON.stringify(lastNotified.channels),
    alert.label,
    alert.seen === null ? null : JSON.stringify(alert.seen),
    alert.life === null ? null : JSON.stringify(alert.life),
  ];
}

export function alertOf(row: AlertRow, names: { readonly textOf: (id: number) => string }): Alert {
  const [
    rule,
    subject,
    createdAt,
    started,
    state,
    since,
    heldAt,
    firedAt,
    firedBucket,
    missingSince,
    missingRounds,
    missingTold,
    toldState,
    toldValue,
    toldChannels,
    label,
    seen,
    life,
  ] = row;
  return {
    rule: names.textOf(rule),
    subject: names.textOf(subject),
    createdAt,
    started: started === 1,
    state,
    since,
    heldAt,
    firedAt,
    firedBucket,
    missing:
      missingSince === null || missingRounds === null
        ? null
        : { since: missingSince, rounds: missingRounds, told: missingTold === 1 },
    lastNotified: {
      state: toldState,
      value: toldValue,
      channels: toldChannels === "[]" ? [] : (JSON.parse(toldChannels) as string[]),
    },
    label,
    seen: seen === null ? null : (JSON.parse(seen) as Record<string, string[]>),
    life: life === null ? null : lifeFrom(life),
  };
}

/** What was written before there were acknowledgements does not speak of them. */
function lifeFrom(text: string): NotificationState {
  const life = JSON.parse(text) as Omit<NotificationState, "acked" | "blindTo"> &
    Partial<NotificationState>;
  return { ...life, acked: life.acked ?? null, blindTo: life.blindTo ?? null };
}

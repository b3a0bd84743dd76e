import { createHash } from "node:crypto";
import { groupBy } from "../base/group-by.ts";
import {
  type Alert,
  NOTHING_TOLD,
  type Notice,
  type NotificationState,
  type RoundRecord,
  type Run,
  type Silence,
} from "../model/index.ts";
import type { Backlog, BacklogNotice, Claim, Settlement } from "./store.ts";

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
    lastNotified:
      toldState === "ok" && toldValue === null && toldChannels === "[]"
        ? NOTHING_TOLD
        : {
            state: toldState,
            value: toldValue,
            channels: toldChannels === "[]" ? [] : (JSON.parse(toldChannels) as string[]),
          },
    label,
    seen: seen === null ? null : (JSON.parse(seen) as Record<string, string[]>),
    life: life === null ? null : (JSON.parse(life) as NotificationState),
  };
}

/** What stores keep of rounds as text. */

/** The name of a text that is kept once. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** What a round read beside the samples, as JSON. */
export function readsText({ unread, reads }: Pick<RoundRecord, "unread" | "reads">): string {
  return JSON.stringify({ ...reads, unread });
}

/** Of the sends of one message so many are remembered, the first and the last ones. */
export const FIRST_SENDS_KEPT = 20;
export const LAST_SENDS_KEPT = 100;

/** A notice as it is owed to one channel. */
export interface OwedNotice {
  readonly seq: number;
  readonly body: string;
  readonly channel: string;
  readonly message: string | null;
  readonly heldUntil: number | null;
}

/** Of rows that are in the order of notices. */
export function backlogNotices(rows: readonly OwedNotice[]): BacklogNotice[] {
  return [...groupBy(rows, ({ seq }) => seq).values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const owed = all.map(({ channel, message, heldUntil }) => ({ channel, message, heldUntil }));
    return [{ notice: JSON.parse(first.body) as Notice, owed }];
  });
}

/** What of it is owed to these channels. */
export function backlogOf(
  { notices, messages }: Backlog,
  isMeant: (channel: string) => boolean,
): Backlog {
  return {
    messages: messages.filter(({ message }) => isMeant(message.channel)),
    notices: notices.flatMap(({ notice, owed }) => {
      const meant = owed.filter(({ channel }) => isMeant(channel));
      return meant.length === 0 ? [] : [{ notice, owed: meant }];
    }),
  };
}

/** A silence as a row of a table, the same in every store. */
export interface SilenceRow extends Omit<Silence, "subjects" | "labels"> {
  readonly subjects: string | null;
  readonly labels: string;
}

export const SILENCES = `SELECT id, rule, subjects, labels, starts_at AS "startsAt", ends_at AS "endsAt", author,
  comment, created_at AS "createdAt" FROM silences`;

export function silenceOf({ subjects, labels, ...row }: SilenceRow): Silence {
  return {
    ...row,
    subjects: subjects === null ? null : (JSON.parse(subjects) as string[]),
    labels: JSON.parse(labels) as Record<string, string>,
  };
}

/** The message of a channel that is to be sent first, as both databases have it. */
export interface OpenMessage {
  readonly seq: number;
  readonly id: string;
  readonly body: string;
  readonly attempts: number;
  readonly until: number | null;
}

/** What a channel gets that has no open message: the notices of these bodies; without any it waits for the end of a hold. */
export function claimOfBodies(bodies: readonly string[], endOfHold: number | null): Claim {
  const [first, ...rest] = bodies.map((body) => JSON.parse(body) as Notice);
  if (first !== undefined) return { kind: "notices", notices: [first, ...rest] };
  if (endOfHold === null) return { kind: "idle", until: null };
  return { kind: "idle", until: endOfHold, held: true };
}

/** What a send is written down with that was the last one: its receiver's answer, and the error of one that failed. */
export function endOfSends(result: Exclude<Settlement, { readonly status: "waiting" }>): {
  readonly answer: string | null;
  readonly error: string | null;
} {
  return result.status === "dead"
    ? { answer: result.error, error: result.error }
    : { answer: result.note ?? null, error: null };
}

/** A run that ended at `before` so far. */
export type GoingRun = Run & { readonly before: number };

function goesOn(run: Run): run is GoingRun {
  return typeof run.before === "number";
}

/** The runs of which nothing but their end at `last` is new, and the others. */
export function goingOn(runs: readonly Run[]) {
  const last = runs[0]?.last ?? 0;
  const going: GoingRun[] = [];
  const others: Run[] = [];
  for (const run of runs) {
    if (goesOn(run) && run.last === last) going.push(run);
    else others.push(run);
  }
  return { last, going, others };
}

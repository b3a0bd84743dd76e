import { resolve } from "node:path";
import { systemClock } from "../base/clock.ts";
import { formatDuration } from "../base/duration.ts";
import { type PostgresPlace, storeName } from "../base/postgres-url.ts";
import { cleanText, countOf } from "../base/text.ts";
import type { RolloutView } from "../cluster/members-view.ts";
import { createHttpSource } from "../fetch/http.ts";
import type { Alert } from "../model/index.ts";
import { stateFromText } from "../ops/reload/configuration-state.ts";
import { openOperatorDb } from "../store/operator-db/operator-db.ts";
import { type ChangedRule, type FoundDiff, findDiff, isKnown } from "./diff-found.ts";
import { EXIT, type Io } from "./io.ts";
import { iso, print, reportWarnings } from "./report.ts";
import { rolloutLines } from "./rollout-lines.ts";
import { readSetup } from "./setup.ts";

export interface DiffOptions {
  readonly config: string;
  /** The database, where it is another one than that of the configuration. */
  readonly store?: string;
  readonly json?: boolean;
}

/** What is measured of the time before is of one hour at most. */
const LOOK_BACK_MS = 3_600_000;
const MOST_LISTED = 20;

/** `tickwatch diff`: the exit code. Throws ConfigError and StoreError. */
export async function diff(options: DiffOptions, io: Io): Promise<number> {
  const { setup: read, warnings } = await readSetup(options.config, io);
  if (options.json !== true) reportWarnings(warnings, io);
  const path = options.store === undefined ? read.store : resolve(options.store);
  // Of files that are not in place yet the database is where the daemon has it.
  const setup = { ...read, store: path };
  const db = await openOperatorDb(path, false);
  if (db === null) {
    io.err(`tickwatch: there is no database at ${storeName(path)}: the daemon has not run yet\n`);
    return EXIT.database;
  }
  const source = createHttpSource({ ...setup.service, log: () => {} });
  try {
    const clock = systemClock();
    const now = clock.now();
    const view = await db.loaded(now - LOOK_BACK_MS);
    const state = stateFromText(await db.reload.state());
    const found = findDiff(setup, view, state, source, clock);
    const rollout =
      setup.cluster === null || typeof path === "string" ? null : await rolloutOf(path);
    print(options, io, {
      value: () => report(found),
      page: () => [...rolloutLines(rollout, now), page(found, now)].join("\n"),
    });
    return EXIT.fine;
  } finally {
    await source.close();
    db.close();
  }
}

async function rolloutOf(place: PostgresPlace): Promise<RolloutView | null> {
  const { readCluster } = await import("../cluster/members-view.ts");
  return (await readCluster(place)).rollout;
}

function report(found: FoundDiff): unknown {
  const { added, changed, removed, closing, anew, settings, channels, requests } = found;
  return {
    rules: {
      added: added.map(({ name, subjects }) => ({ rule: name, subjects: subjects.length })),
      changed: changed.map(({ rule, parts, kept }) => ({
        rule: rule.name,
        parts,
        alerts_kept: kept.map(alertJson),
      })),
      removed,
    },
    alerts_closing: closing.map(alertJson),
    alerts_anew: anew.map(alertJson),
    channels,
    settings,
    requests: {
      before:
        requests.before === null
          ? null
          : { count: requests.before.count, since: iso(requests.before.since) },
      hour_after_at_most: requests.after,
    },
  };
}

function alertJson(alert: Alert): unknown {
  const { rule, subject, label, state, since, lastNotified } = alert;
  return { rule, subject, label, state, since: iso(since), told: lastNotified.channels };
}

function page(found: FoundDiff, now: number): string {
  const { added, changed, removed, settings, channels } = found;
  const lines = [
    ...added.map(
      ({ name, subjects, schedule }) =>
        `+ rule ${name}: ${countOf(subjects.length, "subject")}, ${schedule.everyMs === null && !schedule.eachBlock ? "" : "every "}${schedule.text}`,
    ),
    ...changed.map((one) => changedLine(one)),
    ...removed.map((name) => `- rule ${cleanText(name)}`),
    ...closingLines(found, now),
    ...anewLines(found),
    ...channels.added.map((name) => `+ channel ${name}`),
    ...channels.removed.map((name) => `- channel ${name}: what is queued for it stays queued`),
    ...settingLines(found),
  ];
  const unknown =
    settings === null
      ? ["Channels and settings cannot be compared: the daemon has not written down what it has."]
      : [];
  const nothing = lines.length === 0 && settings !== null ? ["Nothing would change."] : [];
  return [...lines, ...nothing, ...unknown, requestsLine(found, now)].join("\n");
}

function changedLine({ rule, parts, kept }: ChangedRule): string {
  const firing = kept.filter(isKnown).length;
  const others = kept.length - firing;
  const states = [
    ...(firing > 0 ? [`${firing} firing`] : []),
    ...(others > 0 ? [`${others} pending`] : []),
  ];
  const tail = states.length === 0 ? "" : `; goes on with ${states.join(" and ")}`;
  return `~ rule ${rule.name}: ${parts.join(", ")}${tail}`;
}

function closingLines({ closing }: FoundDiff, now: number): string[] {
  const loud = closing.filter((one) => isKnown(one) || one.state === "pending");
  const quiet = closing.length - loud.length;
  const more = loud.length - MOST_LISTED;
  return [
    ...loud.slice(0, MOST_LISTED).map((one) => `- alert ${closingWords(one, now)}`),
    ...(more > 0 ? [`- ${countOf(more, "more alert")} that fire or are pending`] : []),
    ...(quiet > 0 ? [`- ${countOf(quiet, "quiet alert")}`] : []),
  ];
}

function closingWords(alert: Alert, now: number): string {
  const { rule, subject, label, firedAt, since, lastNotified } = alert;
  const name = cleanText(label ?? subject, 80);
  const ago = (at: number): string => formatDuration(now - at);
  if (!isKnown(alert)) return `${cleanText(rule)} ${name}: pending for ${ago(since)}, begins anew`;
  const told = lastNotified.channels;
  const tells = told.length === 0 ? "nobody is told" : `told to ${told.join(", ")}`;
  return `${cleanText(rule)} ${name}: firing for ${ago(firedAt ?? since)}, closed; ${tells}`;
}

function anewLines({ anew }: FoundDiff): string[] {
  const rules = [...new Set(anew.map(({ rule }) => rule))];
  const few = rules.slice(0, MOST_LISTED);
  const more = rules.length > few.length ? `, and ${rules.length - few.length} more rules` : "";
  if (anew.length === 0) return [];
  return [
    `~ ${countOf(anew.length, "alert")} keep their state and measure anew: ${few.join(", ")}${more}`,
  ];
}

/** What needs a restart is said; channels are listed apart where they are new or gone. */
function settingLines({ settings, channels }: FoundDiff): string[] {
  const apart = new Set([...channels.added, ...channels.removed]);
  return (settings ?? [])
    .filter((key) => ![...apart].some((name) => key.startsWith(`channels.${name}.`)))
    .map((key) => `~ ${key}${key === "store" ? ": needs a restart" : ""}`);
}

function requestsLine({ requests: { before, after } }: FoundDiff, now: number): string {
  const then = `at most ${after} an hour afterwards`;
  if (before === null) return `Requests: ${then}.`;
  const span = formatDuration(Math.max(60_000, now - before.since));
  return `Requests: ${before.count} in the last ${span}, ${then}.`;
}

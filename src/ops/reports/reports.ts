import type { Clock } from "../../base/clock.ts";
import { formatDuration, MINUTE } from "../../base/duration.ts";
import { readMap } from "../../base/json.ts";
import type { Log } from "../../base/log.ts";
import type { Schedule } from "../../base/schedule.ts";
import {
  NO_CHANGE,
  type Notice,
  type ReportConfig,
  type Setup,
  type Silence,
} from "../../model/index.ts";
import { composeReport } from "../../notices/report.ts";
import type { Memory } from "../../poll/memory.ts";
import type { DecidedWork } from "../../poll/plan.ts";
import type { Store } from "../../store/store.ts";
import { alertView } from "../../web/live/alert-view.ts";
import { LiveAlerts } from "../../web/live/live-alerts.ts";
import type { Row } from "../../web/live/row.ts";
import { linesOf } from "./report-lines.ts";
import { pictureOf } from "./report-picture.ts";

export interface ReportsParts {
  /** As it is at the moment: a reload has another. */
  readonly setup: () => Setup;
  readonly memory: () => Memory;
  /** Brings the memory up to what others do; absent: there are no others. */
  readonly refresh?: () => Promise<void>;
  readonly store: Store;
  /** The daemon's own clock. */
  readonly clock: Clock;
  readonly log: Log;
  /** What would be missed if nobody looked, in words; empty: everything is watched. */
  readonly troubles: () => readonly string[];
  /** There may be something to send. */
  readonly poke: () => void;
  readonly onNotice: (notice: Notice) => void;
}

export interface Reports {
  /** A slice of a round is committed, and the memory is still as it was judged. */
  see(decided: readonly DecidedWork[]): void;
  /** The start is told: what was due while nothing ran is sent now. */
  begin(): void;
  /** The configuration is another one. */
  follow(): void;
  stop(): Promise<void>;
}

/** When a report was due last, as it is written down. */
interface Mark {
  /** Of the schedule by which it was due. */
  readonly schedule: string;
  readonly at: number;
}

/** After a failure, which is one of the database. */
const RETRY_MS = MINUTE;
/** Of the times that passed unseen the last is looked for among so many. */
const MOST_MISSED = 10_000;

/**
 * Sends the reports of the configuration at their times, through the outbox. Of the times that passed while
 * nothing ran one report is sent, at the start. One that is new, or has another time, begins with its next time.
 */
export function startReports(parts: ReportsParts): Reports {
  const { clock, log } = parts;
  let silences: readonly Silence[] = [];
  const live = new LiveAlerts({ memory: chosenMemory(parts), clock, silences: () => silences });
  let begun = false;
  let stopped = false;
  let cancel = (): void => {};
  let working: Promise<void> = Promise.resolve();

  function look(): void {
    cancel();
    if (!begun || stopped) return;
    working = working.then(lookNow).catch((error: unknown) => {
      log.error({ err: error }, "a report could not be sent; it is tried again");
      again(clock.elapsed() + RETRY_MS);
    });
  }

  function again(elapsed: number): void {
    if (stopped) return;
    cancel();
    cancel = clock.after(Math.max(0, elapsed - clock.elapsed()), look);
  }

  async function lookNow(): Promise<void> {
    if (stopped) return;
    const { reports } = parts.setup();
    let next = Number.POSITIVE_INFINITY;
    for (const report of reports) next = Math.min(next, await lookAt(report));
    if (stopped || !Number.isFinite(next)) return;
    cancel();
    cancel = clock.at(next, look);
  }

  /** Resolves to when it is due next. */
  async function lookAt(report: ReportConfig): Promise<number> {
    const { name, schedule } = report;
    const now = clock.now();
    const subject = markOf(name);
    const known = readMark(await parts.store.mark(subject));
    // One that was edited, or is new, has missed nothing; nor does a clock that was set back keep one waiting.
    const from = known?.schedule === schedule.key ? Math.min(known.at, now) : now;
    const due = latest(schedule, from, now);
    const at = due ?? from;
    const mark = { subject, value: JSON.stringify({ schedule: schedule.key, at } satisfies Mark) };
    if (due !== null) {
      const notice = await compose(report, due, now);
      const notices = [{ notice, channels: report.channels }];
      // With the time at which it was due: it is sent once, whatever ends the daemon.
      await parts.store.commit({ ...NO_CHANGE, notices, marks: [mark] });
      parts.onNotice(notice);
      parts.poke();
    } else if (known === null || known.at !== at || known.schedule !== schedule.key) {
      await parts.store.commit({ ...NO_CHANGE, marks: [mark] });
    }
    return schedule.next(Math.max(at, now));
  }

  async function compose({ name, rules }: ReportConfig, due: number, now: number): Promise<Notice> {
    silences = await parts.store.silences(now);
    await parts.refresh?.();
    live.forget();
    live.snapshot();
    const chosen = rules === null ? null : new Set(rules);
    const rows = live.rows.filter(
      ({ memory }) => chosen === null || chosen.has(memory.watched.rule.name),
    );
    const around = { now, silences, ackComment: () => null };
    const lines = await linesOf(rows, {
      now,
      show: (row) => alertView(row, around),
      picture: (row) => pictureOf(row, alertView(row, around), parts.store, now),
    });
    return composeReport({
      name,
      at: now,
      due,
      alerts: rows.length,
      firing: rows.filter(fires).length,
      withoutData: rows.filter(({ memory }) => memory.alert?.missing?.told === true).length,
      watched: watchedWords(parts, rows),
      lines,
    });
  }

  return {
    see: (decided) => live.see(decided),
    begin() {
      begun = true;
      look();
    },
    follow: look,
    async stop() {
      stopped = true;
      cancel();
      await working;
    },
  };
}

function fires({ memory }: Row): boolean {
  const state = memory.alert?.state;
  return state === "firing" || state === "recovering";
}

/** The rules of which some report tells: of the others nothing is kept. */
function chosenMemory({ memory, setup }: ReportsParts): () => Memory {
  let known: { readonly of: Memory; readonly by: Setup; readonly chosen: Memory } | null = null;
  return () => {
    const [of, by] = [memory(), setup()];
    if (known?.of !== of || known.by !== by) {
      const { reports } = by;
      const all = reports.some(({ rules }) => rules === null);
      const names = new Set(reports.flatMap(({ rules }) => rules ?? []));
      const rules = all ? of.rules : of.rules.filter(({ rule }) => names.has(rule.name));
      known = { of, by, chosen: { ...of, rules } };
    }
    return known.chosen;
  };
}

/** `37 alerts, last round 12 s ago`, or what is not watched. */
function watchedWords({ troubles, memory, clock }: ReportsParts, rows: readonly Row[]): string {
  const found = troubles();
  if (found.length > 0) return `not everything: ${found.join("; ")}`;
  const last = memory().rules.reduce((most, { state }) => Math.max(most, state.lastRound ?? 0), 0);
  const alerts = `${rows.length} ${rows.length === 1 ? "alert" : "alerts"}`;
  if (last === 0) return `${alerts}, no round yet`;
  return `${alerts}, last round ${formatDuration(clock.now() - last)} ago`;
}

/** The latest time that is due after `from` and by `now`, all epoch milliseconds; null: there is none. */
function latest(schedule: Schedule, from: number, now: number): number | null {
  let found: number | null = null;
  let next = schedule.next(from);
  for (let i = 0; next <= now && i < MOST_MISSED; i += 1) {
    found = next;
    next = schedule.next(next);
  }
  return found;
}

function markOf(name: string): string {
  return `report:${name}`;
}

function readMark(text: string | null): Mark | null {
  const { schedule, at } = (text === null ? null : readMap(text)) ?? {};
  return typeof schedule === "string" && typeof at === "number" ? { schedule, at } : null;
}

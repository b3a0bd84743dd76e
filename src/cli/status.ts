import { chainName } from "../base/chains.ts";
import { formatTime, systemClock } from "../base/clock.ts";
import { formatDuration, MINUTE, SECOND } from "../base/duration.ts";
import { storeName } from "../base/postgres-url.ts";
import { type Schedule, scheduleFromKey } from "../base/schedule.ts";
import { countOf } from "../base/text.ts";
import { type NotedProgress, progressLine } from "../chain/index/progress-table.ts";
import { loadChainDataPath, loadStorePlace } from "../config/settings/read-config.ts";
import type { ChannelTrouble } from "../delivery/event.ts";
import { troublesFromText } from "../delivery/troubles.ts";
import { chainOfKey } from "../kinds/kind.ts";
import { SOURCE_RULE } from "../model/index.ts";
import { stateFromText } from "../ops/reload/configuration-state.ts";
import { readStatus, type StatusRead } from "../store/operator-db/read-status.ts";
import type {
  AckedAlert,
  FiringAlert,
  StatusView,
  UnansweredRule,
  WatchedRule,
} from "../store/operator-db/status-view.ts";
import { EXIT, type Io } from "./io.ts";
import { iso, print } from "./report.ts";

export interface StatusOptions {
  readonly config: string;
  readonly json?: boolean;
  /** The daemons on the store, in place of what they watch. */
  readonly cluster?: boolean;
}

/** How a rule stands with its rounds. */
interface RuleStatus {
  readonly rule: string;
  readonly lastRound: number | null;
  /**
   * Its last round is more than three intervals ago. One that waits for its first is not late. Null:
   * nobody can say, since the daemon that watches it wrote a schedule that this version does not know.
   */
  readonly late: boolean | null;
  readonly schedule: Schedule | null;
  /** So many of its subjects have no data, and people were told; a rule may be fine all the same. */
  readonly withoutData: number;
}

/**
 * `tickwatch status`: the exit code. It goes by the rules that the daemon wrote into its database when it
 * started, and reads of the configuration where that is. Throws ConfigError and StoreError.
 */
export async function status(options: StatusOptions, io: Io): Promise<number> {
  if (options.cluster === true) {
    return await (await import("./cluster-status.ts")).clusterStatus(options, io);
  }
  const store = await loadStorePlace(options.config, io.env);
  const { seen, runs } = await readStatus(store);
  const now = systemClock().now();
  const reading = await progressOf(options.config, now);
  const rules = standings(seen, now);
  const healthy =
    runs !== false &&
    rules.some(({ lastRound, late }) => lastRound !== null && late === false) &&
    rules.every(({ late }) => late !== true) &&
    troublesIn(seen).length === 0;
  print(options, io, {
    value: () => report(healthy, rules, { seen, runs, reading, now }),
    page: () => page(healthy, rules, { seen, runs, reading, now }, storeName(store)),
  });
  return healthy ? EXIT.fine : EXIT.found;
}

function standings(seen: StatusView | null, now: number): RuleStatus[] {
  const withoutData = new Map(
    (seen?.withoutData ?? []).map(({ rule, subjects }) => [rule, subjects]),
  );
  // Most rules share a few of them.
  const schedules = new Map<string, Schedule | null>();
  const scheduleOf = (key: string): Schedule | null => {
    const known = schedules.get(key);
    if (known !== undefined) return known;
    const schedule = scheduleFromKey(key);
    schedules.set(key, schedule);
    return schedule;
  };
  return (seen?.rules ?? []).map(({ name, lastRound, schedule: key }) => {
    const schedule = key === null ? null : scheduleOf(key);
    const late = isLate(lastRound, schedule, now);
    return { rule: name, lastRound, late, schedule, withoutData: withoutData.get(name) ?? 0 };
  });
}

function isLate(lastRound: number | null, schedule: Schedule | null, now: number): boolean | null {
  if (lastRound === null) return false;
  return schedule === null ? null : now > schedule.third(lastRound);
}

/** What is shown beside the rules. */
interface Beside extends StatusRead {
  /** What is still being read of the past of chains, where nodes answer. */
  readonly reading: readonly NotedProgress[];
  readonly now: number;
}

/** A daemon that reads the past writes down how far it is every ten seconds. */
const LATEST_NOTE_MS = MINUTE;

async function progressOf(config: string, now: number): Promise<readonly NotedProgress[]> {
  const path = await loadChainDataPath(config);
  if (path === null) return [];
  const { readProgress } = await import("../chain/db/read-progress.ts");
  return (await readProgress(path)).filter(({ at }) => Math.abs(now - at) < LATEST_NOTE_MS);
}

function report(
  healthy: boolean,
  rules: readonly RuleStatus[],
  { seen, runs, reading, now }: Beside,
): unknown {
  const held = seen?.held ?? null;
  return {
    healthy,
    running: runs,
    rules: rules.map(({ rule, lastRound, late, withoutData }) => ({
      rule,
      lastRound: iso(lastRound),
      late,
      no_data: withoutData,
    })),
    no_data: rules.reduce((sum, { withoutData }) => sum + withoutData, 0),
    firing: firingCount(seen),
    alerts: (seen?.firing ?? []).map(({ firedAt, ...one }) => ({
      ...one,
      since: iso(firedAt),
    })),
    acknowledged: (seen?.acked ?? []).map(({ at, ...one }) => ({
      ...one,
      since: iso(at),
    })),
    owed: seen?.owed ?? 0,
    channels: troublesIn(seen).map(([channel, { since, reason, rejects }]) => ({
      channel,
      since: iso(since),
      rejects,
      reason,
    })),
    configuration: configurationOf(seen),
    page: stateFromText(seen?.configuration ?? null)?.page ?? null,
    held: held?.count ?? 0,
    held_until: iso(held?.until ?? null),
    silences: silencesIn(seen, now),
    reading: reading.map(({ chain, work, share, leftMs }) => ({
      chain_id: chain,
      work,
      share,
      left_seconds: leftMs === null ? null : Math.round(leftMs / SECOND),
    })),
  };
}

function page(
  healthy: boolean,
  rules: readonly RuleStatus[],
  { seen, runs, reading, now }: Beside,
  store: string,
): string {
  if (seen === null) {
    return runs === true
      ? `not healthy: the database at ${store} is gone, and a daemon watches on in memory; its log says more`
      : `not healthy: there is no database at ${store}: the daemon has not run yet`;
  }
  const newest = rules.reduce((most, { lastRound }) => Math.max(most, lastRound ?? 0), 0);
  if (newest === 0)
    return `not healthy: no ${runs === false ? "daemon runs" : "rule has had a round yet"}`;
  // Without a daemon every rule is late, or will be.
  const late = runs === false ? [] : rules.filter((rule) => rule.late === true);
  const unknown = rules.filter((rule) => rule.late === null).length;
  const rounds =
    runs === false
      ? `no daemon runs, the last round ${formatDuration(now - newest)} ago`
      : late.length > 0
        ? `${countOf(late.length, "rule")} of ${rules.length} late`
        : `${countOf(rules.length, "rule")}, the last round ${formatDuration(now - newest)} ago`;
  const withoutData = rules.reduce((sum, one) => sum + one.withoutData, 0);
  const alerts = [
    `${countOf(firingCount(seen), "alert")} firing`,
    ...(withoutData === 0 ? [] : [`${withoutData} without data`]),
    `${countOf(seen.owed, "notice")} queued`,
  ].join(", ");
  return [
    `${healthy ? "healthy" : "not healthy"}: ${rounds}; ${alerts}`,
    ...late.map((rule) => lateLine(rule, now)),
    ...(runs === true && late.length === rules.length ? [UNWRITTEN] : []),
    ...(unknown === 0 ? [] : [unknownLine(unknown)]),
    ...configurationLines(seen, now),
    ...troublesIn(seen).map((one) => channelLine(one, now)),
    ...alertLines(seen, now),
    ...holdLines(seen, now),
    ...pageLines(seen),
    ...reading.map((one) => `  ${progressLine(one)}`),
  ].join("\n");
}

function lateLine({ rule, lastRound, schedule }: RuleStatus, now: number): string {
  const ago = formatDuration(now - (lastRound ?? 0));
  return `  ${rule} had its last round ${ago} ago; its schedule is ${schedule?.text ?? ""}`;
}

/** As metrics and page count: a source that does not answer is listed with the alerts, and is none. */
function firingCount(seen: StatusView | null): number {
  return (seen?.firing ?? []).filter(({ rule }) => rule !== SOURCE_RULE).length;
}

/** A full disk looks like a daemon that hangs to whoever reads the database alone. */
const UNWRITTEN =
  "  the daemon runs, but writes nothing into its database: its log says whether it watches on in memory";

/** Null: nothing was written down by the daemon. */
function configurationOf(seen: StatusView | null): unknown {
  const state = stateFromText(seen?.configuration ?? null);
  if (state === null) return null;
  const { loadedAt, failure, needsRestart } = state;
  return {
    loaded_at: iso(loadedAt),
    refused_since: iso(failure?.since ?? null),
    problems: failure?.problems ?? [],
    needs_restart: needsRestart,
  };
}

/** Edited files that are not in force: the daemon works all the same, by those of before. */
function configurationLines(seen: StatusView, now: number): string[] {
  const { failure, needsRestart } = stateFromText(seen.configuration) ?? {};
  const [first] = failure?.problems ?? [];
  return [
    ...(failure === null || failure === undefined
      ? []
      : [
          `  edited configuration not loaded for ${formatDuration(now - failure.since)}: ${countOf(failure.count, "problem")}, first ${first ?? "unknown"}`,
        ]),
    ...(needsRestart ?? []).map((key) => `  ${key} has changed, which needs a restart`),
  ];
}

/** Where all of it can be looked at. */
function pageLines({ configuration }: StatusView): string[] {
  const address = stateFromText(configuration)?.page ?? null;
  return address === null ? [] : [`  page: ${address}`];
}

/** The channels of which the others were told that they deliver nothing. */
function troublesIn(seen: StatusView | null): readonly (readonly [string, ChannelTrouble])[] {
  return [...troublesFromText(seen?.channels ?? null)].filter(([, { told }]) => told);
}

function channelLine(
  [channel, { since, reason, rejects }]: readonly [string, ChannelTrouble],
  now: number,
): string {
  const lasts = formatDuration(now - since);
  return rejects
    ? `  channel ${channel} has rejected messages for ${lasts}: ${reason}`
    : `  channel ${channel} has delivered nothing for ${lasts}: ${reason}`;
}

function unknownLine(count: number): string {
  return `  unknown whether late: ${countOf(count, "rule")}, whose schedule this version cannot read`;
}

function alertLines({ firing, withoutData, acked, rules }: StatusView, now: number): string[] {
  const watched = new Map(rules.map((rule) => [rule.name, rule]));
  const nameOf = (one: FiringAlert | UnansweredRule | AckedAlert): string =>
    calledBy(watched.get(one.rule), one);
  const more = firing.length - MOST_LISTED;
  const unlisted = withoutData.length - MOST_LISTED;
  return [
    ...firing.slice(0, MOST_LISTED).map((one) => firingLine(one, nameOf(one), now)),
    ...(more > 0 ? [`  and ${more} more firing`] : []),
    ...withoutData.slice(0, MOST_LISTED).map((one) => noDataLine(one, nameOf(one), now)),
    ...(unlisted > 0 ? [`  and ${countOf(unlisted, "more rule")} without data`] : []),
    ...acked.map((one) => ackedLine(one, nameOf(one))),
  ];
}

/** So many alerts that fire, and rules without data, are listed by name; `--json` has all of them. */
const MOST_LISTED = 20;

function firingLine(one: FiringAlert, name: string, now: number): string {
  const lasts = formatDuration(now - one.firedAt);
  if (one.rule === SOURCE_RULE) return `  no answers for ${lasts}: ${name}`;
  return `  ${one.rule} firing for ${lasts}: ${name}`;
}

function noDataLine({ rule, subjects, since }: UnansweredRule, name: string, now: number): string {
  const others = subjects === 1 ? "" : ` and ${subjects - 1} more`;
  return `  ${rule} has no data for ${formatDuration(now - since)}: ${name}${others}`;
}

function ackedLine({ rule, by, at }: AckedAlert, name: string): string {
  return `  ${name} of ${rule} acknowledged by ${by} since ${formatTime(at)}`;
}

/** What people call a subject: with its chain, where the rule watches it on several. */
function calledBy(
  rule: WatchedRule | undefined,
  { subject, label }: Pick<FiringAlert, "subject" | "label">,
): string {
  if (label === null) return subject;
  const chainId = chainOfKey(subject);
  if (chainId === null || rule === undefined || !watchesSeveralChains(rule)) return label;
  const chain = chainName(chainId);
  return label === chain ? label : `${label} on ${chain}`;
}

/** In the order of their keys the subjects of one chain lie together: its ends show whether there are others. */
function watchesSeveralChains({ firstSubject, lastSubject }: WatchedRule): boolean {
  if (firstSubject === null || lastSubject === null) return false;
  return chainOfKey(firstSubject) !== chainOfKey(lastSubject);
}

/** How many silences are in force. */
function silencesIn(seen: StatusView | null, now: number): number {
  const all = seen?.silences ?? [];
  return all.filter(({ startsAt, endsAt }) => startsAt <= now && now < endsAt).length;
}

/** What is held back; `outbox list` says of each notice by what. */
function holdLines(seen: StatusView, now: number): string[] {
  const silences = silencesIn(seen, now);
  const { held } = seen;
  return [
    ...(silences === 0 ? [] : [`  ${countOf(silences, "silence")} in force`]),
    ...(held === null
      ? []
      : [
          `  ${countOf(held.count, "notice")} suppressed, until at least ${formatTime(held.until)}`,
        ]),
  ];
}

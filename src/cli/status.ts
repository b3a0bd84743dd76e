import { chainName } from "../base/chains.ts";
import { systemClock } from "../base/clock.ts";
import { formatDuration } from "../base/duration.ts";
import { formatTime } from "../base/times.ts";
import type { Rule, Setup } from "../model.ts";
import { SOURCE_RULE } from "../rounds/memory.ts";
import { type AckedAlert, type FiringAlert, type Peek, peek } from "../store/sqlite/peek.ts";
import { EXIT, type Io } from "./io.ts";
import { countOf } from "./report.ts";
import { readSetup } from "./setup.ts";

export interface StatusOptions {
  readonly config: string;
  readonly json?: boolean;
}

/** How a rule stands with its rounds. */
interface RuleStatus {
  readonly rule: string;
  readonly lastRound: number | null;
  /** Its last round is more than three intervals ago. One that waits for its first is not late. */
  readonly late: boolean;
}

/** `tickwatch status`: the exit code. Throws ConfigError and StoreError. */
export async function status({ config, json = false }: StatusOptions, io: Io): Promise<number> {
  const { setup } = await readSetup(config, io);
  const seen = await peek(setup.store);
  const now = systemClock().now();
  const rules = rulesOf(setup, seen, now);
  const healthy =
    rules.some(({ lastRound }) => lastRound !== null) && rules.every(({ late }) => !late);
  io.out(
    `${json ? JSON.stringify(report(healthy, rules, seen, now)) : page(rules, seen, setup, now)}\n`,
  );
  return healthy ? EXIT.fine : EXIT.found;
}

function rulesOf(setup: Setup, seen: Peek | null, now: number): RuleStatus[] {
  return setup.rules.map((rule) => {
    const lastRound = seen?.lastRounds.get(rule.name) ?? null;
    const late = lastRound !== null && now > rule.schedule.third(lastRound);
    return { rule: rule.name, lastRound, late };
  });
}

function report(
  healthy: boolean,
  rules: readonly RuleStatus[],
  seen: Peek | null,
  now: number,
): unknown {
  const held = seen?.held ?? null;
  return {
    healthy,
    rules: rules.map(({ rule, lastRound, late }) => ({
      rule,
      lastRound: lastRound === null ? null : new Date(lastRound).toISOString(),
      late,
    })),
    firing: seen?.firing.length ?? 0,
    alerts: (seen?.firing ?? []).map(({ firedAt, ...one }) => ({
      ...one,
      since: new Date(firedAt).toISOString(),
    })),
    acknowledged: (seen?.acked ?? []).map(({ at, ...one }) => ({
      ...one,
      since: new Date(at).toISOString(),
    })),
    owed: seen?.owed ?? 0,
    held: held?.count ?? 0,
    held_until: held === null ? null : new Date(held.until).toISOString(),
    silences: silencesIn(seen, now),
  };
}

function page(
  rules: readonly RuleStatus[],
  seen: Peek | null,
  { store, rules: all }: Setup,
  now: number,
): string {
  if (seen === null) return `not healthy: there is no database at ${store}; the daemon has not run`;
  const newest = rules.reduce((most, { lastRound }) => Math.max(most, lastRound ?? 0), 0);
  if (newest === 0) return "not healthy: no rule has had a round yet";
  const late = rules.filter((rule) => rule.late);
  const count = countOf(seen.firing.length, "alert");
  const alerts = `${count} firing, ${countOf(seen.owed, "notice")} to deliver`;
  const more = seen.firing.length - MOST_LISTED;
  const acked = [
    ...seen.firing.slice(0, MOST_LISTED).map((one) => firingLine(one, all, now)),
    ...(more > 0 ? [`  and ${more} more that fire`] : []),
    ...seen.acked.map((one) => ackedLine(one, all)),
    ...holdLines(seen, now),
  ];
  if (late.length === 0) {
    const rounds = `${countOf(rules.length, "rule")}, the last round ${formatDuration(now - newest)} ago`;
    return [`healthy: ${rounds}; ${alerts}`, ...acked].join("\n");
  }
  const lines = late.map(({ rule, lastRound }) => {
    const every = all.find(({ name }) => name === rule)?.schedule.text ?? "";
    const ago = formatDuration(now - (lastRound ?? 0));
    return `  ${rule} had its last round ${ago} ago; its schedule is ${every}`;
  });
  return [
    `not healthy: ${countOf(late.length, "rule")} of ${rules.length} late; ${alerts}`,
    ...lines,
    ...acked,
  ].join("\n");
}

/** So many alerts are listed by name; `--json` has all of them. */
const MOST_LISTED = 20;

function firingLine(one: FiringAlert, rules: readonly Rule[], now: number): string {
  const lasts = formatDuration(now - one.firedAt);
  if (one.rule === SOURCE_RULE) return `  nothing is answered for ${lasts}: ${one.subject}`;
  return `  ${one.rule} fires for ${lasts}: ${nameOf(one, rules)}`;
}

function ackedLine({ by, at, ...one }: AckedAlert, rules: readonly Rule[]): string {
  const since = new Date(at).toISOString().slice(0, 16).replace("T", " ");
  return `  ${by} looks after ${nameOf(one, rules)} of ${one.rule} since ${since} UTC`;
}

/** With its chain, where the rule watches it on several. */
function nameOf(
  { rule, subject, label }: Pick<FiringAlert, "rule" | "subject" | "label">,
  rules: readonly Rule[],
): string {
  const subjects = rules.find(({ name }) => name === rule)?.subjects ?? [];
  const chainId = subjects.find(({ key }) => key === subject)?.chainId;
  const chain = chainId === undefined ? "" : chainName(chainId);
  const apart = subjects.some((other) => other.chainId !== chainId) && label !== chain;
  return chain !== "" && label !== null && apart ? `${label} on ${chain}` : (label ?? subject);
}

/** How many silences are in force. */
function silencesIn(seen: Peek | null, now: number): number {
  const all = seen?.silences ?? [];
  return all.filter(({ startsAt, endsAt }) => startsAt <= now && now < endsAt).length;
}

/** What is held back; `outbox list` says of each notice by what. */
function holdLines(seen: Peek, now: number): string[] {
  const silences = silencesIn(seen, now);
  const { held } = seen;
  return [
    ...(silences === 0 ? [] : [`  ${countOf(silences, "silence")} in force`]),
    ...(held === null
      ? []
      : [`  ${countOf(held.count, "notice")} held back, until ${formatTime(held.until)} at least`]),
  ];
}

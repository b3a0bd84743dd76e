import { formatDuration, MINUTE, SECOND } from "../base/duration.ts";
import { cleanText, cutText } from "../base/text.ts";
import { formatTime } from "../base/times.ts";
import type { Rule } from "../model/index.ts";
import type { Firing } from "../replay/past/firings.ts";
import { chartOf, type Picture } from "./backtest-chart.ts";
import type { ChannelCount } from "./backtest-messages.ts";
import type { Replayed } from "./backtest-run.ts";
import { furthestOf, lastedMs, type RuleSummary } from "./backtest-summary.ts";
import { valueWriter } from "./backtest-values.ts";
import type { Io } from "./io.ts";
import { countOf, table } from "./report.ts";

/** All that a backtest found. */
export interface BacktestReport {
  readonly replayed: Replayed;
  readonly summaries: readonly RuleSummary[];
  /** Null: there are too many notices to send them one by one. */
  readonly messages: readonly ChannelCount[] | null;
  readonly rules: readonly Rule[];
  /** By the rule's name; nothing is drawn where there are no numbers. */
  readonly pictures: ReadonlyMap<string, Picture>;
}

/** So many alerts of a rule are listed; --csv and --json have all. */
const MOST_LISTED = 20;
const NARROWEST = 60;
const USUAL = 100;

/** What a backtest found, for a terminal of 60 columns and more. */
export function page(report: BacktestReport, io: Io): string {
  const { replayed, summaries, messages } = report;
  const { from, until } = replayed;
  const width = Math.max(NARROWEST, io.columns ?? USUAL);
  const ran = summaries.filter(({ support }) => support.rule !== null);
  const refused = summaries.filter(({ support }) => support.rule === null);
  const lines = [
    `${formatTime(from)} to ${formatTime(until)} (${lasted(until - from)}), ${countOf(ran.length, "rule")}, ` +
      countOf(replayed.rounds, "round"),
    ...inferredLines(replayed),
    ...ran.flatMap((summary) => ["", ...ruleLines(summary, report, io, width)]),
  ];
  if (messages !== null && messages.length > 0) lines.push("", ...messageLines(messages));
  if (refused.length > 0) {
    lines.push("", "Not replayed:");
    for (const { support } of refused) {
      lines.push(...wrapped(`  ${cleanText(support.name)}: ${support.refusal ?? ""}`, width));
    }
  }
  return lines.join("\n");
}

/** What cannot be repeated for certain. */
function inferredLines({ inferred }: Replayed): readonly string[] {
  if (inferred === 0) return [];
  const rounds = countOf(inferred, "round");
  return [`In ${rounds} it was not recorded in full who had no answer: that is inferred`];
}

function ruleLines(
  summary: RuleSummary,
  { replayed, rules, pictures }: BacktestReport,
  io: Io,
  width: number,
): readonly string[] {
  const { support, firings, perWeek, share, firingMs, longestMs, flapping } = summary;
  const rule = rules.find(({ name }) => name === support.name);
  if (rule === undefined) return [];
  const what = rule.event ? "event" : "alert";
  const parts = [
    countOf(firings.length, what),
    ...(firings.length > 0 ? [`${rate(perWeek)} a week`] : []),
    ...(rule.event || firings.length === 0
      ? []
      : [`firing ${lasted(firingMs)} (${percent(share)})`, `longest ${lasted(longestMs)}`]),
    ...(flapping > 0 ? [`flapping ${countOf(flapping, "time")}`] : []),
  ];
  const lines = [
    ...wrapped(`${cleanText(rule.name)}: ${parts.join(", ")}`, width),
    ...wrapped(`  ${support.source}`, width),
  ];
  if (support.refusal !== null) lines.push(...wrapped(`  ${support.refusal}`, width));
  const picture = pictures.get(rule.name);
  if (picture !== undefined)
    lines.push(...chartOf(picture, rule, replayed, { ...io, columns: width }));
  if (firings.length === 0) return lines;
  const write = valueWriter(rule, replayed.tracks);
  const several = summary.stories.length > 1;
  const rows = firings
    .slice(0, MOST_LISTED)
    .map((one) => rowOf(one, write, replayed.until, several));
  const head = [
    "start",
    ...(rule.event ? [] : ["lasted", "furthest"]),
    ...(several ? ["subject"] : []),
    "what it would have said",
  ];
  const shown = rule.event ? rows.map(([start = "", , , ...rest]) => [start, ...rest]) : rows;
  const cells = table(head, shown).split("\n");
  lines.push(...cells.map((line) => `  ${cutText(line, width - 2)}`));
  if (firings.length > MOST_LISTED) {
    lines.push(`  … and ${firings.length - MOST_LISTED} more: --csv or --json has all of them`);
  }
  return lines;
}

function rowOf(
  firing: Firing,
  write: ReturnType<typeof valueWriter>,
  until: number,
  several: boolean,
): readonly string[] {
  const [said] = firing.notices;
  const went = firing.end === null ? "still fires" : lasted(lastedMs(firing, until));
  const value = write(firing.subject, firing.metric, furthestOf(firing));
  const name = cutText(cleanText(firing.label ?? firing.subject), 24);
  return [
    formatTime(firing.start),
    went,
    value === "" ? "-" : value,
    ...(several ? [name] : []),
    said === undefined ? "(held back)" : said.headline,
  ];
}

/** A sentence in lines of so many columns, those after the first indented by four. */
function wrapped(text: string, width: number): readonly string[] {
  const indent = /^ */.exec(text)?.[0] ?? "";
  const lines: string[] = [];
  let line = indent;
  for (const word of text.trim().split(" ")) {
    const longer = line.trim() === "" ? `${line}${word}` : `${line} ${word}`;
    if (longer.length > width && line.trim() !== "") {
      lines.push(line);
      line = `    ${word}`;
    } else line = longer;
  }
  return [...lines, line];
}

function messageLines(messages: readonly ChannelCount[]): readonly string[] {
  const rows = messages.map(({ channel, messages: sent, notices, dropped }) => [
    `  ${cleanText(channel, 40)}`,
    String(sent),
    String(notices),
    dropped === 0 ? "" : `${dropped} held back by mutes came to nothing`,
  ]);
  return [
    "Messages that each channel would have had:",
    table(["  channel", "messages", "notices", ""], rows),
  ];
}

/** `2h 5m`; under a minute in seconds. */
export function lasted(ms: number): string {
  if (ms === 0) return "0s";
  return formatDuration(
    ms < MINUTE
      ? Math.max(SECOND, Math.round(ms / SECOND) * SECOND)
      : Math.round(ms / MINUTE) * MINUTE,
  );
}

/** `0.7`, `12`. */
export function rate(perWeek: number): string {
  if (perWeek >= 10) return String(Math.round(perWeek));
  return perWeek.toFixed(1);
}

function percent(share: number): string {
  const value = 100 * share;
  if (value > 0 && value < 0.1) return "under 0.1%";
  return `${value.toFixed(value < 10 ? 1 : 0)}%`;
}

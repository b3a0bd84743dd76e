import { formatTime } from "../base/clock.ts";
import { formatDuration, MINUTE, SECOND } from "../base/duration.ts";
import { cleanText, countOf, cutText } from "../base/text.ts";
import type { Rule } from "../model/index.ts";
import type { Firing } from "../replay/past/firings.ts";
import { chartOf, type Picture } from "./backtest-chart.ts";
import type { ChannelCount } from "./backtest-messages.ts";
import type { Replayed } from "./backtest-run.ts";
import { furthestOf, lastedMs, type RuleSummary } from "./backtest-summary.ts";
import { valueWriter } from "./backtest-values.ts";
import type { Io } from "./io.ts";
import { table } from "./report.ts";

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
  return [
    `In ${rounds} it was not recorded in full which subjects had no answer: this is inferred`,
  ];
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
  const rows = firings.slice(0, MOST_LISTED).map((one) => rowOf(one, write, replayed.until));
  const columns = [
    "start",
    ...(rule.event ? [] : ["lasted", "furthest"]),
    ...(several ? ["subject"] : []),
  ];
  const cells = rows.map(({ start, went, value, name }) => [
    start,
    ...(rule.event ? [] : [went, value]),
    ...(several ? [name] : []),
  ]);
  lines.push(
    ...listed(
      columns,
      cells,
      rows.map(({ said }) => said),
      width,
    ),
  );
  if (firings.length > MOST_LISTED) {
    lines.push(`  … and ${firings.length - MOST_LISTED} more: --csv or --json has all of them`);
  }
  return lines;
}

interface ListedFiring {
  readonly start: string;
  readonly went: string;
  readonly value: string;
  readonly name: string;
  readonly said: string;
}

function rowOf(firing: Firing, write: ReturnType<typeof valueWriter>, until: number): ListedFiring {
  const [told] = firing.notices;
  const value = write(firing.subject, firing.metric, furthestOf(firing));
  return {
    start: formatTime(firing.start),
    went: firing.end === null ? "still fires" : lasted(lastedMs(firing, until)),
    value: value === "" ? "-" : value,
    name: cutText(cleanText(firing.label ?? firing.subject), 24),
    said: told === undefined ? "(held back)" : told.headline,
  };
}

/** What was said needs so many columns beside the rest; where there are fewer it stands below. */
const SAID_COLUMNS = 50;
const SAID = "what it would have said";

function listed(
  columns: readonly string[],
  cells: readonly (readonly string[])[],
  said: readonly string[],
  width: number,
): readonly string[] {
  const [head = "", ...rows] = table(columns, cells).split("\n");
  const widest = Math.max(...[head, ...rows].map((line) => [...line].length));
  if (widest + SAID_COLUMNS <= width) {
    const all = cells.map((row, i) => [...row, said[i] ?? ""]);
    return table([...columns, SAID], all)
      .split("\n")
      .map((line) => `  ${cutText(line, width - 2)}`);
  }
  const below = rows.flatMap((line, i) => [line, `  ${said[i] ?? ""}`]);
  return [head, `  ${SAID}`, ...below].map((line) => `  ${cutText(line, width - 2)}`);
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
    dropped === 0 ? "" : `${dropped} suppressed by mutes and dropped`,
  ]);
  return [
    "Messages that each channel would have received:",
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

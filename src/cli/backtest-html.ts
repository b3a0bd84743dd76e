import type { ChartData } from "../base/chart.ts";
import { formatTime } from "../base/clock.ts";
import type { Decimal } from "../base/decimal.ts";
import { cleanText, countOf } from "../base/text.ts";
import type { Picture } from "./backtest-chart.ts";
import { type BacktestReport, lasted, rate } from "./backtest-page.ts";
import { furthestOf, lastedMs, type RuleSummary } from "./backtest-summary.ts";
import { valueWriter } from "./backtest-values.ts";

/** Of a rule so many alerts are listed. */
const MOST_LISTED = 500;
const WIDTH = 900;
const HEIGHT = 180;

/** A report in one file that loads nothing: no script, and everything from outside escaped. */
export function reportHtml(report: BacktestReport): string {
  const { replayed, summaries, messages } = report;
  const title = `Backtest ${formatTime(replayed.from)} to ${formatTime(replayed.until)}`;
  const rules = summaries.map((summary) => ruleHtml(summary, report));
  const sent = (messages ?? []).map(({ channel, messages: count, notices }) => [
    channel,
    String(count),
    String(notices),
  ]);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 960px; padding: 0 1em; color: #1c1c1c; background: #fff }
table { border-collapse: collapse; width: 100%; margin: .5em 0 } th, td { text-align: left; padding: .2em .8em .2em 0; border-bottom: 1px solid #ddd; vertical-align: top }
.wide { overflow-x: auto }
figure { margin: 1em 0 } svg { display: block; width: 100%; height: auto; background: #f6f6f6 } .note, figcaption { color: #555 }
.dates { display: flex; justify-content: space-between; color: #555; font-size: 85% }
@media (prefers-color-scheme: dark) { body { color: #e6e6e6; background: #161616 } svg { background: #222 } th, td { border-color: #444 } .note, figcaption, .dates { color: #aaa } }
</style></head><body>
<h1>${escaped(title)}</h1>
<p>${escaped(countOf(replayed.rounds, "round"))}</p>
${rules.join("\n")}
<h2>Messages</h2>
${messages === null ? "<p>Too many to count.</p>" : tableHtml(["channel", "messages", "notices"], sent)}
</body></html>
`;
}

function ruleHtml(summary: RuleSummary, { replayed, rules, pictures }: BacktestReport): string {
  const { support, firings, perWeek, firingMs, longestMs } = summary;
  const rule = rules.find(({ name }) => name === support.name);
  const head = `<h2>${escaped(cleanText(support.name))}</h2>`;
  const refusal = support.refusal === null ? "" : `<p>${escaped(support.refusal)}</p>`;
  if (rule === undefined || support.rule === null) return `${head}<p>Not replayed.</p>${refusal}`;
  const write = valueWriter(rule, replayed.tracks);
  const picture = pictures.get(rule.name);
  const rows = firings
    .slice(0, MOST_LISTED)
    .map((one) => [
      formatTime(one.start),
      one.event ? "" : one.end === null ? "still fires" : lasted(lastedMs(one, replayed.until)),
      write(one.subject, one.metric, furthestOf(one)),
      cleanText(one.label ?? one.subject),
      one.notices[0]?.headline ?? "(held back)",
    ]);
  const counts = [
    countOf(firings.length, rule.event ? "event" : "alert"),
    ...(firings.length === 0 ? [] : [`${rate(perWeek)} a week`]),
    ...(firings.length === 0 || rule.event
      ? []
      : [`firing ${lasted(firingMs)}`, `longest ${lasted(longestMs)}`]),
  ].join(", ");
  const more =
    firings.length > MOST_LISTED ? `<p>… and ${firings.length - MOST_LISTED} more</p>` : "";
  return [
    head,
    `<p>${escaped(counts)}</p><p class="note">${escaped(support.source)}</p>${refusal}`,
    picture === undefined ? "" : figureHtml(picture, write),
    rows.length === 0
      ? ""
      : tableHtml(["start", "lasted", "furthest", "subject", "what it would have said"], rows),
    more,
  ].join("\n");
}

/** So many dates stand below a chart. */
const DATES = 5;

/** A chart with what it shows: of what, how far it goes, and when. */
function figureHtml(picture: Picture, write: ReturnType<typeof valueWriter>): string {
  const { data, limits, firings, metric, label, subject } = picture;
  const { lowest, highest, from, to } = data;
  if (lowest === null || highest === null) return "";
  const text = (value: Decimal): string => write(subject, metric, value.toString());
  const shows = [
    `${metric} of ${cleanText(label ?? subject)}: ${text(lowest)} to ${text(highest)}`,
    ...limits.map((limit) => `${limit.text} (dashed)`),
    ...(firings.length === 0 ? [] : ["red where it fires"]),
  ];
  const dates = Array.from({ length: DATES }, (_, i) =>
    formatTime(from + ((to - from) * i) / (DATES - 1)).replace(" UTC", ""),
  );
  const marks = dates.map((date) => `<span>${escaped(date)}</span>`).join("");
  return `<figure><figcaption>${escaped(shows.join("; "))}</figcaption>${chartSvg(picture)}<div class="dates">${marks}</div></figure>`;
}

/** The value as a band from its lowest to its highest in each slice of time, limits, and when it fired. */
function chartSvg({ data, limits, firings, metric, label, subject }: Picture): string {
  const places = data.slices.flatMap((slice) => (slice === null ? [] : [slice.low, slice.high]));
  const lines = limits.map(({ value }) => data.place(value));
  const all = [...places, ...lines];
  const low = all.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY);
  const high = all.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY);
  const y = (place: number): number =>
    high === low ? HEIGHT / 2 : 6 + (1 - (place - low) / (high - low)) * (HEIGHT - 12);
  const x = (at: number): number => ((at - data.from) / (data.to - data.from)) * WIDTH;
  const spans = firings.map(({ start, end, event }) => {
    const left = x(start);
    const right = x(event ? start : (end ?? data.to));
    return `<rect x="${left.toFixed(1)}" y="0" width="${Math.max(1.5, right - left).toFixed(1)}" height="${HEIGHT}" fill="#d33" opacity="0.25"/>`;
  });
  const dashes = lines.map(
    (place) =>
      `<line x1="0" x2="${WIDTH}" y1="${y(place).toFixed(1)}" y2="${y(place).toFixed(1)}" stroke="#c80" stroke-dasharray="6 4"/>`,
  );
  const name = `${metric} of ${cleanText(label ?? subject)}`;
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(name)}"><title>${escaped(name)}</title>${spans.join("")}<path d="${pathOf(data, y)}" stroke="#27c" stroke-width="1.5" fill="none"/>${dashes.join("")}</svg>`;
}

function pathOf({ slices }: ChartData, y: (place: number) => number): string {
  let path = "";
  let isOpen = false;
  for (const [i, slice] of slices.entries()) {
    if (slice === null) {
      isOpen = false;
      continue;
    }
    const x = ((i / slices.length) * WIDTH).toFixed(1);
    path += `${isOpen ? "L" : "M"}${x} ${y(slice.low).toFixed(1)}L${x} ${y(slice.high).toFixed(1)}`;
    isOpen = true;
  }
  return path;
}

function tableHtml(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((text) => `<${tag}>${escaped(text)}</${tag}>`).join("")}</tr>`;
  // On a phone a table is wider than the page.
  return `<div class="wide"><table>${line(head, "th")}${rows.map((row) => line(row, "td")).join("\n")}</table></div>`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

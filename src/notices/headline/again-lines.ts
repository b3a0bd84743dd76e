import { formatDuration } from "../../base/duration.ts";
import { formatValue } from "../../base/format.ts";
import { formatTime } from "../../base/times.ts";
import type { AlertEvent } from "../../decide/event.ts";
import { notificationStateOf } from "../../decide/notification-state.ts";
import type { AlertState } from "../../model/index.ts";
import { booleanText, headlineAs, headlineLabel } from "../../rules/describe/metric-words.ts";
import { BLIND_ICON, chainApart, SEVERITY_ICONS } from "../wording.ts";
import type { Line } from "./fit.ts";

/** The lines of a firing, told again. */

/** `🟠 Worse: Ethereum tip 12.4 gwei, limit 5` */
export function worseLines(lines: readonly Line[], icon: string): readonly Line[] {
  return lines.map((line) => {
    const { before } = line;
    return { ...line, before: `${icon} Worse: ${before.slice(icon.length + 1)}` };
  });
}

/** What goes on after "still"; a number or a name does not. */
const STATES = /^(?:Out of range|In range|No update)/;

/** `🟠 Still: Ethereum tip 7.4 gwei, limit 5`, `🟠 Still out of range: Treasury. 2,310 > 2,250 USDC/ETH. For 3 h` */
export function stillLines(
  { at, after }: AlertEvent,
  lines: readonly Line[],
  icon: string,
): readonly Line[] {
  const lasts = after.firedAt === null ? [] : [`. For ${formatDuration(at - after.firedAt)}`];
  return lines.map((line) => {
    const rest = line.before.slice(icon.length + 1);
    const before = STATES.test(rest) ? `${icon} Still ${small(rest)}` : `${icon} Still: ${rest}`;
    return { ...line, before, tails: [...lasts, ...line.tails] };
  });
}

/** A position that holds nothing any more: `. Position closed`, whatever it is that fires on it. */
export function closedLines({ closed }: AlertEvent, lines: readonly Line[]): readonly Line[] {
  if (!closed) return lines;
  return lines.map((line) => ({ ...line, tails: [". Position closed", ...line.tails] }));
}

/** Told later than it happened: `. Since 12 min`. */
export function lateLines({ at, after }: AlertEvent, lines: readonly Line[]): readonly Line[] {
  if (after.firedAt === null || after.firedAt >= at) return lines;
  const since = `. Since ${formatDuration(at - after.firedAt)}`;
  return lines.map((line) => ({ ...line, tails: [since, ...line.tails] }));
}

/** Several events in one line: `. 3 times in 1 h`. */
export function countedLines({ more, at }: AlertEvent, lines: readonly Line[]): readonly Line[] {
  const held = more?.held ?? null;
  if (held === null || held.count < 2) return lines;
  const times = `. ${held.count} times${inTime(at - held.since)}`;
  return lines.map((line) => ({ ...line, tails: [times, ...line.tails] }));
}

/** ` in 1 h`; nothing of what came in one round. */
export function inTime(ms: number): string {
  return ms > 0 ? ` in ${formatDuration(ms)}` : "";
}

/** `Out of range` goes on in a sentence as `out of range`; `TVL` stays. */
function small(text: string): string {
  const [first = "", second = ""] = text;
  return /\p{Ll}/u.test(second) ? first.toLowerCase() + text.slice(first.length) : text;
}

/**
 * `🟠 Flapping: Treasury ETH/USDC fired 6 times in 1 h. Quiet until it settles`, and once a day
 * `🟠 Still flapping after 1 d: Treasury ETH/USDC`.
 */
export function flappingLine(event: AlertEvent, name: string, tail: string): Line {
  const { at, after, rule, more } = event;
  const gaps = more?.about === "gaps";
  const { firings, gaps: missing } = notificationStateOf(after);
  const flaps = gaps ? missing : firings;
  const since = flaps?.on?.since ?? at;
  const icon = gaps ? BLIND_ICON : SEVERITY_ICONS[rule.severity];
  if (since < at) {
    const what = gaps ? "Data still comes and goes" : "Still flapping";
    const before = `${icon} ${what} after ${formatDuration(at - since)}: `;
    return { before, name, after: "", tails: [tail] };
  }
  const { moreThan, withinMs } = rule.flapping;
  const often = `${moreThan + 1} times in ${formatDuration(withinMs)}`;
  const quiet = ". Quiet until it settles";
  return gaps
    ? { before: `${icon} Data comes and goes: `, name, after: `, gone ${often}`, tails: [quiet] }
    : { before: `${icon} Flapping: `, name, after: ` fired ${often}`, tails: [quiet] };
}

/** `🟠 Steady, still firing since 2026-11-28 14:05 UTC: Treasury ETH/USDC` */
export function steadyLine({ at, after, rule, more }: AlertEvent, name: string): Line {
  const gaps = more?.about === "gaps";
  const icon = gaps ? BLIND_ICON : SEVERITY_ICONS[rule.severity];
  const since = (gaps ? after.missing?.since : after.firedAt) ?? at;
  const what = gaps ? "still no data since" : "still firing since";
  return { before: `${icon} Steady, ${what} ${formatTime(since)}: `, name, after: "", tails: [] };
}

/** `⚪ No data 15 min: Treasury ETH/USDC. Fires for that` */
export function firedWithoutDataLine({ at, after, rule }: AlertEvent, name: string): Line {
  const since = after.missing?.since ?? at;
  const before = `${SEVERITY_ICONS[rule.severity]} No data ${formatDuration(at - since)}: `;
  return { before, name, after: "", tails: [". Fires for that"] };
}

/** `⚪ No data 15 min: Avalanche. Still firing, its state is kept` */
export function noDataLine({ at, before, after }: AlertEvent, name: string, tail: string): Line {
  const since = after.missing?.since ?? before.missing?.since ?? null;
  const length = since === null ? "" : ` ${formatDuration(at - since)}`;
  const state = isFiring(after.state) ? "Still firing" : "Was quiet";
  const tails = [`. ${state}, its state is kept`, tail];
  return { before: `${BLIND_ICON} No data${length}: `, name, after: "", tails };
}

/** `⚪ Data back after 15 min: ETH/USDC 0.05%. Quiet: TVL $4M` */
export function dataBackLine(
  event: AlertEvent,
  name: string,
  tail: string,
  icon = BLIND_ICON,
): Line {
  const { evidence, before, after, description, at } = event;
  const blind = before.missing === null ? null : formatDuration(at - before.missing.since);
  const length = blind === null ? "" : ` after ${blind}`;
  const tails = [...chainApart(event, tail), isFiring(after.state) ? ". Firing" : ". Quiet"];
  if (evidence !== null) {
    const { metric, value } = evidence;
    const as = headlineAs(metric, event.decimals(metric.name), description);
    const { what } = headlineLabel(metric, as, event.rule.across);
    tails.push(
      typeof value === "boolean"
        ? `: ${booleanText(metric.label, value)}`
        : `: ${what} ${formatValue(value, as)}`,
    );
  }
  return { before: `${icon} Data back${length}: `, name, after: "", tails };
}

function isFiring(state: AlertState): boolean {
  return state === "firing" || state === "recovering";
}

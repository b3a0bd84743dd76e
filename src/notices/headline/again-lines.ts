import { formatDuration } from "../../base/duration.ts";
import type { AlertEvent } from "../../decide/event.ts";
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

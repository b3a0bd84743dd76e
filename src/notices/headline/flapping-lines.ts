import { formatDuration } from "../../base/duration.ts";
import { formatTime } from "../../base/times.ts";
import type { AlertEvent } from "../../decide/event.ts";
import { lifeOf } from "../../decide/life.ts";
import { BLIND_ICON, SEVERITY_ICONS } from "../wording.ts";
import type { Line } from "./fit.ts";

/**
 * `🟠 Flapping: Treasury ETH/USDC fired 6 times in 1 h. Quiet until it settles`, and once a day
 * `🟠 Still flapping after 1 d: Treasury ETH/USDC`.
 */
export function flappingLine(event: AlertEvent, name: string, tail: string): Line {
  const { at, after, rule, more } = event;
  const gaps = more?.about === "gaps";
  const { firings, gaps: missing } = lifeOf(after);
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

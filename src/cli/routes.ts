import { formatTime, systemClock } from "../base/clock.ts";
import { windowText } from "../config/routes/mute-keys.ts";
import type { Route, Routing } from "../config/routes/routing.ts";
import { mutedUntil } from "../delivery/suppress/hold.ts";
import type { Rule } from "../model/index.ts";
import { EXIT, type Io } from "./io.ts";
import { iso, print, reportWarnings } from "./report.ts";
import { ruleNamed } from "./rule-argument.ts";
import { readSetup } from "./setup.ts";

export interface RoutesOptions {
  readonly config: string;
  readonly json?: boolean;
}

/** Where the notices of one rule go. */
interface Destination {
  readonly rule: Rule;
  /** Why: its own `notify`, no routes at all, or routes. */
  readonly by: "own" | "all" | "routes";
  readonly routes: readonly Route[];
  readonly channels: readonly Heard[];
}

/** What a channel hears of a rule. */
interface Heard {
  readonly channel: string;
  /** The names of the mutes that count for it; empty: it is never muted. */
  readonly mutes: readonly string[];
  /** Until when it is muted at the moment, epoch milliseconds; null: it is not. */
  readonly mutedUntil: number | null;
}

/** `tickwatch routes`: the exit code. Throws ConfigError. */
export async function routes(
  name: string | undefined,
  options: RoutesOptions,
  io: Io,
): Promise<number> {
  const { setup, routing, warnings } = await readSetup(options.config, io);
  if (options.json !== true) reportWarnings(warnings, io);
  const rule = name === undefined ? null : ruleNamed(name, setup, io);
  if (name !== undefined && rule === null) return EXIT.usage;
  const now = systemClock().now();
  const found = (rule === null ? setup.rules : [rule]).map((one) =>
    destinationOf(one, routing, now),
  );
  print(options, io, {
    value: () => found.map(report),
    page: () => found.map((one) => page(one, routing)).join("\n"),
  });
  return EXIT.fine;
}

function destinationOf(rule: Rule, { ways }: Routing, now: number): Destination {
  const way = ways.get(rule.name) ?? { kind: "all" };
  const taken = way.kind === "routes" ? way.routes : [];
  const channels = rule.notify.map((channel): Heard => {
    const lists = rule.mutes.get(channel) ?? [];
    const leading = taken.filter(({ notify }) => notify.includes(channel));
    return {
      channel,
      mutes: lists.length === 0 ? [] : [...new Set(leading.flatMap((route) => route.mutes))],
      mutedUntil: lists.length === 0 ? null : mutedUntil(lists, now),
    };
  });
  return { rule, by: way.kind, routes: taken, channels };
}

/** Where the notices of a rule go at a time, as lines for people. */
export function routeLines(rule: Rule, routing: Routing, now: number): readonly string[] {
  return page(destinationOf(rule, routing, now), routing).split("\n");
}

function report({ rule, by, routes: taken, channels }: Destination): unknown {
  return {
    rule: rule.name,
    by,
    routes: taken.map(({ index }) => index + 1),
    channels: channels.map(({ channel, mutes, mutedUntil: until }) => ({
      channel,
      mutes,
      muted_until: iso(until),
    })),
  };
}

function page({ rule, by, routes: taken, channels }: Destination, routing: Routing): string {
  const lines = [`${rule.name} (${rule.severity}): ${reason(by, channels.length)}`];
  for (const route of taken) lines.push(`  ${routeText(route, routing)}`);
  for (const { channel, mutes, mutedUntil: until } of channels) {
    const now = until === null ? "not now" : `now, until ${formatTime(until)}`;
    const muted = mutes.length === 0 ? "" : `, muted in ${mutes.join(", ")}: ${now}`;
    lines.push(`  → ${channel}${muted}`);
  }
  return lines.join("\n");
}

function reason(by: Destination["by"], channels: number): string {
  if (channels === 0)
    return by === "routes" ? "no route matches, so it notifies nobody" : "it notifies nobody";
  switch (by) {
    case "own":
      return "its own notify";
    case "all":
      return "all channels, as no routes are configured";
    case "routes":
      return "by these routes";
  }
}

/** `route 2 of 3: severity critical, labels team: lp; not in nights (22:00-07:00 UTC); goes on`. */
function routeText(route: Route, { routes: all }: Routing): string {
  const { severities, labels, rules, kinds, mutes, windows, continues, mutesCritical } = route;
  const criteria = [
    ...(severities === null ? [] : [`severity ${severities.join(" or ")}`]),
    ...Object.entries(labels).map(([key, value]) => `label ${key}: ${value}`),
    ...(rules === null ? [] : [`rule ${rules.join(" or ")}`]),
    ...(kinds === null ? [] : [`kind ${kinds.join(" or ")}`]),
  ];
  const match = criteria.length === 0 ? "everything" : criteria.join(", ");
  const who = mutesCritical ? "including critical" : "except critical";
  const mute =
    mutes.length === 0
      ? ""
      : `; mutes ${mutes.join(", ")} (${windows.map(windowText).join("; ")}), ${who}`;
  const on = continues ? "; continues" : "";
  return `route ${route.index + 1} of ${all?.length ?? 0}: ${match}${mute}${on}`;
}

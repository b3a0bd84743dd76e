import type { MuteWindow, Rule, Severity } from "../../model/index.ts";

/** Where the notices of some rules go; everything that it names was found to be there. */
export interface Route {
  /** Its place in the list, from 0. */
  readonly index: number;
  /** Null: whatever it is. */
  readonly severities: readonly Severity[] | null;
  readonly kinds: readonly string[] | null;
  /** Names of rules, in which `*` stands for any text. */
  readonly rules: readonly string[] | null;
  /** Each of them must be a label of the rule. */
  readonly labels: Readonly<Record<string, string>>;
  readonly notify: readonly string[];
  /** The routes after it count as well. */
  readonly continues: boolean;
  /** Names of mutes. */
  readonly mutes: readonly string[];
  readonly windows: readonly MuteWindow[];
  readonly mutesCritical: boolean;
}

/** What decides where a rule goes; the kind as rules call it. */
type Routed = Pick<Rule, "name" | "kind" | "severity" | "labels">;

/** Why a rule goes where it goes: it says it itself, these routes do, or there are none at all. */
type Way =
  | { readonly kind: "own" }
  | { readonly kind: "all" }
  | { readonly kind: "routes"; readonly routes: readonly Route[] };

/** The routes of a configuration, and what they made of each rule. */
export class Routing {
  /** By the rule's name. */
  readonly ways = new Map<string, Way>();

  /** `routes`: null where none are configured. */
  constructor(
    readonly routes: readonly Route[] | null,
    private readonly channels: readonly string[],
  ) {}

  /** Where a rule goes, and when not; `own`: the channels that it names itself, null: it does not. */
  resolve(rule: Routed, own: readonly string[] | null): Pick<Rule, "notify" | "mutes"> {
    if (own !== null || this.routes === null) {
      this.ways.set(rule.name, { kind: own === null ? "all" : "own" });
      return { notify: own ?? this.channels, mutes: NO_MUTES };
    }
    const routes = routesOf(rule, this.routes);
    this.ways.set(rule.name, { kind: "routes", routes });
    const notify = new Set(routes.flatMap((route) => route.notify));
    return { notify: [...notify], mutes: mutesOf(rule, routes) };
  }
}

export const NO_MUTES: Rule["mutes"] = new Map();

/** The first route that matches, and those after it as long as each of them continues. */
function routesOf(rule: Routed, routes: readonly Route[]): readonly Route[] {
  const found: Route[] = [];
  for (const route of routes) {
    if (!matches(route, rule)) continue;
    found.push(route);
    if (!route.continues) break;
  }
  return found;
}

function matches({ severities, kinds, rules, labels }: Route, rule: Routed): boolean {
  return (
    (severities === null || severities.includes(rule.severity)) &&
    (kinds === null || kinds.includes(rule.kind)) &&
    (rules === null || rules.some((pattern) => matchesName(pattern, rule.name))) &&
    Object.entries(labels).every(([key, value]) => labelOf(rule, key) === value)
  );
}

export function labelOf({ labels }: Pick<Rule, "labels">, key: string): string | null {
  return Object.hasOwn(labels, key) ? (labels[key] ?? null) : null;
}

/** Whether a pattern stands for a name: each part between its `*` is found, one after the other. */
export function matchesName(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first) || name.length < first.length + last.length) return false;
  let at = first.length;
  const end = name.length - last.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return name.endsWith(last);
}

/** A channel is muted while every route that leads to it is; one way that is never muted is enough. */
function mutesOf({ severity }: Routed, routes: readonly Route[]): Rule["mutes"] {
  const mutes = new Map<string, (readonly MuteWindow[])[]>();
  const open = new Set<string>();
  for (const { notify, windows, mutesCritical } of routes) {
    // The worst fault is an alert that never came.
    const passes = windows.length === 0 || (severity === "critical" && !mutesCritical);
    for (const channel of notify) {
      if (passes) open.add(channel);
      else mutes.set(channel, [...(mutes.get(channel) ?? []), windows]);
    }
  }
  for (const channel of open) mutes.delete(channel);
  return mutes.size === 0 ? NO_MUTES : mutes;
}

/** Whether whatever matches `other` matches `route` as well, as far as what they say shows it. */
export function covers(route: Route, other: Route): boolean {
  const holds = <T>(some: readonly T[] | null, all: readonly T[] | null): boolean =>
    all === null || (some?.every((one) => all.includes(one)) ?? false);
  return (
    holds(other.severities, route.severities) &&
    holds(other.kinds, route.kinds) &&
    (route.rules === null ||
      (other.rules?.every((name) => route.rules?.some((one) => matchesName(one, name))) ??
        false)) &&
    Object.entries(route.labels).every(([key, value]) => labelOf(other, key) === value)
  );
}

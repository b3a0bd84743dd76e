import type { Clock } from "../base/clock.ts";
import { DAY, HOUR } from "../base/duration.ts";
import { asMap, readMap } from "../base/json.ts";
import { Generations } from "../commit/generations.ts";
import { createMemory } from "../commit/load.ts";
import { SourceAffinity } from "../commit/source-affinity.ts";
import { versionOf } from "../commit/startup.ts";
import { isFiring } from "../decide/notification-state.ts";
import type { Source } from "../fetch/source.ts";
import { KINDS } from "../kinds/index.ts";
import { type Alert, type Rule, type Setup, SOURCE_RULE } from "../model/index.ts";
import type { ConfigurationState } from "../ops/reload/configuration-state.ts";
import { changedKeys, fingerprintsOf } from "../ops/reload/fingerprints.ts";
import type { LoadedView } from "../store/operator-db/loaded.ts";
import { forecast, totalOf } from "./forecast.ts";

/** What a reload of the files as they are would do to a daemon. */
export interface FoundDiff {
  readonly added: readonly Rule[];
  readonly changed: readonly ChangedRule[];
  readonly removed: readonly string[];
  /** Alerts that are not watched any more. */
  readonly closing: readonly Alert[];
  /** Alerts that go on, and what they measured begins anew. */
  readonly anew: readonly Alert[];
  /** The keys of the configuration beside its rules; null: the daemon has not written down what it has there. */
  readonly settings: readonly string[] | null;
  readonly channels: { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** Requests that rounds have really made since `since`, and the most of an average hour after it. */
  readonly requests: {
    readonly before: { readonly count: number; readonly since: number } | null;
    readonly after: number;
  };
}

export interface ChangedRule {
  readonly rule: Rule;
  /** What of it is different, such as `when` and `for`. */
  readonly parts: readonly string[];
  /** Its alerts that keep their state and their timers, as far as they are not quiet. */
  readonly kept: readonly Alert[];
}

/** The names of a canonical text's parts as rules files have them. */
const PARTS: ReadonlyMap<string, string> = new Map([
  ["kind", "watch"],
  ["subjects", "watch"],
  ["across", "across"],
  ["decimals", "decimals"],
  ["resolveWhen", "resolve_when"],
  ["forMs", "for"],
  ["resolveAfterMs", "resolve_after"],
  ["sendResolved", "send_resolved"],
  ["missingAfterMs", "missing_after"],
  ["maxAgeMs", "max_age"],
  ["minAgeMs", "min_age"],
  ["onMissing", "on_missing"],
  ["worse", "worse_by"],
  ["cooldownMs", "cooldown"],
  ["gates", "only_while or unless"],
]);

/**
 * Compares what a daemon has loaded with a configuration, by the code with which a reload takes over. Asks
 * nobody. `state`: what the daemon has written down of its configuration; null: nothing.
 */
export function findDiff(
  setup: Setup,
  { loaded, sources, requests }: LoadedView,
  state: ConfigurationState | null,
  source: Source,
  clock: Clock,
): FoundDiff {
  const now = clock.now();
  const affinity = new SourceAffinity(source, clock);
  const generations = new Generations(source, affinity, setup.service, loaded.marks);
  const memory = createMemory(setup.rules, KINDS, versionOf, loaded, generations, now);
  const versions = new Map(loaded.rules.map(({ name, version }) => [name, version]));
  const changed = memory.rules
    .filter(({ rule, state: { version } }) => (versions.get(rule.name) ?? version) !== version)
    .map(({ rule, alerts }) => ({
      rule,
      parts: changedParts(sources.get(rule.name) ?? "", rule.source),
      kept: alerts.flatMap(({ alert }) => (alert === null || alert.state === "ok" ? [] : [alert])),
    }));
  const isAnew = new Set([...memory.moved, ...memory.cleared].map(({ rule }) => rule));
  const moved = generations.addresses.moved.length > 0;
  const before = namesOf(state);
  const names = setup.channels.map(({ name }) => name);
  const hours = DAY / HOUR;
  const planned = totalOf(forecast(setup.rules, KINDS, source, now - (now % DAY)).day) / hours;
  return {
    added: setup.rules.filter(({ name }) => !versions.has(name)),
    changed,
    removed: memory.removedRules,
    closing: memory.removedAlerts.filter((one) => one.rule !== SOURCE_RULE),
    anew: memory.rules
      .filter(({ rule }) => isAnew.has(rule.name) && (moved || memory.moved.length > 0))
      .flatMap(({ alerts }) => alerts.flatMap(({ alert }) => (alert === null ? [] : [alert]))),
    settings:
      state === null || state.salt === ""
        ? null
        : changedKeys(state.fingerprints, fingerprintsOf(setup, state.salt)),
    channels: {
      added: before === null ? [] : names.filter((name) => !before.has(name)),
      removed: before === null ? [] : [...before].filter((name) => !names.includes(name)),
    },
    requests: {
      before: requests === null ? null : { count: requests.count, since: requests.first },
      after: Math.ceil(planned),
    },
  };
}

/** What people know of it: it fires, or has no data. */
export function isKnown({ state, lastNotified }: Alert): boolean {
  return isFiring(state) || lastNotified.state === "firing";
}

function changedParts(before: string, after: string): readonly string[] {
  const old = asMap(readMap(before)) ?? {};
  const now = asMap(readMap(after)) ?? {};
  const keys = new Set([...Object.keys(old), ...Object.keys(now)]);
  const different = [...keys].filter(
    (key) => JSON.stringify(old[key]) !== JSON.stringify(now[key]),
  );
  return [...new Set(different.map((key) => PARTS.get(key) ?? key))];
}

/** The channels of the configuration that runs. */
function namesOf(state: ConfigurationState | null): ReadonlySet<string> | null {
  if (state === null || state.salt === "") return null;
  const names = Object.keys(state.fingerprints).flatMap(
    (key) => /^channels\.(.+)\.kind$/.exec(key)?.[1] ?? [],
  );
  return new Set(names);
}

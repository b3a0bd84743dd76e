import type { Setup } from "../../model/index.ts";
import type { LoadedChanges } from "./configuration-state.ts";
import { textOf } from "./fingerprints.ts";

/** Whether two settings are the same, also in their secrets. */
export function isSame(one: unknown, other: unknown): boolean {
  return one === other || textOf(one) === textOf(other);
}

/** What runs anew when one configuration follows another. */
export interface Differences {
  /** The service is asked in another way. */
  readonly source: boolean;
  /** Rules, or what their rounds need beside them. */
  readonly rounds: boolean;
  /** What is new, changed or gone, by its names. */
  readonly changes: LoadedChanges;
  readonly heartbeat: boolean;
  readonly web: boolean;
  /** What applies at the next start only, by its keys. */
  readonly needsRestart: readonly string[];
  /** The daemons of the cluster that cannot decide by it yet, and for whom it waits; absent: it waits for nobody. */
  readonly waitsFor?: readonly string[];
  /** Nothing of it is in force: others have a configuration that is newer than these files. */
  readonly isOlder?: boolean;
  /** Anything at all. */
  readonly any: boolean;
}

/** What is different in `next`. A rule that only stands elsewhere in its file is the same. */
export function differences(before: Setup, next: Setup): Differences {
  const source = !isSame(before.service, next.service);
  const rounds =
    source ||
    !isSame(before.rules.map(watchedOf), next.rules.map(watchedOf)) ||
    !isSame(before.selfNotify, next.selfNotify);
  const changes = {
    rules: changesOf(before.rules, next.rules, (rule) => [rule.source, rule.flapping, rule.mutes]),
    channels: changesOf(before.channels, next.channels, (channel) => channel),
  };
  const heartbeat = !isSame(before.heartbeat, next.heartbeat);
  const web = !isSame(before.web, next.web);
  const needsRestart = (["store", "cluster"] as const).filter(
    (key) => !isSame(before[key], next[key]),
  );
  const { rules: _, ...plainBefore } = before;
  const { rules: __, ...plainNext } = next;
  return {
    source,
    rounds,
    changes,
    heartbeat,
    web,
    needsRestart,
    any: rounds || !isSame(plainBefore, plainNext) || changes.rules.changed.length > 0,
  };
}

/** What of a rule its rounds look at; mutes are for the delivery. */
function watchedOf({ source, flapping, owners, subjects }: Setup["rules"][number]): unknown {
  // Its text has its subjects, but for those that owners hold.
  return [source, flapping, owners === undefined ? [] : subjects.map(({ key }) => key)];
}

function changesOf<T extends { readonly name: string }>(
  before: readonly T[],
  next: readonly T[],
  partsOf: (one: T) => unknown,
): LoadedChanges["rules"] {
  const old = new Map(before.map((one) => [one.name, textOf(partsOf(one))]));
  const added: string[] = [];
  const changed: string[] = [];
  for (const one of next) {
    const text = old.get(one.name);
    if (text === undefined) added.push(one.name);
    else if (text !== textOf(partsOf(one))) changed.push(one.name);
    old.delete(one.name);
  }
  return { added, changed, removed: [...old.keys()] };
}

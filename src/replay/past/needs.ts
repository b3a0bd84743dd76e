import { acrossSubject } from "../../decide/across.ts";
import { comparisonsOfRule, lookBackOf, referencesOf } from "../../decide/condition-tree.ts";
import type { WatchKind } from "../../kinds/kind.ts";
import type { Rule, Subject } from "../../model/index.ts";

/** A subject of which rules need the past, and the metrics that they need. */
export interface Need {
  readonly subject: Subject;
  readonly kind: WatchKind;
  /** Whom to ask for it: itself, or all of which it is made. */
  readonly members: readonly Subject[];
  readonly metrics: Set<string>;
  /** Metrics of single entries. */
  readonly entries: Set<string>;
  /** The rules, by name, that ask for it. */
  readonly rules: Set<string>;
}

/** What one rule needs to be replayed. */
export interface RuleNeeds {
  readonly rule: Rule;
  readonly kind: WatchKind;
  /** The metrics of its conditions, but for those of entries. */
  readonly metrics: readonly string[];
  /** Metrics of single entries, such as a swap's amount. */
  readonly entries: readonly string[];
  /** What it has alerts on: its subjects, or all of them together. */
  readonly own: readonly Subject[];
  readonly references: readonly {
    readonly subject: Subject;
    readonly kind: WatchKind;
    readonly metric: string;
  }[];
  /** How far back, in milliseconds, its conditions look. */
  readonly lookBackMs: number;
}

/** Throws Error for a kind that is not among `kinds`. */
export function needsOf(rule: Rule, kinds: ReadonlyMap<string, WatchKind>): RuleNeeds {
  const kind = kindOf(rule.kind, kinds);
  const comparisons = comparisonsOfRule(rule);
  const all = [...new Set(comparisons.map(({ metric }) => metric))];
  const isEntry = (name: string): boolean => kind.metrics.get(name)?.entry === true;
  return {
    rule,
    kind,
    metrics: all.filter((name) => !isEntry(name)),
    entries: all.filter(isEntry),
    own:
      rule.across === null ? rule.subjects : [acrossSubject(rule.kind, rule.across, rule.subjects)],
    references: referencesOf(rule).flatMap(({ subject, kind: name, metric, across }) =>
      (across?.members ?? [subject]).map((one) => {
        return { subject: one, kind: kindOf(name, kinds), metric };
      }),
    ),
    lookBackMs: comparisons.reduce((most, one) => Math.max(most, lookBackOf(one)), 0),
  };
}

/**
 * What all of these rules need of each subject, by its key. `isRecorded`: whether a daemon recorded a metric of a
 * subject; what it recorded of several together needs none of them.
 */
export function needsByKey(
  all: readonly RuleNeeds[],
  isRecorded: (key: string, metric: string) => boolean,
): ReadonlyMap<string, Need> {
  const needs = new Map<string, Need>();
  const asked: [key: string, rule: string][] = [];
  const add = (
    subject: Subject,
    kind: WatchKind,
    metrics: readonly string[],
    rule: string,
    members: readonly Subject[] = [subject],
  ): void => {
    const need = needs.get(subject.key) ?? {
      subject,
      kind,
      members,
      metrics: new Set<string>(),
      entries: new Set<string>(),
      rules: new Set<string>(),
    };
    needs.set(subject.key, need);
    for (const metric of metrics) need.metrics.add(metric);
    need.rules.add(rule);
  };
  for (const { rule, kind, metrics, entries, own, references } of all) {
    const members = rule.across === null ? undefined : rule.subjects;
    const isKept = own.every(({ key }) => metrics.every((metric) => isRecorded(key, metric)));
    if (members === undefined || isKept) {
      for (const subject of own) add(subject, kind, metrics, rule.name, members);
    } else for (const one of members) add(one, kind, metrics, rule.name);
    if (isKept) for (const { key } of members ?? []) asked.push([key, rule.name]);
    for (const { key } of entries.length > 0 ? own : []) {
      for (const name of entries) needs.get(key)?.entries.add(name);
    }
    for (const one of references) add(one.subject, one.kind, [one.metric], rule.name);
  }
  // A member that others need has samples of these rounds as well.
  for (const [key, rule] of asked) needs.get(key)?.rules.add(rule);
  return needs;
}

function kindOf(name: string, kinds: ReadonlyMap<string, WatchKind>): WatchKind {
  const kind = kinds.get(name);
  if (kind === undefined) throw new Error(`no watch kind ${name}`);
  return kind;
}

import { chainName } from "../base/chains.ts";
import type { Clock } from "../base/clock.ts";
import { countOf, someNames } from "../base/text.ts";
import type { Source } from "../fetch/source.ts";
import type { Memory, RuleMemory } from "../poll/memory.ts";
import { lateRules } from "../poll/schedule.ts";
import type { Store } from "../store/store.ts";
import type { ConfigurationState } from "./reload/configuration-state.ts";
import type { SelfNotices } from "./self-notices.ts";

/** What the metrics read of the daemon when they are asked for. */
export interface DaemonView {
  /** The names of those that are configured. */
  channels(): readonly string[];
  rules(): number;
  /** Rules without a round for three of their intervals. */
  lateRules(): number;
  subjects(): number;
  alerts(): AlertCounts;
  /** The date of the newest round that was kept, epoch milliseconds; null: there was none yet. */
  lastRound(): number | null;
  /** Notices that are not delivered yet, by channel. */
  owed(): Promise<ReadonlyMap<string, number>>;
  /** The configuration that runs: when it was loaded, and whether a later one was refused; null: it is never loaded again. */
  configuration(): { readonly loadedAt: number; readonly failure: object | null } | null;
  /** How the work is shared; null: it is the only daemon. */
  sharing(): SharingCounts | null;
  /** Of the endpoints that answered lately, by chain. */
  sourceLags(): readonly SourceLag[];
}

/** How several daemons share the work, as one of them has seen it last. */
export interface SharingCounts {
  /** Of the 256 parts of the work those that this daemon has. */
  readonly slots: number;
  /** Daemons that are alive, this one included. */
  readonly members: number;
  /** Of the parts those that nobody has who is alive. */
  readonly unowned: number;
}

/** How old the newest record is that an endpoint gave of a chain. */
export interface SourceLag {
  readonly endpoint: string;
  /** The chain's name for people; `all` where the endpoint tells of all in one. */
  readonly chain: string;
  readonly seconds: number;
}

export interface AlertCounts {
  readonly ok: number;
  readonly pending: number;
  readonly firing: number;
  readonly recovering: number;
  /** Whose data is missing for so long that it was told; they are in one of the states as well. */
  readonly withoutData: number;
}

/** How a running daemon is, for those who look at it. */
export interface DaemonState extends DaemonView {
  /** The configuration that runs, and why a later one does not; null: it is never loaded again. */
  configuration(): ConfigurationState | null;
  /** The rules without a round for three of their intervals. */
  late(): readonly RuleMemory[];
  /** What would be missed if nobody looked, in words; empty: all is well. */
  troubles(): readonly string[];
  /** The rules that had no round yet. */
  waiting(): readonly string[];
}

export interface StateParts {
  /** Of the rounds that run at the moment, which a reload replaces, as it does the two below. */
  readonly memory: () => Memory;
  /** All that is watched, also by other daemons; default: the same. */
  readonly whole?: () => Memory;
  readonly channels: () => readonly string[];
  readonly source: () => Source;
  /** Null: it is never loaded again. */
  readonly configuration: () => ConfigurationState | null;
  readonly store: Store;
  readonly clock: Clock;
  readonly self: SelfNotices;
  /** Absent, or null: it is the only daemon. */
  readonly sharing?: () => SharingCounts | null;
}

/** A list of names is for a person to read. */
const MOST_NAMES = 5;

/** Looks at memory and store whenever it is asked, and keeps nothing. */
export function stateOf({
  memory,
  whole = memory,
  store,
  clock,
  self,
  channels,
  source,
  configuration,
  sharing = () => null,
}: StateParts): DaemonState {
  let began = clock.now();
  const late = (): readonly RuleMemory[] => {
    const now = clock.now();
    // A clock that was set back must not hide for a year that nothing runs.
    began = Math.min(began, now);
    return lateRules(memory(), now, began);
  };
  return {
    channels,
    configuration,
    sharing,
    late,
    rules: () => whole().rules.length,
    lateRules: () => late().length,
    subjects: () => whole().watched,
    alerts: () => countAlerts(whole()),
    lastRound: () => memory().rules.reduce<number | null>(later, null),
    owed: () => store.owed(),
    sourceLags: () =>
      (source().newestTimes?.() ?? []).map(({ endpoint, chainId, at }) => ({
        endpoint,
        chain: chainId === 0 ? "all" : chainName(chainId),
        // The bucket that is running ends in the future.
        seconds: Math.max(0, clock.now() / 1_000 - at),
      })),
    troubles() {
      const rules = late().map(({ rule }) => rule.name);
      const { trouble } = self;
      return [
        ...(rules.length === 0 ? [] : [lateWords(rules)]),
        ...(trouble === null ? [] : [trouble]),
      ];
    },
    waiting: () =>
      memory()
        .rules.filter(({ state }) => state.lastRound === null)
        .map(({ rule }) => rule.name),
  };
}

function later(latest: number | null, { state }: RuleMemory): number | null {
  if (state.lastRound === null) return latest;
  return Math.max(latest ?? state.lastRound, state.lastRound);
}

function lateWords(rules: readonly string[]): string {
  return `${countOf(rules.length, "rule")} missed every round for three intervals: ${someNames(rules, MOST_NAMES)}`;
}

function countAlerts({ rules }: Memory): AlertCounts {
  const states = { ok: 0, pending: 0, firing: 0, recovering: 0 };
  let withoutData = 0;
  for (const { alerts } of rules) {
    for (const { alert } of alerts) {
      if (alert === null) continue;
      states[alert.state] += 1;
      if (alert.missing?.told === true) withoutData += 1;
    }
  }
  return { ...states, withoutData };
}

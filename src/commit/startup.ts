import { createHash } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { SECOND } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import { inTurns, YieldingLoop } from "../base/turns.ts";
import { notificationStateOf } from "../decide/notification-state.ts";
import type { Source } from "../fetch/source.ts";
import type { WatchKind } from "../kinds/kind.ts";
import {
  type AddressedNotice,
  type Change,
  NO_CHANGE,
  type Rule,
  type RuleChange,
  type RuleState,
  type Setup,
  SOURCE_RULE,
  type SubjectMarks,
} from "../model/index.ts";
import { composeRemoved } from "../notices/notice.ts";
import { composeSelf } from "../notices/self-notice.ts";
import type { Share } from "../poll/division.ts";
import type { Memory } from "../poll/memory.ts";
import { groupRules } from "../poll/plan.ts";
import type { Loaded, Store } from "../store/store.ts";
import { fillWindows } from "./backfill/points.ts";
import type { OnRoundsEvent } from "./committer.ts";
import { Generations } from "./generations.ts";
import { alertKey, type HoldingsChange, holdingsChange } from "./holdings.ts";
import { EDITED_MARK, memorySteps } from "./load.ts";
import { isAhead, rewind } from "./rewind.ts";
import { SourceAffinity } from "./source-affinity.ts";

/** What rounds of a setup work with. */
export interface StartupParts {
  readonly setup: Setup;
  readonly kinds: ReadonlyMap<string, WatchKind>;
  readonly source: Source;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly onEvent: OnRoundsEvent;
  /** Answers that hold for good and that rounds before these have had; absent: there were none. */
  readonly facts?: Memory["facts"];
  /** What of the rules others leave to it; absent: it is the only one. */
  readonly share?: Share;
}

/** What the rounds of a run begin with. */
export interface Opened {
  readonly memory: Memory;
  readonly affinity: SourceAffinity;
  readonly generations: Generations;
}

/** Takes over what the store has kept, and closes what is no longer watched. Throws StoreError. */
export async function openMemory(parts: StartupParts): Promise<Opened> {
  const { kinds, source, store, clock, log, onEvent } = parts;
  const share = parts.share ?? null;
  const setup = share === null ? parts.setup : sharedSetup(parts.setup, share);
  const all = await store.load();
  const loaded = share === null ? all : sharedPart(all, share);
  const now = clock.now();
  const affinity = new SourceAffinity(source, clock);
  const generations = new Generations(source, affinity, setup.service, loaded.marks);
  const memory = await inTurns(
    memorySteps(setup.rules, kinds, versionOf, loaded, generations, now, share),
  );
  const { moved, mark } = generations.addresses;
  for (const { base, from, to } of moved) {
    log.warn(
      { key: base, from, to },
      "the address has changed: baselines, windows and events start over",
    );
  }
  const commit = async (change: Change): Promise<void> => {
    await store.commit(change);
    const { notices } = change;
    if (notices.length > 0) onEvent({ kind: "notices", notices });
  };
  const turns = new YieldingLoop();
  const held =
    share === null || share.division.hasOwned(share.slots)
      ? holdingsChange(setup, kinds, memory.removedAlerts, loaded.marks, now)
      : { ...NOTHING_HELD, marks: [] };
  const edits = share === null ? ruleChanges(memory, loaded.rules, now) : [];
  const marks = [...(mark === null || share !== null ? [] : [mark]), ...held.marks];
  // What concerns the rules and not their alerts is written down once for all daemons: see `ClusterStart`.
  const written =
    share === null ? memory : { ...memory, rules: [], removedRules: [], editedAnew: false };
  for (const change of openingChanges(written, setup, now, marks, held)) {
    // With the versions that show an edit, and once.
    await commit({ ...change, ruleChanges: edits.splice(0) });
    if (turns.isDue) await turns.give();
  }
  if (isAhead(memory, share === null ? now : now + LARGEST_DRIFT_MS)) {
    log.warn(CLOCK_SET_BACK);
    const rounds = memory.rules.map(({ state }) => state.lastRound ?? now);
    const latest = rounds.reduce((most, date) => Math.max(most, date), now);
    await rewind(memory, store, now);
    await commit({ ...NO_CHANGE, notices: clockNotices(setup, latest, now) });
  } else await fillWindows(memory, store, now, new Set(memory.newSeries.map(({ id }) => id)));
  groupRules(memory.rules, now);
  // What was new is in the store by now and need not be kept twice.
  const facts = parts.facts ?? memory.facts;
  const kept = { ...memory, facts, newSeries: [], removedAlerts: [], moved: [], cleared: [] };
  return { memory: kept, affinity, generations };
}

export const CLOCK_SET_BACK = "the clock was set back: later dates are set to now";

/** By so much the clocks of daemons may differ that share the work. */
const LARGEST_DRIFT_MS = 5 * SECOND;

/** The setup with what of its rules is in the share. */
function sharedSetup(setup: Setup, { division, slots }: Share): Setup {
  return { ...setup, rules: division.rulesIn(slots) };
}

/** What the store has of the share; a rule's last round is the least of its slots. */
function sharedPart(loaded: Loaded, { division, slots }: Share): Loaded {
  const lastOf = ({ name, lastRound }: RuleState): number | null => {
    const dates = division
      .slotsOf(name)
      .filter((slot) => slots.has(slot))
      .map((slot) => loaded.slotRounds?.get(name)?.get(slot) ?? lastRound ?? Number.NaN);
    const least = dates.length === 0 ? lastRound : Math.min(...dates);
    return Number.isNaN(least) ? null : least;
  };
  return {
    ...loaded,
    alerts: loaded.alerts.filter(
      ({ rule, subject }) => rule === SOURCE_RULE || slots.has(division.slotOf(rule, subject)),
    ),
    rules: loaded.rules.map((state) => ({ ...state, lastRound: lastOf(state) })),
  };
}

/** The rules that are new, edited or removed since the run before. */
export function ruleChanges(
  { rules, removedRules }: Pick<Memory, "rules" | "removedRules">,
  before: readonly RuleState[],
  at: number,
): RuleChange[] {
  const versions = new Map(before.map(({ name, version }) => [name, version]));
  const edited = rules.filter(({ state }) => versions.get(state.name) !== state.version);
  return [
    ...edited.map(({ state: { name, version } }) => ({ rule: name, at, version })),
    ...removedRules.map((rule) => ({ rule, at, version: null })),
  ];
}

/** What is told of a clock that went from `latest` back to `now`. */
export function clockNotices(
  { selfNotify }: Setup,
  latest: number,
  now: number,
): AddressedNotice[] {
  if (selfNotify.length === 0) return [];
  const notice = composeSelf({ about: "clock_set_back", from: latest }, now);
  return [{ notice, channels: selfNotify }];
}

/** So many rules or series are made known to the store in one transaction. */
const SLICE = 2_000;

export function versionOf(rule: Rule): string {
  return createHash("sha256").update(rule.source).digest("hex").slice(0, 16);
}

/**
 * What a start writes before its first round, in its order. What is no longer watched goes first, with
 * what is told of it; a start that is cut off after that finds the other rules as they were, and
 * comes to the same.
 */
export function* openingChanges(
  memory: Memory,
  setup: Setup,
  now: number,
  marks: Change["marks"] = [],
  held: Pick<HoldingsChange, "notices" | "ended"> = NOTHING_HELD,
): Generator<Change> {
  const { removedAlerts, moved, cleared, removedRules, rules, newSeries } = memory;
  yield {
    ...NO_CHANGE,
    // What is cleared is removed and put back.
    removedAlerts: [...removedAlerts, ...moved].map(({ rule, subject }) => ({ rule, subject })),
    alerts: cleared,
    alertChanges: cleared.map((alert) => ({ at: now, value: null, alert })),
    removedRules,
    notices: [...removals(memory, setup, held.ended, now), ...held.notices],
    // With the versions that show an edit: a start that is cut off would not know of it any more.
    marks: memory.editedAnew ? [...marks, editedMark(memory.edited)] : marks,
    ...rulesChange(rules.slice(0, SLICE)),
  };
  for (let start = SLICE; start < rules.length; start += SLICE) {
    yield { ...NO_CHANGE, ...rulesChange(rules.slice(start, start + SLICE)) };
  }
  for (let start = 0; start < newSeries.length; start += SLICE) {
    yield { ...NO_CHANGE, series: newSeries.slice(start, start + SLICE) };
  }
}

function rulesChange(rules: Memory["rules"]): Pick<Change, "versions" | "rules"> {
  return {
    versions: rules.map(({ rule, state }) => ({ version: state.version, source: rule.source })),
    // Copies: what cannot be written yet waits, and the rounds go on meanwhile.
    rules: rules.map(({ state }) => ({ ...state })),
  };
}

const NOTHING_HELD = { notices: [], ended: new Set<string>() };

/** `ended`: alerts whose end is told otherwise. */
function removals(
  { removedAlerts, cleared }: Memory,
  setup: Setup,
  ended: ReadonlySet<string>,
  now: number,
): AddressedNotice[] {
  const configured = new Set(setup.channels.map(({ name }) => name));
  const kept = new Set(cleared.map(alertKey));
  const notices: AddressedNotice[] = [];
  for (const alert of removedAlerts) {
    const { rule, subject, label, lastNotified } = alert;
    if (ended.has(alertKey(alert))) continue;
    const was = lastNotified.state === "firing" ? "firing" : "without data";
    // Of an event rule's alert, which goes on, it will be said that its data is back.
    if (was === "without data" && kept.has(alertKey(alert))) continue;
    const heard =
      was === "firing" ? lastNotified.channels : (notificationStateOf(alert).blindTo ?? []);
    const channels = heard.filter((name) => configured.has(name));
    if (channels.length === 0) continue;
    const facts = {
      was,
      rule,
      subject,
      label: label ?? subject,
      at: now,
      severity: "info",
    } as const;
    notices.push({ notice: composeRemoved(facts), channels });
  }
  return notices;
}

function editedMark(names: ReadonlySet<string>): SubjectMarks {
  return { subject: EDITED_MARK, value: JSON.stringify([...names]) };
}

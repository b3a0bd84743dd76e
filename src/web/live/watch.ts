import { formatDuration } from "../../base/duration.ts";
import type { Schedule } from "../../base/schedule.ts";
import { cleanText } from "../../base/text.ts";
import type { ChannelTrouble } from "../../delivery/event.ts";
import { sourceName } from "../../notices/source-notice.ts";
import type { AlertMemory, Memory, RuleMemory } from "../../poll/memory.ts";
import { scopeFromKey } from "../../poll/outages.ts";
import type { Fault, Watch } from "../api/schemas/overview.ts";
import { iso, nameOf } from "./alert-view.ts";
import type { Snapshot } from "./snapshot.ts";

/** What the daemon knows of itself beside its alerts. */
export interface SelfView {
  /** The rules without a round for three of their intervals. */
  late(): readonly RuleMemory[];
  /** Why the database cannot be written; null: it can. */
  databaseTrouble(): { readonly reason: string; readonly since: number } | null;
  /** The channels that reject or cannot be reached, by name. */
  channelTroubles(): ReadonlyMap<string, ChannelTrouble>;
  /** Those whose last send failed, by name. */
  failingChannels(): ReadonlySet<string>;
  /** How many channels the configuration has. */
  channels(): number;
  /** How many endpoints of the source answered when they were asked last. */
  endpoints(): number;
  /** What is wrong with edited files, which therefore do not run; null: nothing. */
  refusedFiles(): {
    readonly count: number;
    readonly problems: readonly string[];
    readonly since: number;
  } | null;
}

/** A list of names is for a person to read. */
const MOST_FAULTS = 20;

/** Whether everything is watched, in one sentence, and what is not. */
export function watchView(memory: Memory, snapshot: Snapshot, self: SelfView, now: number): Watch {
  const late = self.late();
  const unwatched = unwatchedOf(memory, snapshot, late);
  const schedules = new Map<string, Schedule>();
  let lastRound: number | null = null;
  for (const { state, rule } of memory.rules) {
    if (state.lastRound !== null) lastRound = Math.max(lastRound ?? 0, state.lastRound);
    schedules.set(rule.schedule.key, rule.schedule);
  }
  let next: number | null = null;
  for (const schedule of schedules.values()) {
    const due = schedule.next(now);
    next = Math.min(next ?? due, due);
  }
  const subjects = memory.watched;
  const watched = subjects - unwatched.size;
  const failing = self.failingChannels();
  const faults = [
    ...databaseFaults(self),
    ...lateFaults(late, now),
    ...configurationFaults(self),
    ...sourceFaults(memory, now),
    ...channelFaults(self, now),
  ];
  return {
    sentence: sentenceOf(memory, snapshot, faults, subjects, watched, lastRound, now),
    subjects,
    watched,
    rules: memory.rules.length,
    late_rules: late.length,
    last_round: lastRound === null ? null : iso(lastRound),
    next_round: next === null ? null : iso(next),
    endpoints: self.endpoints(),
    channels: Math.max(0, self.channels() - failing.size),
    failing: [...failing].slice(0, MOST_FAULTS),
    faults: faults.slice(0, MOST_FAULTS),
  };
}

/** The subjects that have no value now, or of which no round asks: of several together each. */
function unwatchedOf(
  { subjects }: Memory,
  { withoutData }: Snapshot,
  late: readonly RuleMemory[],
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { rule } of late) for (const { key } of rule.subjects) found.add(key);
  for (const key of withoutData) {
    for (const { watched } of subjects.get(key)?.alerts ?? []) {
      const members = watched.members.map((member) => member.key);
      for (const one of members.length === 0 ? [key] : members) found.add(one);
    }
  }
  return found;
}

function sentenceOf(
  memory: Memory,
  snapshot: Snapshot,
  faults: readonly Fault[],
  subjects: number,
  watched: number,
  lastRound: number | null,
  now: number,
): string {
  if (memory.rules.length === 0) return "No rule is enabled: nothing is watched";
  if (lastRound === null) return "Starting: the first round has not ended yet";
  if (faults.length > 1) {
    const isTelling = watched >= subjects && faults.every(({ about }) => about === "channel");
    return `${isTelling ? "Not everybody is told" : "Not everything is watched"}: ${faults.length} faults`;
  }
  const [fault] = faults;
  if (fault !== undefined) return fault.what;
  if (watched === subjects) {
    return subjects === 1
      ? "The one subject is watched"
      : `All ${counted(subjects)} subjects watched`;
  }
  const first = firstWithoutData(memory, snapshot);
  const missing = first?.alert?.missing ?? null;
  const who =
    first === null || missing === null
      ? ""
      : `. No data from ${nameOf(first, null)} for ${formatDuration(now - missing.since)}`;
  return `${counted(watched)} of ${counted(subjects)} subjects watched${who}`;
}

/** The alert that has had no value for longest, of those of subjects that have none now. */
function firstWithoutData({ subjects }: Memory, { withoutData }: Snapshot): AlertMemory | null {
  let found: AlertMemory | null = null;
  for (const key of withoutData) {
    for (const one of subjects.get(key)?.alerts ?? []) {
      const since = one.alert?.missing?.since ?? Infinity;
      if (since < (found?.alert?.missing?.since ?? Infinity)) found = one;
    }
  }
  return found;
}

function counted(count: number): string {
  return count.toLocaleString("en-US");
}

function databaseFaults(self: SelfView): Fault[] {
  const trouble = self.databaseTrouble();
  if (trouble === null) return [];
  return [
    {
      about: "database",
      name: "database",
      what: `The database cannot be written: ${cleanText(trouble.reason, 300)}. Rounds run; a restart would lose what is kept in memory`,
      do: "Free space on its disk, or make its file writable; it goes on by itself",
      since: iso(trouble.since),
    },
  ];
}

function configurationFaults(self: SelfView): Fault[] {
  const refused = self.refusedFiles();
  if (refused === null) return [];
  const { count, problems, since } = refused;
  const [first = ""] = problems;
  const more = count > 1 ? ` (and ${count - 1} more)` : "";
  return [
    {
      about: "daemon",
      name: "configuration",
      what: `Edited files are not loaded: ${cleanText(first, 300)}${more}. What ran before the edit goes on`,
      do: "Correct the file; `tickwatch check` shows every problem",
      since: iso(since),
    },
  ];
}

function lateFaults(late: readonly RuleMemory[], now: number): Fault[] {
  return late.map(({ rule, state, alerts }) => {
    const ago = state.lastRound === null ? "ever" : formatDuration(now - state.lastRound);
    const lasts = state.lastRound === null ? "has had no round yet" : `had no round for ${ago}`;
    return {
      about: "rounds",
      name: rule.name,
      what: `${rule.name} ${lasts}: ${alerts.length} of its alerts may be out of date`,
      do: "See the log; the source may answer too slowly for its schedule",
      since: state.lastRound === null ? null : iso(state.lastRound),
    };
  });
}

/** What of the source does not answer, as alerts of the daemon's own. */
export function sourceFaults({ sources }: Pick<Memory, "sources">, now: number): Fault[] {
  return [...sources].flatMap(([key, { state, since }]): Fault[] => {
    const scope = scopeFromKey(key);
    if (state !== "firing" || scope === null) return [];
    const what = sourceName(scope);
    return [
      {
        about: "source",
        name: what,
        what: `The source does not answer: ${what}, for ${formatDuration(now - since)}`,
        do: "It is asked again in each round; see Source for what it says",
        since: iso(since),
      },
    ];
  });
}

function channelFaults(self: SelfView, now: number): Fault[] {
  return [...self.channelTroubles()].map(([name, { since, reason, rejects }]) => {
    const lasts = formatDuration(now - since);
    return {
      about: "channel",
      name,
      what: rejects
        ? `Channel ${name} has rejected messages for ${lasts}: ${reason}. Its notices are queued`
        : `Channel ${name} has delivered nothing for ${lasts}: ${reason}. Its notices are queued`,
      do: "Correct its settings and restart, or retry its messages",
      since: iso(since),
    };
  });
}

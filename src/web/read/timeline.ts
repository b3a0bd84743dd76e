import { formatDuration } from "../../base/duration.ts";
import type { Command, Silence } from "../../model/index.ts";
import type { StoredNotice, StoredState } from "../../store/operator-db/history.ts";
import type { States, TimelineEntry } from "../api/schemas/history.ts";
import { iso } from "../live/alert-view.ts";
import { noticeView } from "./notice-view.ts";

/** What happened to an alert, as it was written down; each list has the newest first. */
export interface Happened {
  readonly states: readonly StoredState[];
  readonly notices: readonly StoredNotice[];
  readonly commands: readonly Command[];
  readonly silences: readonly Silence[];
}

/** A list was cut at so many: what is older than its last one is not known to be all there is. */
export interface TimelinePage {
  readonly entries: TimelineEntry[];
  /** The date before which to go on; null: that was all. */
  readonly before: number | null;
}

/** Puts the lists together, the newest first, as far as all of them reach back. `most`: what each was asked for. */
export function timelineOf(happened: Happened, most: number): TimelinePage {
  const { states, notices, commands, silences } = happened;
  const ends = [states, notices.map(({ notice }) => notice), commands]
    .filter((list) => list.length === most)
    .map((list) => list.at(-1)?.at ?? 0);
  const until = ends.length === 0 ? Number.NEGATIVE_INFINITY : Math.max(...ends);
  const dated: { readonly at: number; readonly entry: TimelineEntry }[] = [
    ...statesOf(states),
    ...notices.map((one) => ({
      at: one.notice.at,
      entry: { what: "notice" as const, at: iso(one.notice.at), notice: noticeView(one) },
    })),
    ...commands.map((one) => ({ at: one.at, entry: commandEntry(one) })),
    ...silences.flatMap(silenceEntries),
  ];
  const entries = dated
    .filter(({ at }) => at >= until)
    .toSorted((a, b) => b.at - a.at || rank(a.entry) - rank(b.entry))
    .map(({ entry }) => entry);
  return { entries, before: Number.isFinite(until) ? until : null };
}

/** Of one moment what was told stands above what it is told of. */
function rank({ what }: TimelineEntry): number {
  return what === "notice" ? 0 : 1;
}

function statesOf(
  states: readonly StoredState[],
): { readonly at: number; readonly entry: TimelineEntry }[] {
  return states.flatMap(({ at, state, noData, value }, i) => {
    const before = states[i + 1];
    // It was told or acknowledged, which stands there by itself.
    if (before !== undefined && before.state === state && before.noData === noData) return [];
    const since =
      before === undefined ? "" : `, was ${wordOf(before)} for ${formatDuration(at - before.at)}`;
    const text = `${wordOf({ state, noData })}${since}`;
    return [{ at, entry: { what: "state", at: iso(at), state, no_data: noData, value, text } }];
  });
}

function wordOf({ state, noData }: Pick<StoredState, "state" | "noData">): string {
  return noData ? (state === "ok" ? "no data" : `no data, ${state}`) : state;
}

const DONE: Readonly<Record<Command["kind"], string>> = {
  ack: "acknowledged",
  unack: "acknowledgement taken back",
  rearm: "re-armed",
};

function commandEntry({ at, kind, author, comment }: Command): TimelineEntry {
  const text = `${DONE[kind]} by ${author}`;
  return { what: "action", at: iso(at), action: kind, by: author, text, comment };
}

function silenceEntries(
  silence: Silence,
): { readonly at: number; readonly entry: TimelineEntry }[] {
  const { createdAt, endsAt, author, comment, id } = silence;
  const text = `silence ${id} by ${author}, until ${iso(endsAt)}`;
  const entry = {
    what: "action",
    at: iso(createdAt),
    action: "silence",
    by: author,
    text,
    comment,
  } as const;
  return [{ at: createdAt, entry }];
}

/** The states of an alert between two dates, as spans; `now` for one that is known to end there. */
export function spansOf(states: readonly StoredState[], from: number, to: number): States["spans"] {
  const spans: States["spans"] = [];
  for (const [i, { at, state, noData }] of states.entries()) {
    const next = states[i + 1];
    const begin = Math.max(at, from);
    const end = next?.at ?? null;
    if (begin > to || (end !== null && end <= from)) continue;
    const last = spans.at(-1);
    const isOpen = end === null || end > to;
    const until = isOpen ? null : iso(end);
    if (last !== undefined && last.state === state && last.no_data === noData) last.to = until;
    else spans.push({ from: iso(begin), to: until, state, no_data: noData });
  }
  return spans;
}

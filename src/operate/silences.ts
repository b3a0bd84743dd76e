import { formatTime } from "../base/clock.ts";
import { DAY, formatDuration } from "../base/duration.ts";
import { cleanText } from "../base/text.ts";
import type { Silence } from "../model/index.ts";
import type { SilenceTable } from "../store/operator-db/commands.ts";
import { type Actor, deedOf } from "./actor.ts";

/** Who means to be quiet for longer has forgotten to take it back. */
const LONGEST_MS = 30 * DAY;

/** When a silence is asked for; milliseconds. */
export interface SilenceTimes {
  readonly for?: number | undefined;
  /** Epoch milliseconds. */
  readonly until?: number | undefined;
  readonly from?: number | undefined;
  /** Longer than 30 days is meant. */
  readonly force?: boolean | undefined;
}

/** How whoever asks says these things, for what is wrong with them. */
export interface TimeWords {
  /** `--for or --until`. */
  readonly length: string;
  /** `--for 2h, or --until a time`. */
  readonly how: string;
  /** `add --force if you mean it`. */
  readonly force: string;
}

/** When it begins and ends, or what is wrong with that. */
export function silenceTimes(
  { for: length, until, from, force }: SilenceTimes,
  now: number,
  words: TimeWords,
): Pick<Silence, "startsAt" | "endsAt"> | string {
  if (length !== undefined && until !== undefined) return `use ${words.length}, not both`;
  if (length === undefined && until === undefined) return `say how long: ${words.how}`;
  const startsAt = from ?? now;
  const endsAt = until ?? startsAt + (length ?? 0);
  if (endsAt <= now) return `${formatTime(endsAt)} is already past`;
  if (endsAt <= startsAt) return `it would end at ${formatTime(endsAt)}, before it starts`;
  if (endsAt - startsAt > LONGEST_MS && force !== true) {
    const days = formatDuration(endsAt - startsAt);
    return `${days} is more than 30 days; ${words.force}`;
  }
  return { startsAt, endsAt };
}

/** More subjects than this are counted. */
const MOST_NAMED = 3;
const WIDEST = 60;

type About = Pick<Silence, "rule" | "subjects" | "labels">;

/** What a silence is about: `rule my-range, subject Treasury, team=lp`. */
export function aboutSilence(
  { rule, subjects, labels }: About,
  nameOf: (key: string) => string,
): string {
  const keys = subjects ?? [];
  const named = keys.slice(0, MOST_NAMED).map((key) => cleanText(nameOf(key), WIDEST));
  const more = keys.length - named.length;
  const whom = [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
  const parts = [
    ...(rule === null ? [] : [`rule ${cleanText(rule)}`]),
    ...(subjects === null ? [] : [`${keys.length === 1 ? "subject" : "subjects"} ${whom}`]),
    ...Object.entries(labels).map(([name, value]) => cleanText(`${name}=${value}`, WIDEST)),
  ];
  return parts.length === 0 ? "every alert of every rule" : parts.join(", ");
}

/** Writes silences down that begin and end together; returns them with their ids. */
export async function addSilences(
  silences: readonly Omit<Silence, "id">[],
  actor: Actor,
  nameOf: (key: string) => string,
  table: SilenceTable,
): Promise<Silence[]> {
  const [first] = silences;
  if (first === undefined) return [];
  const about = silences.map((one) => aboutSilence(one, nameOf)).join("; ");
  const rule = silences.length === 1 ? first.rule : null;
  const subject = first.subjects?.length === 1 ? (first.subjects[0] ?? null) : null;
  const done = {
    action: "silence",
    about: cleanText(`${about}, until ${formatTime(first.endsAt)}`, 500),
    count: silences.length,
    at: first.createdAt,
    rule,
    subject,
  };
  const ids = await table.add(silences, deedOf(actor, done));
  return silences.map((silence, i) => ({ ...silence, id: ids[i] ?? 0 }));
}

/** Ends a silence now. False: it has already ended. */
export function endSilence(
  silence: Silence,
  actor: Actor,
  nameOf: (key: string) => string,
  now: number,
  table: SilenceTable,
): Promise<boolean> {
  const about = `silence ${silence.id}: ${aboutSilence(silence, nameOf)}`;
  const { rule } = silence;
  const done = { action: "end silence", about: cleanText(about, 500), count: 1, at: now, rule };
  return table.expire(silence.id, now, deedOf(actor, done));
}

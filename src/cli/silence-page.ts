import { formatDuration } from "../base/duration.ts";
import { cleanText } from "../base/text.ts";
import { formatTime } from "../base/times.ts";
import type { Silence } from "../model/index.ts";
import { countOf } from "./report.ts";
import { table } from "./table.ts";

type About = Pick<Silence, "rule" | "subjects" | "labels">;

/** More subjects than this are counted. */
const MOST_NAMED = 3;
const WIDEST = 60;

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

export function stateOf(
  { startsAt, endsAt }: Silence,
  now: number,
): "active" | "planned" | "ended" {
  if (endsAt <= now) return "ended";
  return startsAt <= now ? "active" : "planned";
}

/** The list for people. */
export function silencesPage(
  silences: readonly Silence[],
  nameOf: (key: string) => string,
  now: number,
): string {
  if (silences.length === 0) return "there is no silence";
  const rows = silences.map((silence) => [
    String(silence.id),
    stateOf(silence, now),
    whenOf(silence, now),
    aboutSilence(silence, nameOf),
    `${cleanText(silence.author)}${silence.comment === null ? "" : `: ${cleanText(silence.comment, WIDEST)}`}`,
  ]);
  return table(["id", "state", "when", "what", "by"], rows);
}

function whenOf(silence: Silence, now: number): string {
  const { startsAt, endsAt } = silence;
  switch (stateOf(silence, now)) {
    case "active":
      return `until ${formatTime(endsAt)}, ${formatDuration(endsAt - now)} left`;
    case "planned":
      return `${formatTime(startsAt)} to ${formatTime(endsAt)}`;
    case "ended":
      return `ended ${formatDuration(now - endsAt)} ago`;
  }
}

/** What one sees of silences that were just written down, and begin and end together. */
export function addedPage(
  silences: readonly Silence[],
  about: (silence: Silence) => string,
  alerts: number,
  now: number,
): string {
  const [first] = silences;
  if (first === undefined) return "no silence";
  const { startsAt, endsAt } = first;
  const from = startsAt > now ? `from ${formatTime(startsAt)} ` : "";
  const length = formatDuration(endsAt - Math.max(startsAt, now));
  const ids = silences.map(({ id }) => id).join(" ");
  const one = silences.length === 1;
  return [
    ...silences.map(
      (silence) =>
        `silence ${silence.id} by ${silence.author}: ${about(silence)}${one ? `; ${countOf(alerts, "alert")}` : ""}`,
    ),
    ...(one ? [] : [countOf(alerts, "alert")]),
    `${from}until ${formatTime(endsAt)} (${length}); \`tickwatch silence expire ${ids}\` ends ${one ? "it" : "them"}`,
  ].join("\n");
}

export function silenceJson(silence: Silence, now: number): Readonly<Record<string, unknown>> {
  const { id, rule, subjects, labels, startsAt, endsAt, author, comment, createdAt } = silence;
  const iso = (at: number): string => new Date(at).toISOString();
  return {
    id,
    state: stateOf(silence, now),
    rule,
    subjects,
    labels,
    starts_at: iso(startsAt),
    ends_at: iso(endsAt),
    by: author,
    comment,
    created_at: iso(createdAt),
  };
}

import { cleanText } from "../../base/text.ts";
import type { Silence as Kept } from "../../model/index.ts";
import type { Silence } from "../api/schemas/operations.ts";
import { iso } from "../live/alert-view.ts";

/** More subjects than this are counted. */
const MOST_NAMED = 3;
const WIDEST = 120;

/** `nameOf`: what people call a subject, by its key. */
export function silenceView(silence: Kept, nameOf: (key: string) => string, now: number): Silence {
  const { id, rule, subjects, labels, startsAt, endsAt, author, comment, createdAt } = silence;
  return {
    id,
    state: endsAt <= now ? "ended" : startsAt <= now ? "active" : "planned",
    rule,
    subjects: subjects?.map((subject) => ({ subject, name: nameOf(subject) })) ?? null,
    labels: { ...labels },
    starts_at: iso(startsAt),
    ends_at: iso(endsAt),
    by: author,
    comment,
    created_at: iso(createdAt),
    about: aboutSilence(silence, nameOf),
  };
}

/** `rule my-range, Treasury, team=lp`, as `tickwatch silence list` has it. */
function aboutSilence(
  { rule, subjects, labels }: Pick<Kept, "rule" | "subjects" | "labels">,
  nameOf: (key: string) => string,
): string {
  const keys = subjects ?? [];
  const named = keys.slice(0, MOST_NAMED).map((key) => cleanText(nameOf(key), WIDEST));
  const more = keys.length - named.length;
  const parts = [
    ...(rule === null ? [] : [`rule ${cleanText(rule)}`]),
    ...named,
    ...(more > 0 ? [`${more} more`] : []),
    ...Object.entries(labels).map(([name, value]) => cleanText(`${name}=${value}`, WIDEST)),
  ];
  return parts.length === 0 ? "every alert of every rule" : parts.join(", ");
}

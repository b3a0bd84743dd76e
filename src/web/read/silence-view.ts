import type { Silence as Kept } from "../../model/index.ts";
import { aboutSilence } from "../../operate/silences.ts";
import type { Silence } from "../api/schemas/operations.ts";
import { iso } from "../live/alert-view.ts";

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

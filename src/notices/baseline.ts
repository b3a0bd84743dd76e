import { formatDuration } from "../base/duration.ts";
import { formatTime } from "../base/times.ts";
import type { Notice, Subject } from "../model/index.ts";
import { fitLine } from "./headline/line.ts";
import { noticeId } from "./notice.ts";
import { bareNotice, fieldsOf } from "./notice-fields.ts";
import { BLIND_ICON, chainOf, subjectName } from "./wording.ts";

/** A subject whose records went back in block or time and stayed there. */
export interface RebasedSubject {
  readonly subject: Subject;
  readonly label: string | null;
  readonly at: number;
  /** The last round whose record was not older. */
  readonly since: number;
}

/** Entries of a followed list that could not be read, or not be judged: one of both at least. */
export interface MissedEntries {
  readonly subject: Subject;
  readonly label: string | null;
  readonly at: number;
  /** Why and how many could not be read, in clean words. */
  readonly gap: string | null;
  /** The same of those that rules could not be judged on, and will not be. */
  readonly unjudged: string | null;
}

/** Some entries were missed; from the newest on everything is told again. */
export function composeGap({ subject, label, at, gap, unjudged }: MissedEntries): Notice {
  const name = subjectName(subject, null, label);
  const chain = chainOf(subject, null);
  return bareNotice({
    id: noticeId("baseline", null, subject.key, at),
    kind: "baseline",
    severity: "warning",
    subject: subject.key,
    at,
    headline: fitLine([
      {
        before: `${BLIND_ICON} Some entries were ${gap === null ? "not judged" : "missed"}: `,
        name,
        after: "",
        tails: [gap === null ? ". Values were missing" : ". New ones are told again", `. ${chain}`],
      },
    ]),
    fields: fieldsOf([
      ["Missed", gap],
      ["Not judged", unjudged],
      [
        "From now on",
        gap === null
          ? "new entries are told of as soon as what rules need is known"
          : "new entries are told of again, from the newest that was read",
      ],
      ["Chain", chain],
    ]),
  });
}

/** Older records are taken from now on: the one that was accepted before may have been absurd. */
export function composeBaseline({ subject, label, at, since }: RebasedSubject): Notice {
  const name = subjectName(subject, null, label);
  const length = formatDuration(at - since);
  return bareNotice({
    id: noticeId("baseline", null, subject.key, at),
    kind: "baseline",
    severity: "warning",
    subject: subject.key,
    at,
    headline: fitLine([
      {
        before: `${BLIND_ICON} New baseline: `,
        name,
        after: `. Its records went back ${length} ago`,
        tails: [" and stayed"],
      },
    ]),
    fields: fieldsOf([
      ["Records dropped since", formatTime(since)],
      ["From now on", "the older records count: the newer one before may have been a fault"],
      ["Chain", chainOf(subject, null)],
    ]),
  });
}

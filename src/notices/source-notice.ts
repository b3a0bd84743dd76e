import { chainName } from "../base/chains.ts";
import { formatTime } from "../base/clock.ts";
import { formatDuration } from "../base/duration.ts";
import { cleanText, countOf } from "../base/text.ts";
import { type Ask, type Notice, RECORD_NAMES, type Subject } from "../model/index.ts";
import { noticeId } from "./notice.ts";
import { bareNotice, fieldsOf } from "./notice-fields.ts";
import { fitLine, GOOD_ICON, type Line, NEUTRAL_ICON, subjectName } from "./wording.ts";

/** A part of the service that answers nothing any more, or answers again. */
export interface SourceEvent {
  readonly kind: "source_down" | "source_up";
  /** Which records, null: all kinds, and of which chain, null: of all. */
  readonly scope: { readonly record: Ask["record"] | null; readonly chainId: number | null };
  /** The notice's: the same when it is over. */
  readonly subject: string;
  /** The service refuses the key. */
  readonly keyRefused: boolean;
  readonly at: number;
  /** The last round in which it answered. */
  readonly since: number;
  /** How many rules and alerts know nothing because of it. */
  readonly rules: number;
  readonly alerts: number;
  /** Why, in clean words. */
  readonly detail: string | null;
}

/** One notice for the source, in place of one for each alert that it blinds. */
export function composeSource(event: SourceEvent): Notice {
  const { kind, scope, subject, keyRefused, at, since, rules, alerts, detail } = event;
  const down = kind === "source_down";
  const what = sourceName(scope);
  const name = keyRefused ? "the API key is refused" : what;
  const length = formatDuration(at - since);
  const blinded = `${countOf(rules, "rule")}, ${countOf(alerts, "alert")}`;
  return bareNotice({
    id: noticeId(kind, null, subject, at),
    kind,
    severity: down ? "warning" : "info",
    subject,
    at,
    headline: fitLine([
      scope.chainId !== null && !keyRefused
        ? ofChain(down, name, length, alerts)
        : down
          ? {
              before: `${NEUTRAL_ICON} Source down ${length}: `,
              name,
              after: `. ${blinded} blind`,
              tails: [", their state is kept"],
            }
          : {
              before: `${GOOD_ICON} Source back after ${length}: `,
              name: keyRefused ? "the API key is accepted again" : name,
              after: keyRefused ? "" : scope.record === null ? " answers again" : " answer again",
              tails: [],
            },
    ]),
    fields: fieldsOf([
      ["Source", keyRefused || scope.record === null ? SERVICE_NAME : `${what} of ${SERVICE_NAME}`],
      ["Since", formatTime(since)],
      ["Why", down ? (detail ?? "not known") : ""],
      ["Blind", down ? blinded : ""],
    ]),
  });
}

const SERVICE_NAME = "the data service";

/** `V4 pools`, `Avalanche`, `V4 pools on Avalanche`, `the data service`. */
export function sourceName({ record, chainId }: SourceEvent["scope"]): string {
  if (chainId === null) return record === null ? SERVICE_NAME : RECORD_NAMES[record];
  const chain = cleanText(chainName(chainId));
  return record === null ? chain : `${RECORD_NAMES[record]} on ${chain}`;
}

/** One chain of several: the source as a whole is well. */
function ofChain(down: boolean, name: string, length: string, alerts: number): Line {
  return down
    ? {
        before: `${NEUTRAL_ICON} No data ${length}: `,
        name,
        after: `. ${countOf(alerts, "alert")} blind`,
        tails: [", their state is kept"],
      }
    : { before: `${GOOD_ICON} Data back after ${length}: `, name, after: "", tails: [] };
}

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
  const chain = cleanText(chainName(subject.chainId));
  return bareNotice({
    id: noticeId("baseline", null, subject.key, at),
    kind: "baseline",
    severity: "warning",
    subject: subject.key,
    at,
    headline: fitLine([
      {
        before: `${NEUTRAL_ICON} Some entries were ${gap === null ? "not evaluated" : "missed"}: `,
        name,
        after: "",
        tails: [gap === null ? ". Values were missing" : ". New ones are told again", `. ${chain}`],
      },
    ]),
    fields: fieldsOf([
      ["Missed", gap],
      ["Not evaluated", unjudged],
      [
        "From now on",
        gap === null
          ? "new entries are reported once the values that rules need are known"
          : "new entries are reported again, after the newest that was read",
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
        before: `${NEUTRAL_ICON} New baseline: `,
        name,
        after: `. Its records went back ${length} ago`,
        tails: [" and stayed"],
      },
    ]),
    fields: fieldsOf([
      ["Records dropped since", formatTime(since)],
      ["From now on", "the older records are used; the newer one may have been an error"],
      ["Chain", cleanText(chainName(subject.chainId))],
    ]),
  });
}

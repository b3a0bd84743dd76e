import type { Written } from "../../base/format.ts";
import { cutText } from "../../base/text.ts";
import type { AlertEvent } from "../../decide/event.ts";
import type { Evidence } from "../../decide/verdict.ts";
import { headlineAs, headlineLabel, unitNames } from "../../rules/describe/metric-words.ts";
import { capital, chainOf, chainTail, SEVERITY_ICONS, subjectName } from "../wording.ts";

/** What the headline of an alert is made of, found out once for all of its lines. */
export interface HeadlineContext {
  readonly event: AlertEvent;
  /** What the subject is called. */
  readonly name: string;
  /** `. Ethereum`; nothing where the name says it. */
  readonly tail: string;
  /** That of the rule's severity. */
  readonly icon: string;
  /** Null without a value. */
  readonly spoken: Spoken | null;
}

/** What speaks for the alert, and how a headline writes it. */
export interface Spoken extends Evidence {
  readonly as: Written;
  /** `tip` */
  readonly what: string;
  /** `Tip`, as a line begins with it. */
  readonly heading: string;
  /** `. Top 10%`: what narrows it down, and then the chain. */
  readonly tails: readonly string[];
  /** `top 10%` */
  readonly which: string | null;
  /** Where the unit names the subject already, the line says where; null: it must say whose. */
  readonly place: string | null;
}

export function headlineContext(event: AlertEvent): HeadlineContext {
  const { subject, description, after, rule, evidence } = event;
  const name = subjectName(subject, description, after.label);
  const tail = chainTail(event, name);
  const icon = SEVERITY_ICONS[rule.severity];
  if (evidence === null) return { event, name, tail, icon, spoken: null };
  const { metric } = evidence;
  const decimals = event.decimals(metric.name);
  const as = headlineAs(metric, decimals, description);
  const { what, which } = headlineLabel(metric, as, rule.across);
  const named = unitNames(name, metric, decimals, description);
  const spoken = {
    ...evidence,
    as,
    what,
    heading: capital(what),
    which,
    tails: which === null ? [tail] : [`. ${capital(which)}`, tail],
    place: named ? chainOf(subject, description) : null,
  };
  return { event, name, tail, icon, spoken };
}

/** A lock screen shows so many characters. */
export const HEADLINE_LENGTH = 80;
/** A tail goes before a name has to be shorter than this. */
const READABLE_NAME = 16;
/** Shorter than this a name says nothing, so a plainer line is tried. */
const SHORTEST_NAME = 8;

/** For what may be left out a name is not cut below this. */
export const WHOLE_NAME = 24;

/** A headline around a name: only the name is ever cut, and tails are left out from the last. */
export interface Line {
  readonly before: string;
  readonly name: string;
  readonly after: string;
  readonly tails: readonly string[];
  /** The name is not cut below this: a plainer line is tried before. */
  readonly least?: number;
}

/**
 * The first of the lines that fits into 80 characters. The last one must be free of numbers: it
 * is cut where even that does not fit.
 */
export function fitLine(lines: readonly Line[]): string {
  for (const { before, name, after, tails, least = 0 } of lines) {
    for (let kept = tails.length; kept >= 0; kept -= 1) {
      const rest = after + tails.slice(0, kept).join("");
      const room = HEADLINE_LENGTH - characters(before) - characters(rest);
      const needed = Math.max(least, kept > 0 ? READABLE_NAME : SHORTEST_NAME);
      if (room >= Math.min(characters(name), needed)) return before + shortened(name, room) + rest;
    }
  }
  const last = lines.at(-1);
  return cutText(last === undefined ? "" : last.before + last.name + last.after, HEADLINE_LENGTH);
}

/** A name that is too long loses what stands in brackets at its end first. */
function shortened(name: string, room: number): string {
  if (characters(name) <= room) return name;
  const plain = name.replace(/ \([^()]*\)$/, "");
  return cutText(plain === "" ? name : plain, room);
}

/** Characters as people count them: code points. */
export function characters(text: string): number {
  return [...text].length;
}

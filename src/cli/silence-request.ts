import { DAY, formatDuration } from "../base/duration.ts";
import { cleanText } from "../base/text.ts";
import { formatTime } from "../base/times.ts";
import { matches } from "../delivery/hold.ts";
import type { Rule, Setup, Silence } from "../model.ts";
import { findSubjects, type NamedSubject, nearestSubject } from "../replay/subjects.ts";
import type { LabelPair } from "./arguments.ts";
import { authorOf } from "./author.ts";
import type { Io } from "./io.ts";
import { alertSubjects, ruleNamed } from "./rule-argument.ts";

/** What `silence add` was asked for. */
export interface SilenceRequest {
  readonly rule?: string;
  readonly subject?: readonly string[];
  readonly label?: readonly LabelPair[];
  /** Milliseconds. */
  readonly for?: number;
  /** Epoch milliseconds. */
  readonly until?: number;
  readonly from?: number;
  readonly by?: string;
  readonly comment?: string;
  readonly force?: boolean;
}

export interface PlannedSilence {
  readonly silence: Omit<Silence, "id">;
  /** How many alerts of the rules as they are match it. */
  readonly alerts: number;
}

/** Who means to be quiet for longer has forgotten to take it back. */
const LONGEST_MS = 30 * DAY;
const LONGEST_COMMENT = 500;

/**
 * The silence that a request means, by the rules as they are and the names that the chain gave
 * (`labelsOf`, by a subject's key); says on `err` what is wrong with it, and is null then.
 */
export function planSilence(
  request: SilenceRequest,
  setup: Setup,
  labelsOf: (rule: string | null) => ReadonlyMap<string, string>,
  now: number,
  io: Io,
): PlannedSilence | null {
  const fail = (problem: string): null => {
    io.err(`tickwatch: ${problem}\n`);
    return null;
  };
  const { subject: texts = [], label: pairs = [] } = request;
  if (request.rule === undefined && texts.length + pairs.length === 0) {
    return fail("say what is to be silent: --rule, --subject or --label");
  }
  const times = timesOf(request, now);
  if (typeof times === "string") return fail(times);
  const rule = request.rule === undefined ? undefined : ruleNamed(request.rule, setup, io);
  if (rule === null) return null;
  const labels = Object.fromEntries(pairs);
  const rules = (rule === undefined ? setup.rules : [rule]).map((one) => ({
    rule: one,
    subjects: alertSubjects(one, labelsOf(one.name)),
  }));
  const named = namedBy(
    texts,
    rules.flatMap(({ subjects }) => subjects),
    rule,
    io,
  );
  if (named === null) return null;
  const comment = cleanText(request.comment ?? "", LONGEST_COMMENT);
  const silence = {
    rule: rule?.name ?? null,
    subjects: texts.length === 0 ? null : [...new Set(named.map(({ subject }) => subject.key))],
    labels,
    ...times,
    author: authorOf(request.by),
    comment: comment === "" ? null : comment,
    createdAt: now,
  };
  const alerts = rules.flatMap((one) => one.subjects.map(({ subject }) => ({ ...one, subject })));
  const matched = alerts.filter(({ rule: { name, labels: its }, subject }) =>
    matches(silence, { rule: name, subject: subject.key, labels: its }),
  );
  return { silence, alerts: matched.length };
}

/** When it begins and ends, or what is wrong with that. */
function timesOf(
  { for: length, until, from, force }: SilenceRequest,
  now: number,
): { readonly startsAt: number; readonly endsAt: number } | string {
  if (length !== undefined && until !== undefined) return "say --for or --until, not both";
  if (length === undefined && until === undefined) {
    return "say how long: --for 2h, or --until a time";
  }
  const startsAt = from ?? now;
  const endsAt = until ?? startsAt + (length ?? 0);
  if (endsAt <= now) return `${formatTime(endsAt)} is over already`;
  if (endsAt <= startsAt) return `it would end at ${formatTime(endsAt)}, before it begins`;
  if (endsAt - startsAt > LONGEST_MS && force !== true) {
    const days = formatDuration(endsAt - startsAt);
    return `${days} is more than 30 days, and nobody remembers that; --force if it is meant`;
  }
  return { startsAt, endsAt };
}

/** The subjects that any of the texts means; null: one of them means none, which is said on `err`. */
function namedBy(
  texts: readonly string[],
  all: readonly NamedSubject[],
  rule: Rule | undefined,
  io: Io,
): readonly NamedSubject[] | null {
  const found = new Map<string, NamedSubject>();
  for (const text of texts) {
    const meant = findSubjects(text, all);
    for (const one of meant) found.set(one.subject.key, one);
    if (meant.length > 0) continue;
    const near = nearestSubject(text, all);
    const who = rule === undefined ? "no rule watches" : `${rule.name} does not watch`;
    const hint =
      near === null ? "`tickwatch check --online` shows the names" : `did you mean ${near}?`;
    io.err(`tickwatch: ${who} "${cleanText(text, 80)}"; ${hint}\n`);
    return null;
  }
  return [...found.values()];
}

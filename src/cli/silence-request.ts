import { cleanText } from "../base/text.ts";
import { matches } from "../delivery/suppress/hold.ts";
import type { Rule, Setup, Silence } from "../model/index.ts";
import { commentOf } from "../operate/actor.ts";
import { silenceTimes } from "../operate/silences.ts";
import {
  callSubject,
  findByPart,
  findSubjects,
  type NamedSubject,
  nearestSubject,
  onChain,
} from "../replay/subjects.ts";
import type { LabelPair } from "./arguments.ts";
import type { Io } from "./io.ts";
import { authorOf } from "./io.ts";
import { alertSubjects, fits, rulesNamed } from "./rule-argument.ts";

/** What `silence add` was asked for. */
export interface SilenceRequest {
  readonly rule?: readonly string[];
  readonly all?: boolean;
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

export interface PlannedSilences {
  /** One for each rule that is named, else one alone. */
  readonly silences: readonly Omit<Silence, "id">[];
  /** How many alerts of the rules as they are match any of them. */
  readonly alerts: number;
}

/**
 * The silences that a request means, by the rules as they are and the names that the chain gave
 * (`labelsOf`, by a subject's key); says on `err` what is wrong with it, and is null then.
 */
export async function planSilence(
  request: SilenceRequest,
  setup: Setup,
  labelsOf: (rule: string | null) => Promise<ReadonlyMap<string, string>>,
  now: number,
  io: Io,
): Promise<PlannedSilences | null> {
  const fail = (problem: string): null => {
    io.err(`tickwatch: ${problem}\n`);
    return null;
  };
  const { rule: names = [], subject: texts = [], label: pairs = [] } = request;
  const anything = names.length + texts.length + pairs.length > 0;
  if (!anything && request.all !== true) {
    return fail("say which alerts to silence: --rule, --subject, --label or --all");
  }
  if (anything && request.all === true)
    return fail("--all cannot be combined with --rule, --subject or --label");
  const times = silenceTimes(request, now, {
    length: "--for or --until",
    how: "--for 2h, or --until a time",
    force: "add --force if you mean it",
  });
  if (typeof times === "string") return fail(times);
  const given = names.length === 0 ? setup.rules : rulesNamed(names, setup, io);
  if (given === null) return null;
  const labels = Object.fromEntries(pairs);
  const rules: { readonly rule: Rule; readonly subjects: readonly NamedSubject[] }[] = [];
  for (const rule of given) {
    rules.push({ rule, subjects: alertSubjects(rule, await labelsOf(rule.name)) });
  }
  const watched = rules.flatMap(({ subjects }) => subjects);
  const named = namedBy(texts, watched, names.length === 0 ? "no rule watches" : whoOf(given), io);
  if (named === null) return null;
  const common = {
    subjects: texts.length === 0 ? null : [...new Set(named.map(({ subject }) => subject.key))],
    labels,
    ...times,
    author: authorOf(request.by),
    comment: commentOf(request.comment),
    createdAt: now,
  };
  const ruleNames = names.length === 0 ? [null] : given.map(({ name }) => name);
  const silences = ruleNames.map((name) => ({ rule: name, ...common }));
  const alerts = rules.flatMap((one) => one.subjects.map(({ subject }) => ({ ...one, subject })));
  const matched = alerts.filter(({ rule: { name, labels: its }, subject }) =>
    silences.some((one) => matches(one, { rule: name, subject: subject.key, labels: its })),
  );
  return { silences, alerts: matched.length };
}

function whoOf(rules: readonly Rule[]): string {
  const [only] = rules;
  return only !== undefined && rules.length === 1
    ? `${only.name} does not watch`
    : "none of these rules watches";
}

/**
 * The subjects that any of the texts means: all on a chain, or by name, id, key, pattern or part of a
 * name. Null: one of them means none, or a part of several names, which is said on `err`.
 */
function namedBy(
  texts: readonly string[],
  all: readonly NamedSubject[],
  nobodyWatches: string,
  io: Io,
): readonly NamedSubject[] | null {
  const found = new Map<string, NamedSubject>();
  for (const text of texts) {
    const said = cleanText(text, 80);
    const meant = meantBy(text, all);
    for (const one of meant) found.set(one.subject.key, one);
    if (meant.length > 0) continue;
    const holding = new Map(findByPart(text, all).map((one) => [one.subject.key, one]));
    const [only, ...others] = holding.values();
    if (only === undefined) {
      const near = nearestSubject(text, all);
      const hint =
        near === null ? "`tickwatch check --online` shows the names" : `did you mean ${near}?`;
      io.err(`tickwatch: ${nobodyWatches} "${said}"; ${hint}\n`);
      return null;
    }
    if (others.length > 0) {
      const few = [only, ...others].slice(0, MOST_NAMED).map((one) => callSubject(one, all));
      const more = others.length >= MOST_NAMED ? ", …" : "";
      io.err(
        `tickwatch: "${said}" matches ${few.join(", ")}${more}; name one, or use "*${said}*" for all\n`,
      );
      return null;
    }
    found.set(only.subject.key, only);
  }
  return [...found.values()];
}

const MOST_NAMED = 5;

function meantBy(text: string, all: readonly NamedSubject[]): readonly NamedSubject[] {
  const exact = findSubjects(text, all);
  // A chain is its gas and all that is on it, also where something is called like it.
  const chain = onChain(text, all);
  if (exact.length + chain.length > 0 || !/[*?]/.test(text)) return [...exact, ...chain];
  return all.filter(({ names }) => names.some((name) => fits(name, text)));
}

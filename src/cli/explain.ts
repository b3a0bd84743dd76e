import { formatTime, systemClock } from "../base/clock.ts";
import { cleanText, countOf } from "../base/text.ts";
import { isFiring } from "../decide/notification-state.ts";
import type { Rule } from "../model/index.ts";
import { type ExplainSources, type Explanation, explanationOf } from "../ops/explain-facts.ts";
import { answer } from "../replay/explain/answer.ts";
import { callSubject, type NamedSubject } from "../replay/subjects.ts";
import { openRecorded } from "../store/operator-db/recorded.ts";
import type { Moment } from "./arguments.ts";
import { explanationJson } from "./explain-json.ts";
import { explanationPage } from "./explain-page.ts";
import { EXIT, type Io } from "./io.ts";
import { print } from "./report.ts";
import { alertSubjects, ruleNamed, subjectNamed } from "./rule-argument.ts";
import { readSetup } from "./setup.ts";
import { withOperatorDb } from "./with-operator-db.ts";

export interface ExplainOptions {
  readonly config: string;
  readonly at?: Moment;
  readonly json?: boolean;
}

/** So many subjects are explained by one sentence each where none is named. */
const MOST_SENTENCES = 12;

/** `tickwatch explain`: the exit code. Throws ConfigError and StoreError. */
export async function explain(
  name: string,
  text: string | undefined,
  options: ExplainOptions,
  io: Io,
): Promise<number> {
  return await withOperatorDb(options.config, io, "read", async (db, { store }) => {
    const { setup, routing } = await readSetup(options.config, io);
    const now = systemClock().now();
    const at = options.at?.(now) ?? now;
    if (at > now) {
      io.err(`tickwatch: ${formatTime(at)} is in the future\n`);
      return EXIT.usage;
    }
    const gone = setup.rules.some((rule) => rule.name === name)
      ? undefined
      : (await db.past.edits(name)).findLast(({ version }) => version === null);
    if (gone !== undefined) {
      io.err(
        `tickwatch: there is no rule ${cleanText(name, 80)} any more: it was removed at ${formatTime(gone.at)}\n`,
      );
      return EXIT.usage;
    }
    const rule = ruleNamed(name, setup, io);
    if (rule === null) return EXIT.usage;
    const labels = await db.silences.labels(rule.name);
    const all = alertSubjects(rule, labels);
    const named = subjectNamed(text, all, rule, io);
    if (named === null) return EXIT.usage;
    const recorded = await openRecorded(store);
    if (recorded === null) return EXIT.database;
    try {
      const sources = { db, recorded, setup };
      const asked = { rule, at, isNow: options.at === undefined };
      const one = async (subject: NamedSubject): Promise<Explanation> =>
        await explanationOf(
          { ...asked, subject: subject.subject.key, name: callSubject(subject, all) },
          sources,
        );
      const [only] = named;
      if (only !== undefined && named.length === 1) {
        const found = await one(only);
        print(options, io, {
          value: () => explanationJson(found),
          page: () => explanationPage(found, routing, setup, now),
        });
        return EXIT.fine;
      }
      return await explainSeveral(rule, named, one, sources, options, io);
    } finally {
      recorded.close();
    }
  });
}

/** A sentence for each subject, those that fire first. */
async function explainSeveral(
  rule: Rule,
  named: readonly NamedSubject[],
  one: (subject: NamedSubject) => Promise<Explanation>,
  { db }: ExplainSources,
  options: ExplainOptions,
  io: Io,
): Promise<number> {
  const alerts = await db.past.alerts(rule.name);
  const firing = new Set(
    alerts.filter(({ state }) => isFiring(state)).map(({ subject }) => subject),
  );
  const order = named.toSorted(
    (a, b) => Number(firing.has(b.subject.key)) - Number(firing.has(a.subject.key)),
  );
  const found: Explanation[] = [];
  for (const subject of order.slice(0, MOST_SENTENCES)) found.push(await one(subject));
  const more = order.length - found.length;
  print(options, io, {
    value: () => found.map(explanationJson),
    page: () =>
      [
        ...found.map(({ situation }) => `${situation.name}: ${answer(situation)}`),
        ...(more > 0 ? [`and ${countOf(more, "more subject")}`] : []),
        `\`tickwatch explain ${rule.name} SUBJECT\` shows all that is known of one.`,
      ].join("\n"),
  });
  return EXIT.fine;
}

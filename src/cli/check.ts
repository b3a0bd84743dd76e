import { Command } from "commander";
import { ConfigError, type Problem } from "../config/problem.ts";
import { describeRule } from "../engine/words/sentence.ts";
import type { Rule, Setup } from "../model.ts";
import { createHttpSource } from "../source/http.ts";
import { WATCHES } from "../watches/index.ts";
import { EXIT, type Io } from "./io.ts";
import { type Look, lookOnce, roundWords, type Seen } from "./look.ts";
import { countOf, reportError, reportWarnings, subjectCount } from "./report.ts";
import { CONFIG_OPTION, readSetup } from "./setup.ts";
import { table } from "./table.ts";

interface CheckOptions {
  readonly config: string;
  readonly json?: boolean;
  readonly online?: boolean;
}

export function checkCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("check")
    .description("say what is wrong with the configuration, or what each rule does")
    .option(...CONFIG_OPTION)
    .option("--online", "ask the service once: is the key good, and what would each rule say now")
    .option("--json", "for programs: problems, warnings and rules")
    .addHelpText(
      "after",
      "\nExample:\n  tickwatch check --config config.yaml\n  tickwatch check --online --config config.yaml\n",
    )
    .action(async (options: CheckOptions) => finish(await check(options, io)));
}

async function check(options: CheckOptions, io: Io): Promise<number> {
  const { config, json = false, online = false } = options;
  try {
    const { setup, warnings } = await readSetup(config, io);
    if (!json) reportWarnings(warnings, io);
    const refusal = online ? await askKey(setup) : null;
    if (refusal !== null) {
      if (json) io.out(`${JSON.stringify({ ...report(setup, warnings, null), ok: false })}\n`);
      io.err(`tickwatch: ${refusal}\n`);
      return EXIT.unreachable;
    }
    const look = online ? await lookOnce(setup, io) : null;
    if (json) io.out(`${JSON.stringify(report(setup, warnings, look))}\n`);
    else io.out(page(setup, warnings, look));
    return look !== null && look.round.failed > 0 ? EXIT.found : EXIT.fine;
  } catch (error) {
    if (!json || !(error instanceof ConfigError)) return reportError(error, io, false);
    const problems = { ok: false, problems: error.problems, warnings: [], rules: [] };
    io.out(`${JSON.stringify(problems)}\n`);
    return EXIT.usage;
  }
}

/** Whether the service takes the key; null if it does, else what is wrong in one line. */
async function askKey({ service }: Setup): Promise<string | null> {
  // Only the current family can be asked; what the round gets shows it as well.
  if (service.baseUrl === null) return null;
  const source = createHttpSource({ ...service, log: () => {} });
  try {
    const verdict = await source.verify(AbortSignal.timeout(service.timeoutMs));
    if (verdict === "valid") return null;
    if (verdict === "invalid") {
      return "the service refuses the API key; see service.api_key in the configuration";
    }
    return `the service cannot be asked: ${verdict.detail}; see service.base_url in the configuration`;
  } finally {
    await source.close();
  }
}

/** The rules file by file, each with its sentence and, if the service was asked, what it saw. */
function page(setup: Setup, warnings: readonly Problem[], look: Look | null): string {
  const blocks = setup.rules.map((rule) => {
    const { file, line } = rule.place;
    const seen = seenBy(rule, look);
    const lines = [`${file}:${line}: ${rule.name}`, `  ${sentenceOf(rule, seen)}.`];
    if (look !== null) lines.push(indented(tableOf(seen)));
    return lines.join("\n");
  });
  const asked = look === null ? [] : [roundWords(look.round)];
  return `${[...blocks, ...asked, summary(setup, warnings)].join(look === null ? "\n" : "\n\n")}\n`;
}

function seenBy({ name }: Rule, look: Look | null): readonly Seen[] {
  return look?.seen.filter(({ rule }) => rule === name) ?? [];
}

function sentenceOf(rule: Rule, seen: readonly Seen[]): string {
  const kind = WATCHES.get(rule.kind);
  return describeRule(rule, {
    metrics: kind?.metrics ?? new Map(),
    description: seen[0]?.description ?? null,
    bucketMs: kind?.bucketMs ?? null,
  });
}

function tableOf(seen: readonly Seen[]): string {
  const rows = seen.map(({ name, metric, shown, state, trouble, says }) => [
    name,
    metric ?? "",
    shown,
    says ?? (trouble === null ? state : `${state}: ${trouble}`),
  ]);
  return table(["subject", "metric", "value now", "would say"], rows);
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "    ");
}

function summary(setup: Setup, warnings: readonly Problem[]): string {
  const counts = [
    countOf(setup.rules.length, "rule"),
    countOf(subjectCount(setup), "subject"),
    countOf(setup.channels.length, "channel"),
  ];
  const doubts = warnings.length === 0 ? "" : `, ${countOf(warnings.length, "warning")}`;
  return `OK: ${counts.join(", ")}${doubts}.`;
}

function report(setup: Setup, warnings: readonly Problem[], look: Look | null) {
  return { ok: true, problems: [], warnings, rules: setup.rules.map((rule) => ruleOf(rule, look)) };
}

function ruleOf(rule: Rule, look: Look | null): unknown {
  const { name, place, kind, subjects, severity, notify, schedule } = rule;
  const seen = seenBy(rule, look);
  return {
    name,
    place,
    kind,
    sentence: sentenceOf(rule, seen),
    subjects: subjects.map(({ key, name: given }) => ({ subject: key, name: given })),
    severity,
    notify,
    schedule: schedule.text,
    ...(look === null
      ? {}
      : {
          now: seen.map(({ subject, name: called, metric, value, state, says, trouble }) => ({
            subject,
            name: called,
            metric,
            value,
            state,
            says,
            trouble,
          })),
        }),
  };
}

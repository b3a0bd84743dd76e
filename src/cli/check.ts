import { Command } from "commander";
import { ConfigError, type Problem } from "../config/problem.ts";
import type { Setup } from "../model.ts";
import { EXIT, type Io } from "./io.ts";
import { countOf, reportError, reportWarnings } from "./report.ts";
import { CONFIG_OPTION, readSetup } from "./setup.ts";

interface CheckOptions {
  readonly config: string;
  readonly json?: boolean;
}

export function checkCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("check")
    .description("say what is wrong with the configuration and the rules, with line and column")
    .option(...CONFIG_OPTION)
    .option("--json", "for programs: problems, warnings and rules")
    .addHelpText("after", "\nExample:\n  tickwatch check --config config.yaml\n")
    .action(async (options: CheckOptions) => finish(await check(options, io)));
}

async function check({ config, json = false }: CheckOptions, io: Io): Promise<number> {
  try {
    const { setup, warnings } = await readSetup(config, io);
    if (json) {
      io.out(`${JSON.stringify({ ok: true, problems: [], warnings, rules: rulesOf(setup) })}\n`);
    } else {
      reportWarnings(warnings, io);
      io.out(`${summary(setup, warnings)}\n`);
    }
    return EXIT.fine;
  } catch (error) {
    if (!json || !(error instanceof ConfigError)) return reportError(error, io, false);
    const report = { ok: false, problems: error.problems, warnings: [], rules: [] };
    io.out(`${JSON.stringify(report)}\n`);
    return EXIT.usage;
  }
}

function summary(setup: Setup, warnings: readonly Problem[]): string {
  const subjects = new Set(setup.rules.flatMap(({ subjects: all }) => all.map(({ key }) => key)));
  const counts = [
    countOf(setup.rules.length, "rule"),
    countOf(subjects.size, "subject"),
    countOf(setup.channels.length, "channel"),
  ];
  const doubts = warnings.length === 0 ? "" : `, ${countOf(warnings.length, "warning")}`;
  return `OK: ${counts.join(", ")}${doubts}.`;
}

function rulesOf(setup: Setup): unknown[] {
  return setup.rules.map(({ name, place, kind, subjects, severity, notify, schedule }) => ({
    name,
    place,
    kind,
    subjects: subjects.map(({ key, name: given }) => ({ subject: key, name: given })),
    severity,
    notify,
    schedule: schedule.text,
  }));
}

import { Command } from "commander";
import type { RoundRecord } from "../model.ts";
import { EXIT, type Io } from "./io.ts";
import { lookOnce, roundWords, type Seen } from "./look.ts";
import { reportWarnings } from "./report.ts";
import { CONFIG_OPTION, readSetup } from "./setup.ts";
import { table } from "./table.ts";

interface OnceOptions {
  readonly config: string;
  readonly json?: boolean;
}

export function onceCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("once")
    .description(
      "ask once for everything and show each subject with its value and what its rule says",
    )
    .option(...CONFIG_OPTION)
    .option("--json", "for programs: exact values as strings")
    .addHelpText(
      "after",
      "\nNothing is stored and nobody is told. Rules that look back over a window know nothing yet.\n\nExample:\n  tickwatch once --config config.yaml\n",
    )
    .action(async (options: OnceOptions) => finish(await once(options, io)));
}

async function once({ config, json = false }: OnceOptions, io: Io): Promise<number> {
  const { setup, warnings } = await readSetup(config, io);
  if (!json) reportWarnings(warnings, io);
  const { seen, round } = await lookOnce(setup, io);
  io.out(`${json ? JSON.stringify(report(seen, round)) : page(seen, round)}\n`);
  return round.failed > 0 ? EXIT.found : EXIT.fine;
}

function report(seen: readonly Seen[], round: RoundRecord): unknown {
  const { date, requests, subjects, failed, failures } = round;
  return {
    at: new Date(date).toISOString(),
    alerts: seen.map(({ rule, subject, name, metric, value, state, trouble }) => ({
      rule,
      subject,
      name,
      metric,
      value,
      state,
      trouble,
    })),
    round: { requests, subjects, failed, failures },
  };
}

function page(seen: readonly Seen[], round: RoundRecord): string {
  const rows = seen.map(({ rule, name, metric, shown, state, trouble }) => [
    rule,
    name,
    metric ?? "",
    shown,
    trouble === null ? state : `${state}: ${trouble}`,
  ]);
  const head = ["rule", "subject", "metric", "value", "state"];
  return `${table(head, rows)}\n\n${roundWords(round)}`;
}

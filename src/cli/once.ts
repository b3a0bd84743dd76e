import { Command } from "commander";
import { startApp } from "../app.ts";
import { formatValue } from "../base/format.ts";
import { createLogger } from "../base/log.ts";
import type { Evidence } from "../engine/event.ts";
import { findEvidence } from "../engine/evidence.ts";
import { valueToText } from "../engine/watched.ts";
import { writtenAs } from "../engine/wording.ts";
import type { Failure, RoundRecord } from "../model.ts";
import type { DecidedWork } from "../rounds/slices.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { Reading } from "../watches/watch.ts";
import { EXIT, type Io } from "./io.ts";
import { countOf, reportWarnings } from "./report.ts";
import { CONFIG_OPTION, readSetup, secretsOf } from "./setup.ts";
import { table } from "./table.ts";

interface OnceOptions {
  readonly config: string;
  readonly json?: boolean;
}

/** One line of the answer: what one rule says of one subject. */
interface Line {
  readonly rule: string;
  readonly subject: string;
  readonly name: string;
  readonly metric: string | null;
  /** Exact; null: no data. */
  readonly value: string | null;
  readonly shown: string;
  readonly state: string;
  readonly trouble: string | null;
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
  const log = createLogger({
    level: "silent",
    stream: { write: () => true },
    secrets: secretsOf(setup),
  });
  const decided: DecidedWork[] = [];
  const app = await startApp({
    // Without channels nobody is told of a look around.
    setup: { ...setup, channels: [] },
    log,
    print: io.out,
    colours: io.colours,
    store: createMemoryStore(),
    schedule: false,
    onDecided: (works) => decided.push(...works),
  });
  const stopEarly = (): void => void app.stop();
  io.stop.addEventListener("abort", stopEarly);
  const record = await app.rounds.once();
  io.stop.removeEventListener("abort", stopEarly);
  await app.stop();
  const order = new Map(setup.rules.map(({ name }, index) => [name, index]));
  const lines = decided
    .flatMap(linesOf)
    .toSorted((a, b) => (order.get(a.rule) ?? 0) - (order.get(b.rule) ?? 0));
  if (json) io.out(`${JSON.stringify(report(lines, record))}\n`);
  else io.out(`${page(lines, record)}\n`);
  return record.failed > 0 ? EXIT.found : EXIT.fine;
}

function linesOf({ work, reading, decision }: DecidedWork): Line[] {
  return work.due.map((memory, index): Line => {
    const { rule } = memory.watched;
    const one = decision.alerts[index];
    const evidence = one === undefined ? null : findEvidence(rule.when, one.scene);
    const value = evidence?.value ?? null;
    const metric = evidence?.comparison.metric ?? null;
    const missing = memory.alert !== null && memory.alert.missing !== null;
    return {
      rule: rule.name,
      subject: memory.subject.key,
      name: memory.alert?.label ?? memory.subject.name ?? memory.subject.key,
      metric,
      value: valueToText(value),
      shown: evidence === null ? "" : shown(evidence, reading),
      // In a rule's first round what is true fires, or waits until the rule has started.
      state: missing ? "no data" : memory.alert?.state === "ok" ? "ok" : "firing",
      trouble: missing ? reading.trouble : null,
    };
  });
}

function shown({ value, metric }: Evidence, reading: Reading): string {
  const description = reading.rows.length === 0 ? null : reading.describe();
  return formatValue(value, writtenAs(metric, reading.decimals(metric.name), description, 12));
}

function report(lines: readonly Line[], record: RoundRecord): unknown {
  const { date, requests, subjects, failed, failures } = record;
  return {
    at: new Date(date).toISOString(),
    alerts: lines.map(({ shown: _shown, ...line }) => line),
    round: { requests, subjects, failed, failures },
  };
}

function page(lines: readonly Line[], record: RoundRecord): string {
  const rows = lines.map((line) => [
    line.rule,
    line.name,
    line.metric ?? "",
    line.shown,
    line.trouble === null ? line.state : `${line.state}: ${line.trouble}`,
  ]);
  const { requests, subjects, failed, tookMs } = record;
  const counts = [countOf(subjects, "subject"), countOf(requests, "request"), `${tookMs} ms`];
  const end = failed === 0 ? "" : `\n${failuresOf(record)}`;
  return `${table(["rule", "subject", "metric", "value", "state"], rows)}\n\n${counts.join(", ")}${end}`;
}

function failuresOf({ failed, failures }: RoundRecord): string {
  const reasons = new Set(Object.values(failures).map(({ detail }: Failure) => detail));
  return `${countOf(failed, "record")} could not be had: ${[...reasons].join("; ")}`;
}

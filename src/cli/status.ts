import { Command } from "commander";
import { systemClock } from "../base/clock.ts";
import { formatDuration } from "../base/duration.ts";
import type { Setup } from "../model.ts";
import { type Peek, peek } from "../store/sqlite/peek.ts";
import { EXIT, type Io } from "./io.ts";
import { countOf } from "./report.ts";
import { CONFIG_OPTION, readSetup } from "./setup.ts";

interface StatusOptions {
  readonly config: string;
  readonly json?: boolean;
}

/** How a rule stands with its rounds. */
interface RuleStatus {
  readonly rule: string;
  readonly lastRound: number | null;
  /** Its last round is more than three intervals ago. One that waits for its first is not late. */
  readonly late: boolean;
}

export function statusCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("status")
    .description("say whether the daemon's rounds run: exit code 0 if they do, 1 if not")
    .option(...CONFIG_OPTION)
    .option("--json", "for programs")
    .addHelpText(
      "after",
      "\nA rule whose last round is more than three of its intervals ago is late.\n\nExample:\n  tickwatch status --config config.yaml\n",
    )
    .action(async (options: StatusOptions) => finish(await status(options, io)));
}

async function status({ config, json = false }: StatusOptions, io: Io): Promise<number> {
  const { setup } = await readSetup(config, io);
  const seen = await peek(setup.store);
  const now = systemClock().now();
  const rules = rulesOf(setup, seen, now);
  const healthy =
    rules.some(({ lastRound }) => lastRound !== null) && rules.every(({ late }) => !late);
  io.out(
    `${json ? JSON.stringify(report(healthy, rules, seen)) : page(rules, seen, setup, now)}\n`,
  );
  return healthy ? EXIT.fine : EXIT.found;
}

function rulesOf(setup: Setup, seen: Peek | null, now: number): RuleStatus[] {
  return setup.rules.map((rule) => {
    const lastRound = seen?.lastRounds.get(rule.name) ?? null;
    const late = lastRound !== null && now > rule.schedule.third(lastRound);
    return { rule: rule.name, lastRound, late };
  });
}

function report(healthy: boolean, rules: readonly RuleStatus[], seen: Peek | null): unknown {
  return {
    healthy,
    rules: rules.map(({ rule, lastRound, late }) => ({
      rule,
      lastRound: lastRound === null ? null : new Date(lastRound).toISOString(),
      late,
    })),
    firing: seen?.firing ?? 0,
    owed: seen?.owed ?? 0,
  };
}

function page(
  rules: readonly RuleStatus[],
  seen: Peek | null,
  { store, rules: all }: Setup,
  now: number,
): string {
  if (seen === null) return `not healthy: there is no database at ${store}; the daemon has not run`;
  const newest = rules.reduce((most, { lastRound }) => Math.max(most, lastRound ?? 0), 0);
  if (newest === 0) return "not healthy: no rule has had a round yet";
  const late = rules.filter((rule) => rule.late);
  const alerts = `${countOf(seen.firing, "alert")} firing, ${countOf(seen.owed, "notice")} to deliver`;
  if (late.length === 0) {
    return `healthy: ${countOf(rules.length, "rule")}, the last round ${formatDuration(now - newest)} ago; ${alerts}`;
  }
  const lines = late.map(({ rule, lastRound }) => {
    const every = all.find(({ name }) => name === rule)?.schedule.text ?? "";
    const ago = formatDuration(now - (lastRound ?? 0));
    return `  ${rule} had its last round ${ago} ago; its schedule is ${every}`;
  });
  return [
    `not healthy: ${countOf(late.length, "rule")} of ${rules.length} late; ${alerts}`,
    ...lines,
  ].join("\n");
}

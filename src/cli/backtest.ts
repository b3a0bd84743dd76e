import { systemClock } from "../base/clock.ts";
import { DAY } from "../base/duration.ts";
import { formatTime } from "../base/times.ts";
import { CHANNELS } from "../channels/index.ts";
import type { Setup } from "../model/index.ts";
import { openRecorded } from "../store/operator-db/recorded.ts";
import type { Moment } from "./arguments.ts";
import { countMessages } from "./backtest-messages.ts";
import { type BacktestReport, page } from "./backtest-page.ts";
import { Progress } from "./backtest-progress.ts";
import { reportJson } from "./backtest-report.ts";
import { replay, type Span } from "./backtest-run.ts";
import { summariesOf } from "./backtest-summary.ts";
import { EXIT, type Io } from "./io.ts";
import { reportWarnings } from "./report.ts";
import { rulesNamed } from "./rule-argument.ts";
import { readSetup } from "./setup.ts";

export interface BacktestOptions {
  readonly config: string;
  readonly from?: Moment;
  readonly to?: Moment;
  readonly json?: boolean;
}

/** Without `--from`. */
const USUAL_MS = 7 * DAY;

/** `tickwatch backtest`: the exit code. Throws ConfigError and StoreError. */
export async function backtest(
  names: readonly string[],
  options: BacktestOptions,
  io: Io,
): Promise<number> {
  const span = spanOf(options, io);
  if (span === null) return EXIT.usage;
  const { setup, warnings } = await readSetup(options.config, io);
  if (options.json !== true) reportWarnings(warnings, io);
  const rules = names.length === 0 ? setup.rules : rulesNamed(names, setup, io);
  if (rules === null) return EXIT.usage;
  const stop = io.stop();
  const recorded = await openRecorded(setup.store);
  try {
    const progress = new Progress(io, span);
    const replayed = await replay({
      ...span,
      worlds: [rules],
      setup,
      recorded,
      told: { histories: new Map(), facts: new Map() },
      onDate: (date) => progress.at(date),
      stop,
    });
    progress.end();
    const [world] = replayed.worlds;
    if (world === undefined) return EXIT.found;
    const summaries = summariesOf(world, replayed.from, replayed.until);
    if (summaries.every(({ support }) => support.rule === null)) {
      for (const { support } of summaries) {
        io.err(`tickwatch: ${support.name} cannot be replayed: ${support.refusal ?? ""}\n`);
      }
      return EXIT.found;
    }
    const messages = await countMessages(
      world.result.notices,
      rules,
      setup,
      digestKinds(setup),
      replayed.until,
    );
    const report: BacktestReport = { replayed, summaries, messages, rules };
    if (options.json === true) io.out(`${JSON.stringify(reportJson(report))}\n`);
    else io.out(`${page(report, recorded, io)}\n`);
    if (replayed.until < replayed.to) {
      io.err(`tickwatch: stopped at ${formatTime(replayed.until)}: this is what is done\n`);
    }
    return EXIT.fine;
  } finally {
    recorded?.close();
  }
}

function spanOf({ from, to }: BacktestOptions, io: Io): Span | null {
  const now = systemClock().now();
  const end = Math.min(to?.(now) ?? now, now);
  const start = from?.(now) ?? end - USUAL_MS;
  if (start < end) return { from: start, to: end };
  io.err(`tickwatch: --from ${formatTime(start)} is not before --to ${formatTime(end)}\n`);
  return null;
}

/** The kinds of channels that put several notices into one message. */
function digestKinds({ channels }: Pick<Setup, "channels">): ReadonlySet<string> {
  const kinds = new Set<string>();
  for (const { kind, settings } of channels) {
    const channel = CHANNELS.get(kind)?.open(settings, { print: () => {}, colours: false });
    if (channel?.digests === true) kinds.add(kind);
    void channel?.close();
  }
  return kinds;
}

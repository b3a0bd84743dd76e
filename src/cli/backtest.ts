import { formatTime, systemClock } from "../base/clock.ts";
import { DAY } from "../base/duration.ts";
import { CHANNELS } from "../channels/index.ts";
import type { Setup } from "../model/index.ts";
import { openRecorded } from "../store/operator-db/recorded.ts";
import type { Moment } from "./arguments.ts";
import { askService } from "./backtest-ask.ts";
import { drawnMetrics, picturesOf } from "./backtest-chart.ts";
import { compareJson, comparePage, differenceOf, otherRules } from "./backtest-compare.ts";
import { gatesOf } from "./backtest-gates.ts";
import { reportHtml } from "./backtest-html.ts";
import { countMessages } from "./backtest-messages.ts";
import { type BacktestReport, page } from "./backtest-page.ts";
import { Progress } from "./backtest-progress.ts";
import { reportCsv, reportJson } from "./backtest-report.ts";
import { replay, type Span } from "./backtest-run.ts";
import { readWish } from "./backtest-suggest.ts";
import { summariesOf } from "./backtest-summary.ts";
import { tables, tablesCsv, tablesJson, tablesText } from "./backtest-tables.ts";
import { readTried, type Variant, variantsOf } from "./backtest-try.ts";
import { EXIT, type Io } from "./io.ts";
import { reportWarnings } from "./report.ts";
import { writeReport } from "./report-file.ts";
import { rulesNamed } from "./rule-argument.ts";
import { readSetup } from "./setup.ts";

export interface BacktestOptions {
  readonly config: string;
  readonly from?: Moment;
  readonly to?: Moment;
  readonly json?: boolean;
  readonly csv?: boolean;
  /** `above=3gwei,5gwei` */
  readonly try?: readonly string[];
  /** A rules file, or a configuration. */
  readonly compare?: string;
  /** Where to write the report as HTML. */
  readonly html?: string;
  /** `2/week` */
  readonly suggest?: string;
  /** Only say how many requests it takes. */
  readonly plan?: boolean;
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
  // What is written wrong is said before anything is asked for.
  const wish = options.suggest === undefined ? null : readWish(options.suggest);
  const tried: Variant[] = [];
  for (const text of options.try ?? []) {
    tried.push(...(await variantsOf(rules, readTried(text), options.config, io)));
  }
  const stop = io.stop();
  const recorded = await openRecorded(setup.store);
  try {
    const other = options.compare === undefined ? null : await otherRules(options.compare, io);
    const chosen = new Set(rules.map(({ name }) => name));
    // Of the other version those by the names that were asked for, or all.
    const compared = other?.filter(({ name }) => names.length === 0 || chosen.has(name)) ?? null;
    const worlds = [rules, ...(compared === null ? [] : [compared])].map((own, i) => [
      ...own,
      ...gatesOf(own, i === 0 ? setup.rules : (other ?? [])),
    ]);
    const named = new Set([...rules, ...(compared ?? [])].map(({ name }) => name));
    const hidden = new Set(
      worlds
        .flat()
        .map(({ name }) => name)
        .filter((name) => !named.has(name)),
    );
    const asked = [...worlds.flat(), ...tried.map(({ as }) => as)];
    const told = await askService(asked, setup, recorded, span, options, io, stop);
    if (told === null) return EXIT.fine;
    if (stop.aborted) {
      io.err(
        "tickwatch: stopped: what was fetched is kept, and the next backtest goes on from there\n",
      );
      return EXIT.fine;
    }
    const progress = new Progress(io, span);
    const onDate = (date: number): void => progress.at(date);
    if (tried.length > 0 || wish !== null) {
      const found = await tables(rules, tried, wish, {
        ...span,
        setup,
        recorded,
        told,
        onDate,
        stop,
      });
      progress.end();
      if (options.json === true) io.out(`${JSON.stringify(tablesJson(found))}\n`);
      else io.out(options.csv === true ? tablesCsv(found) : `${tablesText(found)}\n`);
      sayStopped(found.until, span, io);
      return EXIT.fine;
    }
    const isDrawn =
      compared === null &&
      (options.html !== undefined || (options.json !== true && options.csv !== true));
    const replayed = await replay({
      ...span,
      ...(isDrawn ? { drawn: drawnMetrics(rules) } : {}),
      worlds,
      hidden,
      setup,
      recorded,
      told,
      onDate,
      stop,
    });
    progress.end();
    const [world] = replayed.worlds;
    if (world === undefined) return EXIT.found;
    if (compared !== null) {
      const found = differenceOf(replayed);
      if (options.json === true) io.out(`${JSON.stringify(compareJson(found))}\n`);
      else io.out(`${comparePage(found, options.compare ?? "", io.columns ?? 200)}\n`);
      sayStopped(replayed.until, span, io);
      return EXIT.fine;
    }
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
    const pictures = await picturesOf(isDrawn ? summaries : [], rules, replayed, recorded);
    const report: BacktestReport = { replayed, summaries, messages, rules, pictures };
    if (options.html !== undefined)
      await writeReport(options.html, reportHtml(report), "report", "--html");
    if (options.json === true) io.out(`${JSON.stringify(reportJson(report))}\n`);
    else if (options.csv === true) io.out(reportCsv(report));
    else io.out(`${page(report, io)}\n`);
    sayStopped(replayed.until, span, io);
    return EXIT.fine;
  } finally {
    recorded?.close();
  }
}

function sayStopped(until: number, { to }: Span, io: Io): void {
  if (until < to) io.err(`tickwatch: stopped at ${formatTime(until)}: the results end there\n`);
}

function spanOf({ from, to }: BacktestOptions, io: Io): Span | null {
  const now = systemClock().now();
  const end = Math.min(to?.(now) ?? now, now);
  const start = from?.(now) ?? end - USUAL_MS;
  if (start < end) return { from: start, to: end };
  if (start >= now) {
    io.err(`tickwatch: ${formatTime(start)} is in the future: --from must be in the past\n`);
    return null;
  }
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

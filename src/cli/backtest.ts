import { writeFile } from "node:fs/promises";
import { systemClock } from "../base/clock.ts";
import { DAY, HOUR } from "../base/duration.ts";
import { formatTime } from "../base/times.ts";
import { CHANNELS } from "../channels/index.ts";
import { createHttpSource } from "../fetch/http.ts";
import { KINDS } from "../kinds/index.ts";
import type { Rule, Setup } from "../model/index.ts";
import { needsByKey, needsOf } from "../replay/past/needs.ts";
import { recordedMetrics, recordedTracks } from "../replay/past/recorded-tracks.ts";
import { type HistoryCache, openHistoryCache } from "../store/operator-db/history-cache.ts";
import { openRecorded, type Recorded } from "../store/operator-db/recorded.ts";
import { StoreError } from "../store/store.ts";
import type { Moment } from "./arguments.ts";
import { compareJson, comparePage, differenceOf, otherRules } from "./backtest-compare.ts";
import { gatesOf } from "./backtest-gates.ts";
import { reportHtml } from "./backtest-html.ts";
import { MOST_PAGES } from "./backtest-lists.ts";
import { countMessages } from "./backtest-messages.ts";
import { type BacktestReport, page } from "./backtest-page.ts";
import { Progress } from "./backtest-progress.ts";
import { reportCsv, reportJson } from "./backtest-report.ts";
import { type Replayed, type ReplayParts, replay, type Span, type Told } from "./backtest-run.ts";
import { countRequests, fetchTold } from "./backtest-service.ts";
import { type RuleSummary, summariesOf } from "./backtest-summary.ts";
import {
  limitVariants,
  readTried,
  readWish,
  tryLines,
  type Variant,
  variantsOf,
} from "./backtest-try.ts";
import { valueWriter } from "./backtest-values.ts";
import { EXIT, type Io } from "./io.ts";
import { countOf, reportWarnings } from "./report.ts";
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
    const told = await ask(worlds.flat(), setup, recorded, span, options, io, stop);
    if (told === null) return EXIT.fine;
    const progress = new Progress(io, span);
    const replayed = await replay({
      ...span,
      worlds,
      hidden,
      setup,
      recorded,
      told,
      onDate: (date) => progress.at(date),
      stop,
    });
    progress.end();
    const [world] = replayed.worlds;
    if (world === undefined) return EXIT.found;
    if (compared !== null) {
      const found = differenceOf(replayed);
      if (options.json === true) io.out(`${JSON.stringify(compareJson(found))}\n`);
      else io.out(`${comparePage(found, options.compare ?? "", io.columns ?? 200)}\n`);
      return EXIT.fine;
    }
    if (tried.length > 0 || wish !== null) {
      const more = { ...span, setup, recorded, told, onDate: () => {}, stop };
      io.out(`${(await tables(rules, tried, replayed, wish, more)).join("\n")}\n`);
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
    const report: BacktestReport = { replayed, summaries, messages, rules };
    if (options.html !== undefined) await writeReport(options.html, reportHtml(report, recorded));
    if (options.json === true) io.out(`${JSON.stringify(reportJson(report))}\n`);
    else if (options.csv === true) io.out(reportCsv(report));
    else io.out(`${page(report, recorded, io)}\n`);
    if (replayed.until < replayed.to) {
      io.err(`tickwatch: stopped at ${formatTime(replayed.until)}: this is what is done\n`);
    }
    return EXIT.fine;
  } finally {
    recorded?.close();
  }
}

async function writeReport(path: string, html: string): Promise<void> {
  try {
    await writeFile(path, html);
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new Error(`the report cannot be written (${reason}); see --html`, { cause: error });
  }
}

/** A table for each rule: as it is, and with what is tried or suggested in its place. */
async function tables(
  rules: readonly Rule[],
  tried: readonly Variant[],
  base: Replayed,
  wish: number | null,
  parts: Omit<ReplayParts, "worlds" | "silent">,
): Promise<readonly string[]> {
  const lines: string[] = [`${formatTime(base.from)} to ${formatTime(base.until)}`];
  const summaries = base.worlds.flatMap((world) => summariesOf(world, base.from, base.until));
  for (const rule of rules) {
    const own = summaries.find(({ support }) => support.name === rule.name) ?? null;
    const write = valueWriter(rule, base.tracks);
    const [metric] = rule.metrics;
    const [subject] = rule.subjects;
    const limits =
      wish === null
        ? []
        : limitVariants(rule, base.tracks, parts.recorded, base.from, base.until, (value) =>
            write(subject?.key ?? "", metric ?? null, value.toString()),
          );
    const variants = [...tried.filter((one) => one.rule === rule.name), ...limits];
    const gates = gatesOf([rule], parts.setup.rules);
    const world = [...variants.map(({ as }) => as), ...gates];
    // No notices of them are composed: the past is read once, and each is only decided.
    const { worlds, from, until } = await replay({
      ...parts,
      worlds: [world],
      silent: new Set([0]),
    });
    const [result] = worlds;
    const found = result === undefined ? [] : summariesOf(result, from, until);
    const rows = variants.flatMap(({ label, as }) => {
      const summary = found.find(({ support }) => support.name === as.name);
      return summary === undefined ? [] : [{ label, summary }];
    });
    const suggested = wish === null ? null : nearestTo(rows.slice(-limits.length), wish);
    const shown = suggested === null ? rows : aroundOf(rows, suggested);
    lines.push("", ...tryLines(rule.name, own, shown, suggested));
  }
  return lines;
}

interface TriedRow {
  readonly label: string;
  readonly summary: RuleSummary;
}

function nearestTo(rows: readonly TriedRow[], wish: number): string | null {
  const [best] = rows.toSorted(
    (a, b) => Math.abs(a.summary.perWeek - wish) - Math.abs(b.summary.perWeek - wish),
  );
  return best?.label ?? null;
}

/** The rows beside a suggestion show how steep the choice is. */
function aroundOf(rows: readonly TriedRow[], label: string): readonly TriedRow[] {
  const at = rows.findIndex((row) => row.label === label);
  return rows.slice(Math.max(0, at - 4), at + 5);
}

/** What the service tells of what was not recorded; null: only the plan is asked for, and it is said. */
async function ask(
  rules: readonly Rule[],
  setup: Setup,
  recorded: Recorded | null,
  span: Span,
  options: BacktestOptions,
  io: Io,
  stop: AbortSignal,
): Promise<Told | null> {
  const all = rules.map((rule) => needsOf(rule, KINDS));
  const needs = needsByKey(all, recordedMetrics(recorded));
  const tracks = recorded === null ? null : recordedTracks(needs, recorded);
  const lookBackMs = all.reduce((most, one) => Math.max(most, one.lookBackMs), 0);
  const from = span.from - lookBackMs - DAY;
  // What was recorded all along need not be asked for.
  const open = [...needs.values()].filter(({ subject, kind }) => {
    if (kind.pastList !== undefined) return true;
    const its = tracks?.get(subject.key)?.span ?? null;
    return its === null || its.first > span.from + HOUR || its.last < span.to - DAY;
  });
  if (open.length === 0 && options.plan !== true) return NOTHING;
  const source = createHttpSource({ ...setup.service, log: () => {} });
  const cache = await openCache(setup, options.plan !== true, io);
  try {
    if (options.plan === true) {
      const { today, histories, cached, lists } = countRequests(open, {
        from,
        to: span.to,
        source,
        cache,
      });
      const kept =
        cached === 0
          ? ""
          : `; ${countOf(cached, "history")} is kept already`.replace(
              "historys is",
              "histories are",
            );
      const each = `${today} for names and decimals, ${histories} for histories`;
      const pages =
        lists === 0
          ? ""
          : `; besides, ${countOf(lists, "list")} of entries, ` +
            `1,000 a page, as many as there are since then, at most ${MOST_PAGES} pages each`;
      io.out(`at most ${countOf(today + histories, "request")}: ${each}${kept}${pages}\n`);
      return null;
    }
    const onRequest = (done: number, of: number): void => {
      if (io.errTerminal) io.err(`\r\u001b[Kasking the service: ${done} of ${of}`);
    };
    const fetched = await fetchTold(open, {
      from,
      to: span.to,
      // What they are compared with is known from hour to hour.
      entriesFrom: span.from - HOUR,
      source,
      cache,
      stop,
      onRequest,
    });
    if (io.errTerminal) io.err("\r\u001b[K");
    for (const failure of fetched.failures) {
      io.err(`warning: a request failed: ${failure}; what was fetched is kept\n`);
    }
    return fetched;
  } finally {
    cache?.close();
    await source.close();
  }
}

/** What was fetched before and is kept; null: it cannot be, and then each backtest asks for all of it. */
async function openCache(
  { store, retentionMs }: Setup,
  make: boolean,
  io: Io,
): Promise<HistoryCache | null> {
  try {
    const cache = await openHistoryCache(store, systemClock().now() - retentionMs, make);
    if (cache === null) return null;
    let isBroken = false;
    return {
      ...cache,
      put: (key, history, now) => {
        try {
          if (!isBroken) cache.put(key, history, now);
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          isBroken = true;
          io.err(`warning: what is fetched is not kept: ${error.message}\n`);
        }
      },
    };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    io.err(`warning: what is fetched is not kept: ${error.message}\n`);
    return null;
  }
}

const NOTHING: Told = { histories: new Map(), facts: new Map(), lists: new Map(), failures: [] };

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

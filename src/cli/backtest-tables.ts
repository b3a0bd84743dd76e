import { formatTime } from "../base/clock.ts";
import type { Rule } from "../model/index.ts";
import { gatesOf } from "./backtest-gates.ts";
import { pastOf, type ReplayParts, replay } from "./backtest-run.ts";
import { limitVariants } from "./backtest-suggest.ts";
import { type RuleSummary, summariesOf } from "./backtest-summary.ts";
import { tryLines, type Variant } from "./backtest-try.ts";
import { valueWriter } from "./backtest-values.ts";
import { csvCell, iso } from "./report.ts";

/** Rules as they are, each beside what is tried or suggested in its place. */
export interface Tables {
  readonly from: number;
  /** How far it came; `to` unless it was stopped. */
  readonly until: number;
  readonly tables: readonly Table[];
}

interface Table {
  readonly rule: string;
  readonly base: RuleSummary | null;
  readonly rows: readonly TriedRow[];
  /** The label of the row that is suggested. */
  readonly suggested: string | null;
}

interface TriedRow {
  readonly label: string;
  readonly summary: RuleSummary;
}

/** Decides rules and all their versions while the past is read once. Throws Error for a rule without a limit to suggest. */
export async function tables(
  rules: readonly Rule[],
  tried: readonly Variant[],
  wish: number | null,
  parts: Omit<ReplayParts, "worlds" | "silent" | "hidden">,
): Promise<Tables> {
  const limits = wish === null ? [] : await suggestions(rules, parts);
  // What is tried twice is one version.
  const variants = [...new Map([...tried, ...limits].map((one) => [one.as.name, one])).values()];
  const worlds = worldsOf(rules, variants, parts.setup.rules);
  const replayed = await replay({
    ...parts,
    worlds,
    // Nobody reads their notices: they are counted by what there is to tell.
    silent: new Set(worlds.keys()),
    recordedAs: new Map(
      variants.flatMap(({ rule, as }) => {
        const isAtItsPace = as.schedule.key === ruleOf(rules, rule)?.schedule.key;
        return isAtItsPace ? [[as.name, rule]] : [];
      }),
    ),
  });
  const { from, until } = replayed;
  const summaries = replayed.worlds.flatMap((world) => summariesOf(world, from, until));
  const summaryOf = (name: string): RuleSummary | null =>
    summaries.find(({ support }) => support.name === name) ?? null;
  const rowsOf = (all: readonly Variant[], rule: Rule): readonly TriedRow[] =>
    all.flatMap(({ rule: name, label, as }) => {
      const summary = name === rule.name ? summaryOf(as.name) : null;
      return summary === null ? [] : [{ label, summary }];
    });
  const found = rules.map((rule): Table => {
    const base = summaryOf(rule.name);
    const wished = rowsOf(limits, rule);
    const suggested = wish === null ? null : nearestTo(wished, wish);
    const around = suggested === null ? [] : aroundOf(wished, suggested);
    return { rule: rule.name, base, rows: [...rowsOf(tried, rule), ...around], suggested };
  });
  return { from, until, tables: found };
}

function ruleOf(rules: readonly Rule[], name: string): Rule | undefined {
  return rules.find((rule) => rule.name === name);
}

/** What limits a rule might have instead. */
async function suggestions(
  rules: readonly Rule[],
  parts: Pick<ReplayParts, "recorded" | "told" | "from" | "to">,
): Promise<readonly Variant[]> {
  const tracks = await pastOf(rules, parts);
  const found: Variant[] = [];
  for (const rule of rules) {
    const write = valueWriter(rule, tracks);
    const [metric] = rule.metrics;
    const [subject] = rule.subjects;
    const its = await limitVariants(rule, {
      tracks,
      recorded: parts.recorded,
      from: parts.from,
      to: parts.to,
      write: (value) => write(subject?.key ?? "", metric ?? null, value.toString()),
    });
    found.push(...its);
  }
  return found;
}

/**
 * Versions are decided beside the rules, as rules of one daemon, but for those with another schedule: windows hold what
 * any rule asked for.
 */
function worldsOf(
  rules: readonly Rule[],
  variants: readonly Variant[],
  all: readonly Rule[],
): readonly (readonly Rule[])[] {
  const beside: Rule[] = [...rules];
  const apart = new Map<string, Rule[]>();
  for (const { rule, as } of variants) {
    if (as.schedule.key === ruleOf(rules, rule)?.schedule.key) beside.push(as);
    else apart.set(as.schedule.key, [...(apart.get(as.schedule.key) ?? []), as]);
  }
  return [beside, ...apart.values()].map((own) => [...own, ...gatesOf(own, all)]);
}

/** `rows`: the strictest first. Of those that fire as often, and too seldom, it is the last: the next one fires more. */
function nearestTo(rows: readonly TriedRow[], wish: number): string | null {
  let best: TriedRow | null = null;
  const far = ({ summary }: TriedRow): number => Math.abs(summary.perWeek - wish);
  for (const row of rows) {
    if (row.summary.support.rule === null) continue;
    const isNearer = best === null || far(row) < far(best);
    const isAsFar = best !== null && far(row) === far(best) && row.summary.perWeek < wish;
    if (isNearer || isAsFar) best = row;
  }
  return best?.label ?? null;
}

/** The rows beside a suggestion show how steep the choice is. */
function aroundOf(rows: readonly TriedRow[], label: string): readonly TriedRow[] {
  const at = rows.findIndex((row) => row.label === label);
  return rows.slice(Math.max(0, at - 4), at + 5);
}

export function tablesText({ from, until, tables: all }: Tables): string {
  const lines = all.flatMap(({ rule, base, rows, suggested }) => {
    return ["", ...tryLines(rule, base, rows, suggested)];
  });
  return [`${formatTime(from)} to ${formatTime(until)}`, ...lines].join("\n");
}

/** One row of a table with exact figures. */
function rowFigures(version: string | null, summary: RuleSummary, suggested: string | null) {
  const { support, firings, perWeek, firingMs, longestMs, told } = summary;
  return {
    version,
    suggested: version !== null && version === suggested,
    refusal: support.refusal,
    alerts: firings.length,
    alerts_per_week: Number(perWeek.toFixed(2)),
    firing_seconds: firingMs / 1_000,
    longest_seconds: longestMs / 1_000,
    notices: [...told.values()].reduce((sum, count) => sum + count, 0),
  };
}

type Figures = ReturnType<typeof rowFigures>;

function figuresOf({ base, rows, suggested }: Table): readonly Figures[] {
  return [
    ...(base === null ? [] : [rowFigures(null, base, suggested)]),
    ...rows.map(({ label, summary }) => rowFigures(label, summary, suggested)),
  ];
}

/** `--json`: of each rule as it is (`version` null) and of its versions what the table shows. */
export function tablesJson(found: Tables): unknown {
  return {
    from: iso(found.from),
    until: iso(found.until),
    rules: found.tables.map((table) => ({ rule: table.rule, versions: figuresOf(table) })),
  };
}

/** `--csv`: one line for each version, the rule as it is without a name of one. */
export function tablesCsv({ tables: all }: Tables): string {
  const lines = all.flatMap((table) =>
    figuresOf(table).map(({ refusal: _why, ...figures }) =>
      [table.rule, ...Object.values(figures)].map((one) => csvCell(String(one ?? ""))).join(","),
    ),
  );
  const head =
    "rule,version,suggested,alerts,alerts_per_week,firing_seconds,longest_seconds,notices";
  return [head, ...lines, ""].join("\n");
}

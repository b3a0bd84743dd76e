import { formatTime } from "../base/times.ts";
import type { Rule } from "../model/index.ts";
import { gatesOf } from "./backtest-gates.ts";
import { type Replayed, type ReplayParts, replay } from "./backtest-run.ts";
import { type RuleSummary, summariesOf } from "./backtest-summary.ts";
import { limitVariants, tryLines, type Variant } from "./backtest-try.ts";
import { valueWriter } from "./backtest-values.ts";

/** A table for each rule: as it is, and with what is tried or suggested in its place. */
export async function tables(
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

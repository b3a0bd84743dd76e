import { readFile, stat } from "node:fs/promises";
import { mutedUntil } from "../../delivery/suppress/hold.ts";
import type { Rule } from "../../model/index.ts";
import type { RuleMemory } from "../../poll/memory.ts";
import { describeRule } from "../../rules/describe/sentence.ts";
import type { RuleDetail, RuleSummary } from "../api/schemas/rules.ts";
import type { RuleCounts } from "../live/snapshot.ts";
import { isoOrNull } from "./notice-view.ts";

/** Larger files are not searched for the text of one rule. */
const LARGEST_FILE = 4_000_000;
const LONGEST_TEXT = 40_000;

export function ruleSummary(memory: RuleMemory, counts: RuleCounts, late: boolean): RuleSummary {
  const { rule, state, kind, alerts } = memory;
  const { name, severity, labels, schedule, notify } = rule;
  return {
    name,
    kind: rule.kind,
    severity,
    labels,
    sentence: describeRule(rule, { metrics: kind.metrics, bucketMs: kind.bucketMs }),
    schedule: schedule.text,
    subjects: alerts.length,
    counts: { ...counts },
    last_round: isoOrNull(state.lastRound),
    late,
    notify: [...notify],
  };
}

/** `startedAt`: when its file was read, real epoch milliseconds. */
export async function ruleDetail(
  memory: RuleMemory,
  summary: RuleSummary,
  startedAt: number,
  now: number,
): Promise<RuleDetail> {
  const { rule, kind } = memory;
  return {
    rule: summary,
    file: { name: rule.place.file, line: rule.place.line },
    yaml: await yamlOf(rule, startedAt),
    routes: rule.notify.map((channel) => {
      const until = mutedUntil(rule.mutes.get(channel) ?? [], now);
      return {
        channel,
        muted: rule.mutes.has(channel) ? (until === null ? "not now" : "now") : null,
        muted_until: isoOrNull(until),
      };
    }),
    send_resolved: rule.sendResolved,
    for_ms: rule.forMs,
    resolve_after_ms: rule.resolveAfterMs,
    missing_after_ms: rule.missingAfterMs,
    remind_ms: [...rule.remind],
    worse_by: rule.worse?.by.text ?? null,
    cooldown_ms: rule.cooldownMs,
    once: rule.once,
    only_while: [...(rule.gates?.onlyWhile ?? [])],
    unless: [...(rule.gates?.unless ?? [])],
    title: rule.title,
    note: rule.note,
    metrics: rule.metrics.map((metric) => ({
      metric,
      label: kind.metrics.get(metric)?.label ?? metric,
    })),
  };
}

/** The rule as it stands in its file; null where that was edited since, or cannot be read. */
async function yamlOf({ place, name }: Rule, startedAt: number): Promise<string | null> {
  try {
    const { mtimeMs, size } = await stat(place.file);
    if (mtimeMs > startedAt || size > LARGEST_FILE) return null;
    const text = itemAt(await readFile(place.file, "utf8"), place.line);
    return text.includes(name) ? text : null;
  } catch {
    return null;
  }
}

/** The lines of the list item that begins on a line, counted from 1, without its indentation. */
export function itemAt(file: string, line: number): string {
  const lines = file.split(/\r?\n/).slice(line - 1);
  const [first = ""] = lines;
  const dash = first.indexOf("-");
  const indent = dash >= 0 && first.slice(0, dash).trim() === "" ? dash : 0;
  const end = lines.findIndex(
    (one, at) => at > 0 && one.trim() !== "" && one.length - one.trimStart().length <= indent,
  );
  const own = end < 0 ? lines : lines.slice(0, end);
  return own
    .map((one) => (one.slice(0, indent).trim() === "" ? one.slice(indent) : one))
    .join("\n")
    .trimEnd()
    .slice(0, LONGEST_TEXT);
}

import { HOUR, MINUTE } from "../base/duration.ts";
import { nearest } from "../base/nearest.ts";
import type { Schedule } from "../base/schedule.ts";
import { alternatives, kindOf } from "../base/settings.ts";
import { compileResolveWhen, compileWhen, metricNames } from "../engine/condition.ts";
import { errorAt, type Path, type Report, warningAt } from "../engine/finding.ts";
import { shown } from "../engine/quantity-error.ts";
import type { Condition, Place, Rule, Severity } from "../model.ts";
import type { WatchKind } from "../watches/watch.ts";
import { canonicalText } from "./canonical.ts";
import { RULE, RULE_WORDS } from "./rule-keys.ts";
import { type Schedules, shortestInterval } from "./schedules.ts";
import { isMap, readKeys } from "./shape.ts";
import { readTargets } from "./targets.ts";

/** What rules are read against. */
export interface RulesContext {
  readonly watches: ReadonlyMap<string, WatchKind>;
  /** The names of the configured channels. */
  readonly channels: readonly string[];
  /** What rules that do not say it themselves have; 1m, warning and UTC if not given. */
  readonly defaults?: {
    readonly schedule?: string;
    readonly severity?: Severity;
    readonly timezone?: string;
  };
}

/** The kinds of the documents; those without an entry in the registry are not built yet. */
const ALL_KINDS: ReadonlySet<string> = new Set([
  "gas",
  "token_supply",
  "token_balance",
  "holder_count",
  "holders",
  "v4_pool",
  "v4_position",
  "token_info",
  "token_price",
  "v3_pool",
  "v4_pool_24h",
  "v4_swaps",
  "v3_swaps",
  "v4_liquidity",
  "pool_history",
  "price_history",
  "source",
]);

/** A rule as far as it can be read: null for what is wrong, which was reported. */
export interface RuleRead {
  readonly name: string | null;
  readonly enabled: boolean;
  readonly rule: Rule | null;
}

/** Reads one rule; `report` hears everything that is wrong with it. */
export function readRule(
  raw: unknown,
  path: Path,
  place: Place,
  context: RulesContext,
  schedules: Schedules,
  report: Report,
): RuleRead {
  let failed = false;
  const tell: Report = (finding) => {
    failed ||= finding.level === "error";
    report(finding);
  };
  const keys = readKeys(RULE, raw, path, RULE_WORDS, tell);
  if (keys === null || !isMap(raw)) return { name: null, enabled: true, rule: null };
  for (const needed of ["name", "watch", "when"] as const) {
    if (!(needed in raw))
      tell(errorAt([...path, needed], "is missing", { expected: NEEDED[needed] }));
  }
  const zone = keys.timezone ?? context.defaults?.timezone ?? "UTC";
  const schedule = readSchedule(
    keys.schedule ?? context.defaults?.schedule ?? "1m",
    zone,
    path,
    schedules,
    tell,
  );
  if (keys.timezone !== undefined && schedule?.everyMs !== null) {
    tell(warningAt([...path, "timezone"], "the time zone counts for cron expressions only"));
  }
  const watch = readWatch(raw.watch, [...path, "watch"], context.watches, tell);
  const notify = readNotify(raw.notify, [...path, "notify"], context.channels, tell);
  const conditions = watch === null ? null : readConditions(raw, path, watch.kind, schedule, tell);
  const bucketed = watch === null || watch.kind.bucketMs !== null;
  for (const key of ["min_age", "max_age"] as const) {
    if (key in raw && !bucketed) {
      const message = `${key} is for kinds with buckets, such as gas; ${watch.kind.kind} has none`;
      tell(errorAt([...path, key], message));
    }
  }
  const { name = null, enabled = true } = keys;
  const when = conditions?.when ?? null;
  if (failed || name === null || watch === null || schedule === null || when === null) {
    return { name, enabled, rule: null };
  }
  const body = {
    name,
    kind: watch.kind.kind,
    subjects: watch.subjects,
    when,
    resolveWhen: conditions?.resolveWhen ?? null,
    forMs: keys.for ?? 0,
    resolveAfterMs: keys.resolve_after ?? 0,
    schedule,
    severity: keys.severity ?? context.defaults?.severity ?? "warning",
    labels: keys.labels ?? {},
    notify,
    title: keys.title ?? null,
    note: keys.note ?? null,
    sendResolved: keys.send_resolved ?? true,
    missingAfterMs: keys.missing_after ?? 5 * MINUTE,
    maxAgeMs: keys.max_age ?? 2 * HOUR,
    minAgeMs: keys.min_age ?? 5 * MINUTE,
  };
  const metrics = metricNames(body.when, body.resolveWhen);
  doubtEdges(body, metrics, path, report);
  return { name, enabled, rule: { ...body, place, metrics, source: canonicalText(body) } };
}

const NEEDED = {
  name: "a name, unique over all files",
  watch: "what to look at, such as {kind: gas, chain: ethereum}",
  when: "a condition such as {metric: tip_top10, above: 5 gwei}",
};

function readSchedule(
  text: string,
  zone: string,
  path: Path,
  schedules: Schedules,
  report: Report,
): Schedule | null {
  const read = schedules.read(text, zone);
  if ("next" in read) return read;
  report(errorAt([...path, "schedule"], `schedule ${read.message}`, read.hint));
  return null;
}

function readWatch(
  raw: unknown,
  path: Path,
  watches: ReadonlyMap<string, WatchKind>,
  report: Report,
): { kind: WatchKind; subjects: Rule["subjects"] } | null {
  if (raw === undefined) return null;
  const expected = NEEDED.watch;
  if (!isMap(raw)) {
    report(errorAt(path, raw === null ? "has no value" : `is ${kindOf(raw)}`, { expected }));
    return null;
  }
  const name = raw.kind;
  if (typeof name !== "string") {
    report(
      errorAt([...path, "kind"], "the watch has no kind", {
        expected: [...watches.keys()].join(", "),
      }),
    );
    return null;
  }
  const kind = watches.get(name);
  if (kind !== undefined) return { kind, subjects: readTargets(raw, path, kind, report) };
  if (ALL_KINDS.has(name)) {
    report(errorAt([...path, "kind"], `the kind ${name} is not built yet in this version`));
    return null;
  }
  const near = nearest(name, new Set([...watches.keys(), ...ALL_KINDS]));
  const hint = { expected: [...watches.keys()].join(", ") };
  report(
    errorAt(
      [...path, "kind"],
      `${shown(name)} is no kind`,
      near === null ? hint : { ...hint, suggestion: near },
    ),
  );
  return null;
}

function readNotify(
  raw: unknown,
  path: Path,
  channels: readonly string[],
  report: Report,
): readonly string[] {
  if (raw === undefined) return [...channels];
  const expected = channels.length === 0 ? "a configured channel" : alternatives(channels);
  const items: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  if (items.length === 0) report(warningAt(path, "the rule tells nobody"));
  const names = new Set<string>();
  for (const [i, item] of items.entries()) {
    const at = Array.isArray(raw) ? [...path, i] : path;
    if (typeof item !== "string" || item === "") {
      report(errorAt(at, item === null ? "has no value" : `is ${kindOf(item)}`, { expected }));
    } else if (channels.includes(item)) names.add(item);
    else {
      const near = nearest(item, channels);
      const hint = near === null ? { expected } : { expected, suggestion: near };
      report(errorAt(at, `${shown(item)} is no channel`, hint));
    }
  }
  return [...names];
}

function readConditions(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  kind: WatchKind,
  schedule: Schedule | null,
  report: Report,
): { when: Condition | null; resolveWhen: Condition | null } {
  // With a wrong schedule nothing can be said of windows, so that no window is too short for it.
  const intervalMs = schedule === null ? 0 : shortestInterval(schedule);
  const pace = { intervalMs, bucketMs: kind.bucketMs };
  const context = { kind: kind.kind, metrics: kind.metrics, pace, report };
  const when = "when" in raw ? compileWhen(raw.when, [...path, "when"], context) : null;
  const resolveWhen =
    "resolve_when" in raw
      ? compileResolveWhen(raw.resolve_when, [...path, "resolve_when"], when, context)
      : null;
  return { when, resolveWhen };
}

/** A price on the very edge of a range would go in and out with every round. */
function doubtEdges(
  rule: Pick<Rule, "kind" | "forMs" | "resolveAfterMs" | "resolveWhen">,
  metrics: readonly string[],
  path: Path,
  report: Report,
): void {
  const byRange = metrics.includes("in_range") || metrics.includes("side");
  if (rule.kind !== "v4_position" || !byRange) return;
  if (rule.forMs > 0 || rule.resolveAfterMs > 0 || rule.resolveWhen !== null) return;
  report(
    warningAt([...path, "when"], "a price at the edge of the range would alert again and again", {
      expected: "for: 5m and resolve_after: 5m beside it",
    }),
  );
}

import { HOUR, MINUTE } from "../../base/duration.ts";
import { isMap } from "../../base/json.ts";
import { isCron, type Schedule } from "../../base/schedule.ts";
import { comparisonsOf, holdsEvent } from "../../decide/condition-tree.ts";
import type { WatchKind } from "../../kinds/kind.ts";
import type { Condition, FlappingLimits, Place, Rule, Severity } from "../../model/index.ts";
import { errorAt, errorAtKey, type Path, type Report, warningAt } from "../../rules/finding.ts";
import { compileResolveWhen, compileWhen, metricNames } from "../../rules/parse/condition.ts";
import type { References } from "../../rules/parse/relative.ts";
import { readKeys, type Words } from "../files/shape.ts";
import { readNotify } from "../routes/route-keys.ts";
import { NO_MUTES, type Routing } from "../routes/routing.ts";
import {
  type Addresses,
  checkAddresses,
  checkBlocks,
  checkMetrics,
} from "../settings/addresses.ts";
import { checkAcross } from "./across-key.ts";
import { canonicalText } from "./canonical.ts";
import { checkEntries, checkEventKeys } from "./entry-keys.ts";
import { readLife } from "./life-keys.ts";
import type { Lists } from "./lists.ts";
import { RULE, RULE_WORDS } from "./rule-keys.ts";
import { lintPace, lintRule } from "./rule-lint.ts";
import { lintSchedule, type Schedules, shortestInterval } from "./schedules.ts";
import { checkText } from "./template-keys.ts";
import { readWatch, WATCH_EXPECTED, type Watch } from "./watch-key.ts";

/** More than five firings in an hour are flapping, unless the configuration says otherwise. */
export const FLAPPING_LIMITS: FlappingLimits = { moreThan: 5, withinMs: HOUR };

/** What rules are read against. */
export interface RulesContext {
  readonly watches: ReadonlyMap<string, WatchKind>;
  /** The names of the configured channels. */
  readonly channels: readonly string[];
  /** Where rules go that do not say it; without it to all channels. */
  readonly routing?: Routing;
  /** Where the service can be asked. Without them no kind is refused, and no facts are counted on. */
  readonly addresses?: Addresses;
  /** What is read in place of a rule as it stands in its file, for whoever tries another. */
  readonly edit?: ((raw: unknown) => unknown) | undefined;
  /** What rules that do not say it themselves have; 1m, warning and UTC if not given. */
  readonly defaults?: {
    readonly schedule?: string;
    readonly severity?: Severity;
    readonly timezone?: string;
    readonly flapping?: FlappingLimits;
  };
}

/** A rule as far as it can be read: null for what is wrong, which was reported. */
export interface RuleRead {
  readonly name: string | null;
  readonly enabled: boolean;
  readonly rule: Rule | null;
}

/** What the rules of all files have in common. */
export interface RuleContext extends RulesContext {
  readonly lists: Lists;
  readonly schedules: Schedules;
  readonly references: References;
}

/** Reads one rule; `report` hears everything that is wrong with it. */
export function readRule(
  raw: unknown,
  path: Path,
  place: Place,
  context: RuleContext,
  report: Report,
): RuleRead {
  let failed = false;
  const tell: Report = (finding) => {
    failed ||= finding.level === "error";
    report(finding);
  };
  const keys = readKeys(RULE, raw, path, wordsFor(raw), tell);
  if (keys === null || !isMap(raw)) return { name: null, enabled: true, rule: null };
  for (const needed of ["name", "watch", "when"] as const) {
    if (!(needed in raw))
      tell(errorAt("missing-key", [...path, needed], "is missing", NEEDED[needed]));
  }
  const zone = keys.timezone ?? context.defaults?.timezone ?? "UTC";
  const schedule = readSchedule(
    keys.schedule ?? context.defaults?.schedule ?? "1m",
    zone,
    path,
    context.schedules,
    tell,
  );
  if (keys.schedule !== undefined && schedule !== null) {
    lintSchedule(schedule, [...path, "schedule"], tell);
  }
  if (keys.timezone !== undefined && (schedule === null || !isCron(schedule))) {
    tell(
      warningAt("no-effect", [...path, "timezone"], "timezone applies to cron expressions only"),
    );
  }
  const { name = null, enabled = true } = keys;
  const watchPath = [...path, "watch"];
  const { addresses, lists, watches } = context;
  const watch = readWatch(raw.watch, watchPath, name ?? "", watches, lists, addresses, tell);
  if (watch !== null && addresses !== undefined) {
    checkAddresses(watch.kind, watch.targets.subjects, addresses, [...watchPath, "kind"], tell);
  }
  if (schedule?.eachBlock === true && watch !== null) {
    const at = [...path, "schedule" in raw ? "schedule" : "watch"];
    checkBlocks(watch.kind, addresses, at, tell);
  }
  const notify = readNotify(raw.notify, [...path, "notify"], context.channels, tell, null);
  const conditions =
    watch === null ? null : readConditions(raw, path, watch, schedule, context, tell);
  const bucketed = watch === null || watch.kind.bucketMs !== null;
  for (const key of ["min_age", "max_age", "bucket"] as const) {
    if (key in raw && !bucketed) {
      const message = `${key} is for kinds with buckets, such as gas; ${watch.kind.kind} has none`;
      tell(errorAt("misplaced-key", [...path, key], message));
    }
  }
  const when = conditions?.when ?? null;
  const resolveWhen = conditions?.resolveWhen ?? null;
  const metrics = metricNames(when, resolveWhen);
  if (watch !== null && addresses !== undefined) {
    checkMetrics(metrics, watch.kind, addresses, [...path, "when"], tell);
  }
  if (watch !== null && watch.kind.bucketMs !== null)
    checkSilence(raw, path, [when, resolveWhen], tell);
  const entries = watch !== null && checkEntries(raw, path, metrics, watch.kind, tell);
  const event = entries || (when !== null && holdsEvent(when));
  if (event) checkEventKeys(raw, path, tell, entries ? "entries" : undefined);
  const life = readLife(
    raw,
    keys,
    path,
    {
      when,
      event,
      metrics: watch?.kind.metrics ?? NO_METRICS,
      tokens: conditions?.tokens ?? false,
      flapping: context.defaults?.flapping ?? FLAPPING_LIMITS,
    },
    tell,
  );
  const facts = { labels: keys.labels ?? {}, metrics: [...(watch?.kind.metrics.keys() ?? [])] };
  checkText(keys.title, [...path, "title"], facts, tell);
  checkText(keys.note, [...path, "note"], facts, tell);
  if (watch !== null && schedule !== null) {
    const pace = { intervalMs: shortestInterval(schedule), bucketMs: watch.kind.bucketMs, entries };
    lintPace(keys, path, pace, tell);
  }
  if (keys.across !== undefined && watch !== null) {
    checkAcross(keys.across, metrics, watch, [...path, "across"], tell);
  }
  if (failed || name === null || watch === null || schedule === null || when === null) {
    return { name, enabled, rule: null };
  }
  const body = {
    name,
    kind: watch.kind.kind,
    words: watch.kind.words,
    subjects: watch.targets.subjects,
    ...(watch.targets.owners.length === 0 ? {} : { owners: watch.targets.owners }),
    across: keys.across ?? null,
    decimals: watch.targets.decimals,
    when,
    event,
    resolveWhen,
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
    maxAgeMs: keys.max_age ?? 2 * (watch.kind.bucketMs ?? HOUR),
    minAgeMs: keys.min_age ?? 5 * MINUTE,
    bucket: keys.bucket ?? "newest",
    ...life,
  };
  lintRule(body, watch.kind.metrics, path, report);
  const source = canonicalText(body);
  // A rule is the same rule wherever its notices go, unless it says that itself.
  const about = { ...body, kind: watch.kind.variantOf ?? watch.kind.kind };
  const way = context.routing?.resolve(about, raw.notify === undefined ? null : notify);
  const routed = way ?? { notify, mutes: NO_MUTES };
  return { name, enabled, rule: { ...body, ...routed, place, metrics, source } };
}

/** What `alert` was meant to be shows in what stands there, and in what is there already. */
function wordsFor(raw: unknown): Omit<Words, "keys"> {
  if (!isMap(raw) || !("alert" in raw)) return RULE_WORDS;
  const alert = isMap(raw.alert) || "name" in raw ? "when" : "name";
  return { ...RULE_WORDS, synonyms: { ...RULE_WORDS.synonyms, alert } };
}

const NO_METRICS: WatchKind["metrics"] = new Map();

const NEEDED = {
  name: "a name, unique over all files",
  watch: WATCH_EXPECTED,
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
  report(errorAt("bad-schedule", [...path, "schedule"], `schedule ${read.message}`, read.hint));
  return null;
}

function readConditions(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  { kind, targets }: Watch,
  schedule: Schedule | null,
  { addresses, references }: RuleContext,
  report: Report,
): { when: Condition | null; resolveWhen: Condition | null; tokens: boolean } {
  // With a wrong schedule nothing can be said of windows, so that no window is too short for it.
  const intervalMs = schedule === null ? 0 : shortestInterval(schedule);
  const pace = { intervalMs, bucketMs: kind.bucketMs };
  const { subjects, decimals } = targets;
  // What the rule does not say is asked for, as facts of its tokens.
  const learned = kind.facts !== undefined && addresses?.has("legacy_base_url") === true;
  const known = kind.knowsDecimals === true || learned;
  const context = {
    kind: kind.variantOf ?? kind.kind,
    metrics: kind.metrics,
    pace,
    tokens: known || subjects.every(({ key }) => decimals.has(key)),
    ownTime: kind.ownTime,
    references,
    subjects,
    report,
  };
  const when = "when" in raw ? compileWhen(raw.when, [...path, "when"], context) : null;
  const resolveWhen =
    "resolve_when" in raw
      ? compileResolveWhen(raw.resolve_when, [...path, "resolve_when"], when, context)
      : null;
  return { when, resolveWhen, tokens: context.tokens };
}

/** `for` counts buckets there, and silence is that there are none. */
function checkSilence(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  conditions: readonly (Condition | null)[],
  report: Report,
): void {
  const comparisons = conditions.flatMap((one) => (one === null ? [] : comparisonsOf(one)));
  if (comparisons.every(({ op }) => op !== "no_update_for")) return;
  for (const key of ["for", "resolve_after"]) {
    if (!(key in raw)) continue;
    const message = `${key} counts buckets, so it cannot wait for buckets that do not come`;
    report(
      errorAtKey("key-conflict", [...path, key], message, "a longer no_update_for in its place"),
    );
  }
}

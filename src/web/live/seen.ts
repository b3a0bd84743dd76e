import { countsRaw } from "../../base/quantity.ts";
import type { Truth } from "../../decide/evaluation-context.ts";
import { type AlertEvent, descriptionOf } from "../../decide/event.ts";
import type { Evidence, Verdict } from "../../decide/verdict.ts";
import type { Description, Reading } from "../../kinds/kind.ts";
import type { Alert, Rule } from "../../model/index.ts";
import type { AlertMemory } from "../../poll/memory.ts";

/**
 * What the newest round saw of one alert, as far as people may ask for it. It is made of each alert in each
 * round, so it holds what is there already; what is shown is made of it when somebody asks. It keeps nothing
 * of the record alive.
 */
export interface Seen {
  /** The date of the round. */
  readonly at: number;
  readonly truth: Truth;
  /** What speaks for the alert; null: it has no value. */
  readonly evidence: Evidence | null;
  /** What else its condition looked at: of an alert that is not ok, or that somebody looks at. */
  readonly others: readonly Evidence[];
  readonly description: Description | null;
  /** The decimals behind raw units, by metric; those that are not known are absent. */
  readonly decimals: Readonly<Record<string, number>>;
  readonly closed: boolean;
  readonly trouble: string | null;
  readonly bucket: AlertEvent["bucket"];
}

const NO_DECIMALS: Readonly<Record<string, number>> = {};
const NONE: readonly Evidence[] = [];

/** Before the memory moves on, so that everything is as it was judged. `whole`: somebody looks at it. */
export function seenOf(
  memory: AlertMemory,
  after: Alert,
  verdict: Verdict,
  reading: Reading,
  before: Seen | undefined,
  whole: boolean,
): Seen {
  const { context, bucket } = verdict;
  const { rule } = memory.watched;
  const evidence = verdict.evidence();
  const isQuiet = after.state === "ok" && !whole;
  return {
    at: context.round.now,
    truth: verdict.truth,
    evidence,
    others: isQuiet ? NONE : verdict.otherEvidence(evidence),
    description: describedBy(memory, reading, before?.description ?? null, isQuiet),
    decimals: decimalsOf(rule, verdict),
    closed: reading.closed,
    trouble: reading.trouble,
    bucket: bucket === null ? null : { start: bucket.rows.newest, ms: bucket.ms },
  };
}

/** A record is described once: only the range of a position says something else in each round. */
function describedBy(
  memory: AlertMemory,
  reading: Reading,
  before: Description | null,
  isQuiet: boolean,
): Description | null {
  if (before !== null && before.range === null && isQuiet) return before;
  const found = descriptionOf(reading, memory.subject.name);
  return found === null ? before : keptDescription(found, memory.watched.rule);
}

/** The same without the record behind it. */
function keptDescription(found: Description, { metrics }: Rule): Description {
  const { label, chain, link, range } = found;
  const [first] = metrics;
  if (first !== undefined && metrics.length === 1) {
    const unit = found.unit(first);
    return { label, chain, link, range, unit: (metric) => (metric === first ? unit : "") };
  }
  const units = new Map(metrics.map((metric) => [metric, found.unit(metric)]));
  return { label, chain, link, range, unit: (metric) => units.get(metric) ?? "" };
}

function decimalsOf({ metrics }: Rule, { context }: Verdict): Seen["decimals"] {
  let found: Record<string, number> | null = null;
  for (const name of metrics) {
    if (!countsRaw(context.metric(name).quantity)) continue;
    const decimals = context.decimals(name);
    if (decimals === null) continue;
    found ??= {};
    found[name] = decimals;
  }
  return found ?? NO_DECIMALS;
}

import { Decimal } from "../../base/decimal.ts";
import type { Condition, Distance, Limit, Owner, Rule, Span, Value } from "../../model/index.ts";

/**
 * A rule as canonical text: the same for every way to write the same rule (spaces, comments, order
 * of keys and targets, `1h` or `60m`), another for another rule. It is what a rule's version is made
 * of.
 */
export function canonicalText(
  rule: Omit<Rule, "source" | "place" | "words" | "metrics" | "flapping" | "mutes">,
): string {
  const subjects = rule.subjects.map(({ key, name }) => ({ key, name }));
  const owners = rule.owners?.toSorted((a, b) => (ownerText(a) < ownerText(b) ? -1 : 1));
  return JSON.stringify({
    name: rule.name,
    kind: rule.kind,
    subjects: subjects.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    ...(owners === undefined ? {} : { owners }),
    across: rule.across,
    decimals: [...rule.decimals].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    when: ofCondition(rule.when),
    event: rule.event,
    resolveWhen: rule.resolveWhen === null ? null : ofCondition(rule.resolveWhen),
    forMs: rule.forMs,
    resolveAfterMs: rule.resolveAfterMs,
    schedule: rule.schedule.key,
    severity: rule.severity,
    labels: Object.entries(rule.labels).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    notify: rule.notify.toSorted(),
    title: rule.title,
    note: rule.note,
    sendResolved: rule.sendResolved,
    missingAfterMs: rule.missingAfterMs,
    maxAgeMs: rule.maxAgeMs,
    minAgeMs: rule.minAgeMs,
    // Left out where it says nothing: rules of before it was there stay what they were.
    ...(rule.bucket === "newest" ? {} : { bucket: rule.bucket }),
    onMissing: rule.onMissing,
    remind: rule.remind,
    worse:
      rule.worse === null ? null : [ofCondition(rule.worse.comparison), ofDistance(rule.worse.by)],
    cooldownMs: rule.cooldownMs,
    once: rule.once,
    gates: rule.gates,
  });
}

function ownerText({ chainId, protocol, address }: Owner): string {
  return `${chainId}:${protocol}:${address}`;
}

function ofCondition(condition: Condition): unknown {
  switch (condition.op) {
    case "all":
    case "any":
      return { [condition.op]: condition.terms.map(ofCondition) };
    case "not":
      return { not: ofCondition(condition.term) };
    case "inside":
    case "outside": {
      const { op, metric, low, high } = condition;
      return { metric, [op]: [ofLimit(low), ofLimit(high)] };
    }
    case "rises":
    case "falls":
    case "moves": {
      const { op, metric, by, span } = condition;
      return { metric, [op]: ofDistance(by), span: ofSpan(span) };
    }
    case "unchanged":
    case "no_update_for":
      return { metric: condition.metric, [condition.op]: condition.ms };
    case "changes":
      return { metric: condition.metric, changes: true };
    default:
      return { metric: condition.metric, [condition.op]: ofLimit(condition.limit) };
  }
}

function ofLimit(limit: Limit): unknown {
  switch (limit.kind) {
    case "tokens":
      return { tokens: ofValue(limit.amount) };
    case "percentile": {
      const { percent, percentile, ms } = limit;
      return { percent: ofValue(percent), percentile: ofValue(percentile), ms };
    }
    case "reference": {
      const { kind, subject, metric, decimals } = limit.reference;
      return { percent: ofValue(limit.percent), kind, subject: subject.key, metric, decimals };
    }
    case "value":
      return ofValue(limit.value);
  }
}

function ofDistance(by: Distance): unknown {
  return by.kind === "percent" ? { percent: ofValue(by.percent) } : ofLimit(by.limit);
}

function ofSpan(span: Span): unknown {
  return span.kind === "since_last" ? "last" : { [span.kind]: span.ms };
}

/** Numbers as objects, so that the text "5" and the number 5 differ. */
function ofValue(value: Value): unknown {
  return value instanceof Decimal ? { number: value.toString() } : value;
}

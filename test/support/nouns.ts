import { type Decimal, parseDecimal } from "../../src/base/decimal.ts";
import { parseSchedule } from "../../src/base/schedule.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { Alert, AmountLimit, Distance, Rule, Value } from "../../src/model/index.ts";

/** An exact number from its text. */
export function exact(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === null) throw new Error(`not a number: ${text}`);
  return value;
}

export function limit(value: Value | string): AmountLimit {
  const parsed = typeof value === "string" ? (parseDecimal(value) ?? value) : value;
  return { kind: "value", value: parsed, text: String(value) };
}

/** `10%` or an amount. */
export function distance(text: string): Distance {
  return text.endsWith("%")
    ? { kind: "percent", percent: exact(text.slice(0, -1)), text }
    : { kind: "absolute", limit: limit(text), text };
}

/** A rule over one V4 pool every minute, with what a test wants otherwise. */
export function makeRule(given: Partial<Rule> = {}): Rule {
  return {
    name: "rule",
    place: { file: "rules.yaml", line: 1, column: 1 },
    kind: "v4_pool",
    words: KINDS.get(given.kind ?? "v4_pool")?.words ?? { subjects: "tokens" },
    subjects: [],
    when: { op: "above", metric: "tvl_usd", limit: limit("100") },
    event: false,
    across: null,
    decimals: new Map(),
    resolveWhen: null,
    forMs: 0,
    resolveAfterMs: 0,
    schedule: parseSchedule("1m", "UTC"),
    severity: "warning",
    labels: {},
    notify: ["console"],
    mutes: new Map(),
    title: null,
    note: null,
    sendResolved: true,
    missingAfterMs: 300_000,
    onMissing: "keep",
    remind: [],
    worse: null,
    cooldownMs: 0,
    once: false,
    gates: null,
    flapping: { moreThan: 5, withinMs: 3_600_000 },
    maxAgeMs: 7_200_000,
    minAgeMs: 300_000,
    bucket: "newest",
    metrics: ["tvl_usd"],
    source: "rule",
    ...given,
  };
}

/** An alert that has started and is quiet. */
export function makeAlert(given: Partial<Alert> = {}): Alert {
  return {
    rule: "rule",
    subject: "v4_pool:1:0x1",
    createdAt: 0,
    started: true,
    state: "ok",
    since: 0,
    heldAt: null,
    firedAt: null,
    firedBucket: null,
    missing: null,
    lastNotified: { state: "ok", value: null, channels: [] },
    seen: null,
    label: "pool",
    life: null,
    ...given,
  };
}

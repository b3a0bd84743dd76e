import { type Decimal, parseDecimal } from "../../src/base/decimal.ts";
import { parseSchedule } from "../../src/base/schedule.ts";
import type { AlertEvent } from "../../src/decide/event.ts";
import type { Evidence } from "../../src/decide/verdict.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { Description } from "../../src/kinds/kind.ts";
import type {
  Alert,
  AmountLimit,
  ChangeComparison,
  Comparison,
  Condition,
  Distance,
  Quantity,
  RangeFacts,
  Rule,
  Subject,
  Value,
} from "../../src/model/index.ts";

/** Events as the engine makes them, for the tests of what is told. */

export const AT = Date.UTC(2026, 10, 27, 15, 6);
const MINUTE = 60_000;

export function d(text: string): Decimal {
  const value = parseDecimal(text.replaceAll("_", ""));
  if (value === null) throw new Error(`no number: ${text}`);
  return value;
}

export function limit(value: Value, text = String(value)): AmountLimit {
  return { kind: "value", value, text };
}

export function compares(
  op: "above" | "below" | "at_least" | "at_most" | "equals" | "not_equals",
  metric: string,
  value: Value,
  text?: string,
): Comparison {
  return { op, metric, limit: limit(value, text) };
}

export function changes(
  op: ChangeComparison["op"],
  metric: string,
  by: Distance,
  ms = 60 * MINUTE,
): ChangeComparison {
  return { op, metric, by, span: { kind: "within", ms, text: "1h" } };
}

export function ruleOf(when: Condition, more: Partial<Rule> = {}): Rule {
  return {
    name: "my-rule",
    place: { file: "rules/my.yaml", line: 1, column: 1 },
    kind: "v4_pool",
    words: KINDS.get(more.kind ?? "v4_pool")?.words ?? { subjects: "tokens" },
    subjects: [],
    across: null,
    decimals: new Map(),
    mutes: new Map(),
    event: false,
    when,
    resolveWhen: null,
    forMs: 0,
    resolveAfterMs: 0,
    schedule: parseSchedule("1m", "UTC"),
    severity: "warning",
    labels: {},
    notify: ["console"],
    title: null,
    note: null,
    sendResolved: true,
    onMissing: "keep",
    remind: [],
    worse: null,
    cooldownMs: 0,
    once: false,
    gates: null,
    flapping: { moreThan: 5, withinMs: 60 * MINUTE },
    missingAfterMs: 5 * MINUTE,
    maxAgeMs: 120 * MINUTE,
    minAgeMs: 5 * MINUTE,
    bucket: "newest",
    metrics: [],
    source: "",
    ...more,
  };
}

export function subjectOf(name: string | null = null): Subject {
  return { key: "v4_pool:1:0x21c6", kind: "v4_pool", chainId: 1, ids: { pool: "0x21c6" }, name };
}

export function alertOf(more: Partial<Alert> = {}): Alert {
  return {
    rule: "my-rule",
    subject: "v4_pool:1:0x21c6",
    createdAt: 0,
    started: true,
    state: "ok",
    since: AT,
    heldAt: null,
    firedAt: null,
    firedBucket: null,
    missing: null,
    lastNotified: { state: "ok", value: null, channels: [] },
    label: null,
    seen: null,
    life: null,
    ...more,
  };
}

export function described(label: string, more: Partial<Description> = {}): Description {
  return { label, chain: "Ethereum", link: null, range: null, unit: () => "", ...more };
}

export function evidenceOf(
  comparison: Comparison,
  quantity: Quantity,
  label: string,
  value: Value,
  more: Partial<Evidence> = {},
): Evidence {
  const metric = { name: comparison.metric, quantity, label };
  return { comparison, metric, value, limits: [], base: null, baseAt: null, ...more };
}

export function eventOf(
  kind: AlertEvent["kind"],
  evidence: Evidence | null,
  more: Partial<AlertEvent> = {},
): AlertEvent {
  const fired = alertOf({ state: "firing", firedAt: AT - 192 * MINUTE });
  return {
    kind,
    rule: ruleOf(evidence?.comparison ?? compares("above", "tvl_usd", d("1"))),
    subject: subjectOf(),
    at: AT,
    before: kind === "fired" ? alertOf() : fired,
    after: kind === "fired" ? alertOf({ state: "firing", firedAt: AT }) : alertOf(),
    evidence,
    also: [],
    bucket: null,
    description: described("ETH/USDC 0.05%"),
    decimals: () => null,
    closed: false,
    trouble: null,
    ...more,
  };
}

export const RANGE: RangeFacts = {
  lower: "2,050",
  upper: "2,250",
  price: "2,310",
  unit: "USDC per ETH",
  inverted: false,
  lowerTick: -200_060,
  upperTick: -199_130,
  tick: -198_870,
};

import { Decimal, decimalFromInteger } from "../base/decimal.ts";
import { MINUTE } from "../base/duration.ts";
import { parseSchedule } from "../base/schedule.ts";
import type { AlertEvent } from "../decide/event.ts";
import type { Evidence } from "../decide/verdict.ts";
import type { Description } from "../kinds/kind.ts";
import type {
  Alert,
  Condition,
  Limit,
  NOTICE_KINDS,
  Notice,
  RangeFacts,
  Rule,
} from "../model/index.ts";
import { composeAlert, composeRemoved } from "../notices/notice.ts";
import { composeReport } from "../notices/report.ts";
import { composeSelf } from "../notices/self-notice.ts";
import { composeBaseline, composeSource } from "../notices/source-notice.ts";
import { composeStarted } from "../notices/started.ts";

/** The kinds that a sample can be sent of: all of them, in the order of an alert's life. */
export type SampleKind = (typeof NOTICE_KINDS)[number];

const TITLE = "This is a test: nothing has happened.";
const NAME = "TEST ETH/USDC";
const KEY = "test:1:0";

/** A notice of the kind as the engine would word it at `at`, of made-up facts, marked as a test. */
export function sampleNotice(kind: SampleKind, at: number): Notice {
  switch (kind) {
    case "started": {
      const counts = { firing: 1, quiet: 11, unknown: 0, withoutData: 0, unasked: 0 };
      const lists = {
        fresh: [RULE],
        changed: [],
        withoutData: { subjects: 0, names: [] },
        about: [],
      };
      return { ...composeStarted({ at, rules: 3, subjects: 12, counts, ...lists }), title: TITLE };
    }
    case "fired":
      return composeAlert(rangeEvent(kind, at, OUTSIDE), PRICES);
    case "worse":
    case "reminder":
    case "flapping":
    case "steady": {
      const event = rangeEvent("fired", at, OUTSIDE);
      return composeAlert(
        { ...event, kind, after: alertOf("firing", at, at - 192 * MINUTE) },
        PRICES,
      );
    }
    case "resolved":
      return composeAlert(rangeEvent(kind, at, INSIDE), PRICES.toReversed());
    case "changed":
      return composeAlert(crossing(at), PRICES);
    case "no_data":
    case "data_back":
      return composeAlert(ofData(kind, at), []);
    case "rule_removed": {
      const about = { rule: RULE, subject: KEY, label: NAME, at, severity: "warning" } as const;
      return { ...composeRemoved({ was: "firing", ...about }), title: TITLE };
    }
    case "baseline": {
      const { subject } = rangeEvent("fired", at, OUTSIDE);
      const rebased = { subject, label: NAME, at, since: at - 5 * MINUTE };
      return { ...composeBaseline(rebased), title: TITLE };
    }
    case "self": {
      const event = { about: "channel_parked", channel: "TEST", reason: "HTTP 404" } as const;
      return { ...composeSelf(event, at), title: TITLE };
    }
    case "report":
      return sampleReport(at);
    case "source_down":
    case "source_up": {
      const since = at - 15 * MINUTE;
      const scope = { record: "v4_pool", chainId: null } as const;
      const facts = { kind, scope, subject: "test", keyRefused: false, at, since };
      // A receiver that keeps alerts must not close a real one with it.
      const sample = composeSource({
        ...facts,
        rules: 3,
        alerts: 14,
        detail: "timed out after 10 s",
      });
      return { ...sample, title: TITLE };
    }
  }
}

/** Two rules, one of them with a picture of made-up values. */
function sampleReport(at: number): Notice {
  const sentence = "Out of range: TEST ETH/USDC. 2,310.27 > 2,249.96 USDC/ETH";
  const report = composeReport({
    name: "TEST",
    at,
    due: at,
    alerts: 13,
    firing: 1,
    withoutData: 0,
    watched: "13 alerts, last round 12 s ago",
    lines: [
      {
        rule: RULE,
        text: `🟠 1 of 12 firing for 3 h 12 min: ${sentence}`,
        calm: false,
        picture: {
          values: [],
          limits: [],
          range: OUTSIDE,
          firing: "warning",
          alt: "price 2,310.27 USDC per ETH, range 2,050.11 to 2,249.96",
        },
      },
      {
        rule: "TEST price",
        text: "🟢 ok: TEST ETH/USDC: price 2,310.27 USDC per ETH, 89.73 left",
        calm: true,
        picture: {
          values: PRICES,
          limits: ["2400"],
          range: null,
          firing: null,
          alt: "the last 24 hours: now 2,310.27 USDC per ETH, limit 2,400 USDC per ETH",
        },
      },
    ],
  });
  return { ...report, title: TITLE };
}

const RULE = "send-test";
const PRICES = ["2086.04", "2101.5", "2120", "2164.2", "2199.9", "2252.75", "2310.27"];

const INSIDE: RangeFacts = {
  lower: "2,050.11",
  upper: "2,249.96",
  price: "2,231.4",
  unit: "USDC per ETH",
  inverted: false,
  lowerTick: -200_060,
  upperTick: -199_130,
  tick: -199_213,
};

const OUTSIDE: RangeFacts = { ...INSIDE, price: "2,310.27", tick: -198_866 };

const OUT: Limit = { kind: "value", value: false, text: "false" };
const OUT_OF_RANGE: Condition = { op: "equals", metric: "in_range", limit: OUT };

function inRange(value: boolean): Evidence {
  return {
    comparison: { op: "equals", metric: "in_range", limit: OUT },
    metric: { name: "in_range", quantity: "boolean", label: "in range", range: true },
    value,
    limits: [false],
    base: null,
    baseAt: null,
  };
}

function rangeEvent(kind: "fired" | "resolved", at: number, range: RangeFacts): AlertEvent {
  const evidence = inRange(kind === "resolved");
  return { ...eventOf(kind, at, OUT_OF_RANGE, evidence), description: described(range) };
}

function crossing(at: number): AlertEvent {
  const limit = decimalFromInteger(2_250);
  const comparison = {
    op: "crosses",
    metric: "price",
    limit: { kind: "value", value: limit, text: "2250" },
  } as const;
  return eventOf("changed", at, comparison, {
    comparison,
    metric: { name: "price", quantity: "price", label: "price" },
    value: new Decimal(231_027n, 2),
    limits: [limit],
    base: new Decimal(224_996n, 2),
    baseAt: null,
  });
}

function ofData(kind: "no_data" | "data_back", at: number): AlertEvent {
  const missing = { since: at - 15 * MINUTE, rounds: 15, told: true };
  const event = eventOf(kind, at, OUT_OF_RANGE, kind === "no_data" ? null : inRange(true));
  const alert = { ...event.after, missing };
  return kind === "no_data"
    ? { ...event, after: alert, description: null, trouble: "made up: no answer in 10 s" }
    : { ...event, before: alert };
}

function eventOf(
  kind: AlertEvent["kind"],
  at: number,
  when: Condition,
  evidence: Evidence | null,
): AlertEvent {
  const ok = alertOf("ok", at, null);
  return {
    kind,
    rule: ruleOf(when, kind === "changed"),
    subject: { key: KEY, kind: "v4_position", chainId: 1, ids: {}, name: NAME },
    at,
    before: kind === "resolved" ? alertOf("firing", at, at - 192 * MINUTE) : ok,
    after: kind === "fired" ? alertOf("firing", at, at) : ok,
    evidence,
    also: [],
    bucket: null,
    description: described(null),
    decimals: () => null,
    closed: false,
    trouble: null,
  };
}

function described(range: RangeFacts | null): Description {
  const unit = (metric: string): string => (metric === "price" ? "USDC per ETH" : "");
  return { label: NAME, chain: "Ethereum", link: "https://etherscan.io/", range, unit };
}

function alertOf(state: Alert["state"], at: number, firedAt: number | null): Alert {
  return {
    rule: RULE,
    subject: KEY,
    createdAt: at - 240 * MINUTE,
    started: true,
    state,
    since: firedAt ?? at,
    heldAt: null,
    firedAt,
    firedBucket: null,
    missing: null,
    lastNotified: { state: firedAt === null ? "ok" : "firing", value: null, channels: [] },
    label: NAME,
    seen: null,
    life: null,
  };
}

function ruleOf(when: Condition, event: boolean): Rule {
  return {
    name: RULE,
    place: { file: "send-test", line: 1, column: 1 },
    kind: "v4_position",
    words: { subjects: "positions" },
    subjects: [],
    across: null,
    decimals: new Map(),
    when,
    event,
    resolveWhen: null,
    forMs: 0,
    resolveAfterMs: 0,
    schedule: parseSchedule("1m", "UTC"),
    severity: "warning",
    labels: {},
    notify: [],
    mutes: new Map(),
    title: TITLE,
    note: null,
    sendResolved: true,
    onMissing: "keep",
    remind: [],
    worse: null,
    cooldownMs: 0,
    once: false,
    gates: null,
    flapping: { moreThan: 5, withinMs: 60 * MINUTE },
    bucket: "newest",
    missingAfterMs: 5 * MINUTE,
    maxAgeMs: 120 * MINUTE,
    minAgeMs: 5 * MINUTE,
    metrics: [],
    source: "",
  };
}

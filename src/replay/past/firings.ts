import { compare, Decimal, valueToText } from "../../base/decimal.ts";
import type { Decided } from "../../decide/decide-alert.ts";
import { TRUE } from "../../decide/evaluation-context.ts";
import type { AlertEvent } from "../../decide/event.ts";
import { isFiring } from "../../decide/notification-state.ts";
import type { AddressedNotice, Comparison, Notice, Rule, Value } from "../../model/index.ts";
import type { AlertMemory } from "../../poll/memory.ts";
import type { DecidedWork } from "../../poll/plan.ts";

/** One firing of an alert, or one event. Dates are those of rounds. */
export interface Firing {
  readonly rule: string;
  /** The subject's key. */
  readonly subject: string;
  label: string | null;
  readonly start: number;
  /** Null: it still fires at the end, or it is an event. */
  end: number | null;
  readonly event: boolean;
  /** The value that spoke when it began, exact; null: it fired for want of data. */
  readonly first: string | null;
  /** The furthest that the value went, exact; null: it is no number. */
  extreme: string | null;
  readonly metric: string | null;
  /** What people would have been told of it, in its order; none: everything was held back. */
  readonly notices: Notice[];
}

/** How a rule did on one subject. */
export interface AlertStory {
  readonly rule: string;
  readonly subject: string;
  label: string | null;
  /** Rounds in which it was decided, and those of them in which the condition was known. */
  rounds: number;
  known: number;
  /** Date of the first and the last of them. */
  first: number;
  last: number;
  readonly firings: Firing[];
  /** Notices by kind, those that are held back left out. */
  readonly told: Map<string, number>;
}

/** A firing that goes on, with the way in which its value is the worse. */
interface OpenFiring {
  readonly firing: Firing;
  low: Decimal | null;
  high: Decimal | null;
  readonly op: Comparison["op"] | null;
}

/** An alert of the replay with its story, and the firing that goes on; null: it does not fire. */
interface Followed {
  readonly story: AlertStory;
  open: OpenFiring | null;
}

/** Collects what became of the alerts of a replay. */
export class Stories {
  /** By rule and subject. */
  readonly #byAlert = new Map<string, Map<string, AlertStory>>();
  readonly #followed = new Map<AlertMemory, Followed>();
  /** Told in the round of which is heard next. */
  #told: Notice[] = [];

  /** `silent`: notices are not composed, and what would be told is counted by its events. */
  constructor(private readonly silent = false) {}

  /** In the order in which they were decided first. */
  get all(): readonly AlertStory[] {
    this.#attach();
    return [...this.#byAlert.values()].flatMap((ofRule) => [...ofRule.values()]);
  }

  /** What is told in a round, before or after what was decided in it. */
  told(notices: readonly AddressedNotice[]): void {
    for (const { notice } of notices) this.#told.push(notice);
  }

  /** What a round decided, while the memory is as it was before. */
  decided(date: number, works: readonly DecidedWork[]): void {
    for (const { work, decision } of works) {
      for (let i = 0; i < decision.alerts.length; i += 1) {
        const memory = work.due[i];
        const decided = decision.alerts[i];
        if (memory === undefined || decided === undefined) continue;
        const followed = this.#followedOf(memory, date);
        const { story, open } = followed;
        story.rounds += 1;
        story.last = date;
        if (decided.truth <= TRUE) story.known += 1;
        if (this.silent && memory.watched.rule.notify.length > 0)
          countEvents(story, decided.events);
        if (open === null && decided.events.length === 0 && !isFiring(decided.alert.state)) {
          continue;
        }
        this.#follow(followed, memory.watched.rule.event, decided, date);
      }
    }
    if (this.#told.length > 0) this.#attach();
  }

  #followedOf(alert: AlertMemory, date: number): Followed {
    let followed = this.#followed.get(alert);
    if (followed === undefined) {
      followed = { story: this.#storyOf(alert, date), open: null };
      this.#followed.set(alert, followed);
    }
    return followed;
  }

  #storyOf({ watched: { rule }, subject }: AlertMemory, date: number): AlertStory {
    let ofRule = this.#byAlert.get(rule.name);
    if (ofRule === undefined) {
      ofRule = new Map();
      this.#byAlert.set(rule.name, ofRule);
    }
    let story = ofRule.get(subject.key);
    if (story === undefined) {
      const found = {
        rule: rule.name,
        subject: subject.key,
        label: subject.name,
        rounds: 0,
        known: 0,
      };
      story = { ...found, first: date, last: date, firings: [], told: new Map() };
      ofRule.set(subject.key, story);
    }
    return story;
  }

  #follow(
    followed: Followed,
    isEvent: boolean,
    { alert, events, verdict }: Decided,
    date: number,
  ): void {
    const { story, open } = followed;
    story.label = alert.label ?? story.label;
    if (isEvent) {
      for (const event of events)
        if (event.kind === "changed") story.firings.push(eventOf(story, event));
      return;
    }
    const fires = isFiring(alert.state);
    if (open === null) {
      if (!fires) return;
      const evidence = verdict.evidence();
      const value = evidence?.value ?? null;
      const firing: Firing = {
        rule: story.rule,
        subject: story.subject,
        label: story.label,
        start: date,
        end: null,
        event: false,
        first: valueToText(value),
        extreme: null,
        metric: evidence?.comparison.metric ?? onlyMetric(verdict.rule),
        notices: [],
      };
      story.firings.push(firing);
      const op = evidence?.comparison.op ?? null;
      const begun: OpenFiring = { firing, low: null, high: null, op };
      followed.open = begun;
      stretch(begun, value);
      return;
    }
    if (fires) {
      // Of several terms another one may speak by now.
      const { metric } = open.firing;
      stretch(open, metric === null ? null : verdict.context.value(metric));
      return;
    }
    open.firing.end = date;
    followed.open = null;
  }

  /** Gives the notices of a round to the firings that they tell of. */
  #attach(): void {
    for (const notice of this.#told.splice(0)) {
      const story = this.#byAlert.get(notice.rule ?? "")?.get(notice.subject ?? "");
      if (story === undefined) continue;
      story.told.set(notice.kind, (story.told.get(notice.kind) ?? 0) + 1);
      if (OF_FIRINGS.has(notice.kind)) story.firings.at(-1)?.notices.push(notice);
    }
  }
}

/** What is told of a firing itself, and not of its data or of how often it comes. */
const OF_FIRINGS: ReadonlySet<Notice["kind"]> = new Set([
  "fired",
  "worse",
  "reminder",
  "resolved",
  "changed",
]);

function countEvents(story: AlertStory, events: readonly AlertEvent[]): void {
  for (const { kind } of events) story.told.set(kind, (story.told.get(kind) ?? 0) + 1);
}

function eventOf(story: AlertStory, { at, evidence }: AlertEvent): Firing {
  const value = evidence === null ? null : valueToText(evidence.value);
  return {
    rule: story.rule,
    subject: story.subject,
    label: story.label,
    start: at,
    end: null,
    event: true,
    first: value,
    extreme: value,
    metric: evidence?.comparison.metric ?? null,
    notices: [],
  };
}

/** What a rule compares, also while there is nothing of it; null: it compares several. */
function onlyMetric({ when }: Rule): string | null {
  return "metric" in when ? when.metric : null;
}

/** The furthest of a value: the highest where a rule says above, the lowest where it says below, else the last that was further than all before. */
function stretch(open: OpenFiring, value: Value | null): void {
  if (!(value instanceof Decimal)) return;
  const isHigher = open.high === null || compare(value, open.high) > 0;
  const isLower = open.low === null || compare(value, open.low) < 0;
  if (isHigher) open.high = value;
  if (isLower) open.low = value;
  const counts =
    open.op !== null && LOW.has(open.op)
      ? isLower
      : open.op !== null && HIGH.has(open.op)
        ? isHigher
        : isHigher || isLower;
  if (counts) open.firing.extreme = value.toString();
}

const LOW: ReadonlySet<Comparison["op"]> = new Set(["below", "at_most", "falls"]);
const HIGH: ReadonlySet<Comparison["op"]> = new Set(["above", "at_least", "rises"]);

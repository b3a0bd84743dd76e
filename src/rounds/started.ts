import { start } from "../engine/alert.ts";
import { descriptionOf } from "../engine/description.ts";
import { evaluate, UNKNOWN_WINDOW } from "../engine/evaluate.ts";
import type { Evidence, StartedEvent } from "../engine/event.ts";
import { findEvidence } from "../engine/evidence.ts";
import { measure } from "../engine/extent.ts";
import { viewOf } from "../engine/gates.ts";
import { valueToText } from "../engine/watched.ts";
import { composeStarted } from "../engine/words/notice.ts";
import { subjectName } from "../engine/words/wording.ts";
import { worstAfter } from "../engine/worse.ts";
import {
  type Alert,
  type Ask,
  type Change,
  NO_CHANGE,
  type Notice,
  type Rule,
  type RuleState,
  type Worst,
} from "../model.ts";
import type { Description } from "../watches/watch.ts";
import { isPriming } from "./histories.ts";
import type { AlertMemory, RuleMemory } from "./memory.ts";
import type { Telling } from "./notices.ts";
import type { DecidedWork } from "./ready.ts";
import { Turns } from "./turns.ts";

/** So many subjects are described with their values in a `started` notice. */
const MOST_PREVIEWS = 20;

/** Whether the source of a record is down, as its rule sees it. */
type IsDown = (record: Ask["record"], rule: Rule) => boolean;

/** What a round read of an alert that has not started yet. */
interface Preview {
  readonly evidence: Evidence | null;
  readonly description: Description | null;
  decimals(metric: string): number | null;
}

/**
 * The start of a rule: one notice says what it watches, in the first round in which every subject
 * had a value, at the latest after `missing_after`; what is true by then fires, told by it.
 */
export class Starts {
  readonly #previews = new Map<AlertMemory, Preview>();
  /** Those whose condition is not known for lack of a past that is still being asked for. */
  readonly #priming = new Set<AlertMemory>();
  /** How far the values have gone that the start is going to tell of. */
  readonly #worst = new Map<AlertMemory, Worst>();

  /** Keeps what is needed to tell of alerts that have not started. */
  look({ work, reading, decision }: DecidedWork): void {
    for (let i = 0; i < decision.alerts.length; i += 1) {
      const memory = work.due[i];
      const decided = decision.alerts[i];
      if (memory === undefined || decided === undefined || decided.alert.started) continue;
      const { alert, scene } = decided;
      const gone = alert.state === "pending" ? measure(memory.watched.rule, scene) : null;
      if (gone !== null) this.#worst.set(memory, worstAfter(null, gone));
      const { when } = memory.watched.rule;
      if (isPriming(work.subject, when) && evaluate(when, scene) === UNKNOWN_WINDOW) {
        this.#priming.add(memory);
      }
      if (this.#previews.size >= MOST_PREVIEWS) continue;
      this.#previews.set(memory, {
        evidence: findEvidence(memory.watched.rule.when, scene),
        description: descriptionOf(reading, memory.subject.name),
        decimals: (metric) => scene.decimals(metric),
      });
    }
  }

  /**
   * The rules that start at the end of a round. Gives the event loop a turn every few milliseconds:
   * nothing else may be committed meanwhile.
   */
  async begin(rules: readonly RuleMemory[], date: number, isDown: IsDown): Promise<StartedRule[]> {
    const started: StartedRule[] = [];
    const turns = new Turns();
    for (const rule of rules) {
      if (rule.started) continue;
      rule.started = rule.alerts.every(({ alert }) => alert?.started === true);
      const one = rule.started ? null : await this.#begin(rule, date, isDown, turns);
      if (one !== null) started.push(one);
    }
    return started;
  }

  /** What the start of a rule changes; null: it must wait. */
  async #begin(
    memory: RuleMemory,
    date: number,
    isDown: IsDown,
    turns: Turns,
  ): Promise<StartedRule | null> {
    const { rule } = memory;
    const alerts: { memory: AlertMemory; old: Alert }[] = [];
    let complete = true;
    let overdue = false;
    for (const one of memory.alerts) {
      const old = one.alert;
      if (old?.started === true) continue;
      // An alert that could not even be decided is waited for like one without a value.
      complete &&= old !== null && old.missing === null;
      if (old === null) continue;
      overdue ||= date - old.createdAt >= rule.missingAfterMs;
      alerts.push({ memory: one, old });
      if (turns.isDue) await turns.give();
    }
    if (!complete && !overdue) return null;
    const bucketed = memory.kind.bucketMs !== null;
    const next: Begun[] = [];
    for (const { memory: one, old } of alerts) {
      if (turns.isDue) await turns.give();
      const value = valueToText(this.#previews.get(one)?.evidence?.value ?? null);
      const worst = this.#worst.get(one) ?? null;
      const record = one.unanswered?.record;
      const sourceDown = record !== undefined && isDown(record, rule);
      const open = isOpen(one, date);
      const beginning = { date, value, worst, bucketed, sourceDown, open };
      next.push({ memory: one, old, alert: start(rule, old, beginning) });
    }
    const tellings: Telling[] = [];
    if (rule.notify.length > 0) {
      if (turns.isDue) await turns.give();
      const notice = composed(this.#event(rule, date, next));
      tellings.push({ notice, channels: rule.notify });
    }
    return { memory, state: { ...memory.state, startedAt: date }, alerts: next, tellings };
  }

  #stateOf(memory: AlertMemory, old: Alert, at: number): boolean | "priming" | "no data" {
    if (old.missing !== null) return "no data";
    if (this.#priming.has(memory)) return "priming";
    return old.state === "pending" && isOpen(memory, at);
  }

  #event(rule: RuleMemory["rule"], at: number, alerts: readonly Begun[]): StartedEvent {
    return {
      rule,
      at,
      subjects: alerts.map(({ memory, old, alert }) => {
        const preview = this.#previews.get(memory);
        return {
          subject: memory.subject,
          label: subjectName(memory.subject, null, old.label),
          state: this.#stateOf(memory, old, at),
          blind: alert.missing?.told === true,
          evidence: preview?.evidence ?? null,
          description: preview?.description ?? null,
          decimals: (metric: string) => preview?.decimals(metric) ?? null,
        };
      }),
    };
  }
}

/** An alert as it was, and as the start leaves it. */
interface Begun {
  readonly memory: AlertMemory;
  readonly old: Alert;
  readonly alert: Alert;
}

/** Whether its gates let an alert fire, by what has been committed. */
function isOpen({ gates }: AlertMemory, date: number): boolean {
  return viewOf(gates, date, ({ alert }) => alert).closedBy === null;
}

/** A subject that cannot be described must not keep its rule from being watched. */
function composed(event: StartedEvent): Notice {
  try {
    return composeStarted(event);
  } catch {
    const bare = { evidence: null, description: null, decimals: () => null };
    return composeStarted({ ...event, subjects: event.subjects.map((s) => ({ ...s, ...bare })) });
  }
}

/** A rule that has just told that it watches. */
export interface StartedRule {
  readonly memory: RuleMemory;
  readonly state: RuleState;
  readonly alerts: readonly { readonly memory: AlertMemory; readonly alert: Alert }[];
  readonly tellings: readonly Telling[];
}

/** Only what fires or lacks data differs from what the rule's own start date says on loading. */
export function changeOfStarts(started: readonly StartedRule[]): Change {
  const alerts: Alert[] = [];
  for (const one of started) {
    for (const { alert } of one.alerts) {
      if (alert.state === "firing" || alert.missing !== null) alerts.push(alert);
    }
  }
  return {
    ...NO_CHANGE,
    alerts,
    rules: started.map(({ state }) => state),
    notices: started.flatMap(({ tellings }) => tellings),
  };
}

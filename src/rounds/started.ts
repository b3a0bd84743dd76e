import { setImmediate as breathe } from "node:timers/promises";
import { start } from "../engine/alert.ts";
import { descriptionOf } from "../engine/description.ts";
import { evaluate, UNKNOWN_WINDOW } from "../engine/evaluate.ts";
import type { Evidence, StartedEvent } from "../engine/event.ts";
import { findEvidence } from "../engine/evidence.ts";
import { viewOf } from "../engine/gates.ts";
import { valueToText } from "../engine/watched.ts";
import { composeStarted } from "../engine/words/notice.ts";
import { subjectName } from "../engine/words/wording.ts";
import { measure, worstAfter } from "../engine/worse.ts";
import {
  type Alert,
  type Ask,
  type Change,
  NO_CHANGE,
  type Notice,
  type Rule,
  type Worst,
} from "../model.ts";
import type { Description } from "../watches/watch.ts";
import { isPriming } from "./histories.ts";
import type { AlertMemory, RuleMemory } from "./memory.ts";
import type { Telling } from "./notices.ts";
import type { DecidedWork } from "./ready.ts";

/** So many subjects are described with their values in a `started` notice. */
const MOST_PREVIEWS = 20;

/** Alerts that are started without a pause. */
const STRIDE = 10_000;

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
  #begun = 0;

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
        description: descriptionOf(reading),
        decimals: (metric) => scene.decimals(metric),
      });
    }
  }

  /**
   * What a rule's start at the end of a round changes; null: it has started, or must wait. Gives the
   * event loop a turn every few milliseconds: nothing else may be committed meanwhile.
   */
  async begin(
    memory: RuleMemory,
    date: number,
    isDown: (record: Ask["record"], rule: Rule) => boolean,
  ): Promise<StartedRule | null> {
    const waiting = memory.alerts.filter(({ alert }) => alert?.started !== true);
    if (waiting.length === 0) return null;
    const { rule } = memory;
    const alerts: { memory: AlertMemory; old: Alert }[] = [];
    for (const one of waiting) {
      if (one.alert !== null) alerts.push({ memory: one, old: one.alert });
    }
    // An alert that could not even be decided is waited for like one without a value.
    const complete =
      alerts.length === waiting.length && alerts.every(({ old }) => old.missing === null);
    const overdue = alerts.some(({ old }) => date - old.createdAt >= rule.missingAfterMs);
    if (!complete && !overdue) return null;
    const bucketed = memory.kind.bucketMs !== null;
    const next: { memory: AlertMemory; alert: Alert }[] = [];
    for (const { memory: one, old } of alerts) {
      this.#begun += 1;
      if (this.#begun % STRIDE === 0) await breathe();
      const value = valueToText(this.#previews.get(one)?.evidence?.value ?? null);
      const worst = this.#worst.get(one) ?? null;
      const record = one.unanswered?.record;
      const sourceDown = record !== undefined && isDown(record, rule);
      const open = isOpen(one, date);
      const beginning = { date, value, worst, bucketed, sourceDown, open };
      next.push({ memory: one, alert: start(rule, old, beginning) });
    }
    const tellings: Telling[] = [];
    if (rule.notify.length > 0) {
      if (alerts.length >= STRIDE) await breathe();
      const notice = composed(this.#event(rule, date, alerts));
      tellings.push({ notice, channels: rule.notify });
    }
    return { memory, date, alerts: next, tellings };
  }

  #stateOf(memory: AlertMemory, old: Alert, at: number): boolean | "priming" | "no data" {
    if (old.missing !== null) return "no data";
    if (this.#priming.has(memory)) return "priming";
    return old.state === "pending" && isOpen(memory, at);
  }

  #event(
    rule: RuleMemory["rule"],
    at: number,
    alerts: readonly { memory: AlertMemory; old: Alert }[],
  ): StartedEvent {
    return {
      rule,
      at,
      subjects: alerts.map(({ memory, old }) => {
        const preview = this.#previews.get(memory);
        return {
          subject: memory.subject,
          label: subjectName(memory.subject, null, old.label),
          state: this.#stateOf(memory, old, at),
          evidence: preview?.evidence ?? null,
          description: preview?.description ?? null,
          decimals: (metric: string) => preview?.decimals(metric) ?? null,
        };
      }),
    };
  }
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
  readonly date: number;
  readonly alerts: readonly { readonly memory: AlertMemory; readonly alert: Alert }[];
  readonly tellings: readonly Telling[];
}

/** Only what fires or lacks data differs from what the rule's own start date says on loading. */
export function changeOfStart(started: StartedRule): Change {
  const alerts = started.alerts
    .map(({ alert }) => alert)
    .filter(({ state, missing }) => state === "firing" || missing !== null);
  return { ...NO_CHANGE, alerts, notices: started.tellings };
}

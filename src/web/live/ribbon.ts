import { DAY, MINUTE } from "../../base/duration.ts";
import type { AlertState, Severity } from "../../model/index.ts";
import type { StateSince } from "../../store/operator-db/history.ts";
import type { Counts, Ribbon } from "../api/schemas/overview.ts";

const STEP_MS = 15 * MINUTE;
const STEPS = DAY / STEP_MS;

type BySeverity = Counts["firing_by"];

/**
 * How many alerts fired at once in each quarter of an hour of the last day: what was written down when the
 * daemon started, and from then on what each snapshot counted.
 */
export class FiringRibbon {
  /** By the start of its step. */
  readonly #steps = new Map<number, BySeverity>();
  #begun = false;

  get isBegun(): boolean {
    return this.#begun;
  }

  /** `changes`: those of the last day, oldest first; `severityOf`: null for rules that are gone. */
  begin(
    changes: readonly StateSince[],
    severityOf: (rule: string) => Severity | null,
    firing: BySeverity,
    now: number,
  ): void {
    this.#begun = true;
    // Backwards from what fires now: what an alert is not any more it was before.
    const counts = { ...firing };
    let step = stepOf(now);
    this.#most(step, counts);
    const from = step - (STEPS - 1) * STEP_MS;
    for (let at = changes.length - 1; at >= 0; at -= 1) {
      const change = changes[at];
      if (change === undefined || change.at < from) break;
      const severity = severityOf(change.rule);
      const difference = Number(isOn(change.before)) - Number(isOn(change.state));
      if (severity === null || difference === 0) continue;
      for (; step > stepOf(change.at); step -= STEP_MS) this.#most(step - STEP_MS, counts);
      counts[severity] = Math.max(0, counts[severity] + difference);
      this.#most(step, counts);
    }
    for (; step > from; step -= STEP_MS) this.#most(step - STEP_MS, counts);
  }

  /** What fires now. */
  count(firing: BySeverity, now: number): void {
    this.#most(stepOf(now), firing);
    for (const step of this.#steps.keys())
      if (step <= now - DAY - STEP_MS) this.#steps.delete(step);
  }

  view(now: number): Ribbon {
    const from = stepOf(now) - (STEPS - 1) * STEP_MS;
    return {
      from: new Date(from).toISOString(),
      step_ms: STEP_MS,
      steps: Array.from({ length: STEPS }, (_, i) => this.#steps.get(from + i * STEP_MS) ?? null),
    };
  }

  #most(step: number, { critical, warning, info }: BySeverity): void {
    const known = this.#steps.get(step) ?? { critical: 0, warning: 0, info: 0 };
    this.#steps.set(step, {
      critical: Math.max(known.critical, critical),
      warning: Math.max(known.warning, warning),
      info: Math.max(known.info, info),
    });
  }
}

function stepOf(at: number): number {
  return Math.floor(at / STEP_MS) * STEP_MS;
}

function isOn(state: AlertState | null): boolean {
  return state === "firing";
}

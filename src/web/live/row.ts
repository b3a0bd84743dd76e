import { canBeAcked, isAcked } from "../../decide/notification-state.ts";
import type { Severity } from "../../model/index.ts";
import type { AlertMemory } from "../../poll/memory.ts";
import { ratioOf } from "./compared.ts";
import type { Seen } from "./seen.ts";

/** In which of the overview's lists an alert stands; each is in one. */
export type Place = "firing" | "held_back" | "no_data" | "waiting" | "ok";

const PLACES: readonly Place[] = ["firing", "held_back", "no_data", "waiting", "ok"];
const SEVERITIES: readonly Severity[] = ["critical", "warning", "info"];
/** After every date. */
const LATEST = 2 ** 43;

/** One alert with what the newest round saw of it. */
export class Row {
  /** Null: nothing was read of it since the daemon started. */
  seen: Seen | null = null;
  place: Place = "ok";
  #words: string | null = null;
  #ratio: number | null | undefined;

  /** `rule`: the place of its rule; `index`: its own among all alerts. */
  constructor(
    readonly memory: AlertMemory,
    readonly rule: number,
    readonly index: number,
  ) {}

  see(seen: Seen): void {
    this.seen = seen;
    this.#ratio = undefined;
    this.#words = null;
  }

  /** How near it is to its limit, 1 at the limit; null: that means nothing. */
  get ratio(): number | null {
    if (this.#ratio === undefined) {
      const evidence = this.seen?.evidence ?? null;
      this.#ratio = this.seen === null || evidence === null ? null : ratioOf(evidence, this.seen);
    }
    return this.#ratio;
  }

  /** What a search looks into, in small letters. */
  get words(): string {
    if (this.#words === null) {
      const { alert, subject, watched } = this.memory;
      const label = alert?.label ?? "";
      this.#words =
        `${watched.rule.name}\n${subject.name ?? ""}\n${label}\n${subject.key}`.toLowerCase();
    }
    return this.#words;
  }

  /** Smaller is more urgent: by list, severity, whether somebody looks after it, the newest first. */
  get urgency(): number {
    const { alert, watched } = this.memory;
    const place = PLACES.indexOf(this.place);
    const severity = SEVERITIES.indexOf(watched.rule.severity);
    const acked = alert !== null && isAcked(alert) ? 1 : 0;
    const since = alert?.firedAt ?? alert?.since ?? 0;
    return ((place * 3 + severity) * 2 + acked) * LATEST + (LATEST - 1 - since);
  }

  get canAck(): boolean {
    const { alert, watched } = this.memory;
    if (alert === null || watched.rule.event) return false;
    return canBeAcked(alert.state, alert.lastNotified.state);
  }
}

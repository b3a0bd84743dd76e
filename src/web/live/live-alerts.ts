import type { Clock } from "../../base/clock.ts";
import { MINUTE, SECOND } from "../../base/duration.ts";
import type { Silence } from "../../model/index.ts";
import type { AlertMemory, Memory } from "../../poll/memory.ts";
import type { DecidedWork } from "../../poll/plan.ts";
import { Row } from "./row.ts";
import { type Seen, seenOf } from "./seen.ts";
import { type Snapshot, snapshotOf } from "./snapshot.ts";

/** However much happens, how all alerts stand is found out at most so often. */
const AT_MOST_EVERY_MS = SECOND;
/** What somebody looked at is seen whole for so long. */
const WATCHED_MS = 10 * MINUTE;
const MOST_WATCHED = 2_000;
/** Of alerts that are not ok so many are seen whole before anybody looks: most likely somebody will. */
const MOST_AWAITED = 500;

export interface LiveAlertsParts {
  readonly memory: () => Memory;
  /** The daemon's own clock. */
  readonly clock: Clock;
  /** Those in force. */
  readonly silences: () => readonly Silence[];
}

/**
 * The state of all alerts for whoever looks, made as rounds are decided and not when it is asked for:
 * each decision leaves what it saw, and everything else is what the rounds keep anyway.
 */
export class LiveAlerts {
  #memory: Memory | null = null;
  #rows: Row[] = [];
  #byAlert = new Map<AlertMemory, Row>();
  /** Until when, in elapsed time, somebody looks at an alert. */
  readonly #watched = new Map<AlertMemory, number>();
  #version = 1;
  #snapshot: Snapshot | null = null;
  #madeAt = Number.NEGATIVE_INFINITY;
  readonly #changed = new Set<AlertMemory>();
  #onChange: (acted: boolean) => void = () => {};

  constructor(private readonly parts: LiveAlertsParts) {}

  /** Goes up with whatever changes. */
  get version(): number {
    return this.#version;
  }

  /** Calls back after each change, with whether somebody acted; it may come often. */
  set onChange(listener: (acted: boolean) => void) {
    this.#onChange = listener;
  }

  /** A slice of a round is committed, and the memory is still as it was judged. */
  see(decided: readonly DecidedWork[]): void {
    this.#follow();
    const now = this.parts.clock.elapsed();
    if (this.#watched.size >= MOST_AWAITED) this.#leave(now);
    for (const { work, reading, decision } of decided) {
      for (const [i, memory] of work.due.entries()) {
        const one = decision.alerts[i];
        const row = this.#byAlert.get(memory);
        if (one === undefined || row === undefined) continue;
        if (one.alert.state !== "ok" && this.#watched.size < MOST_AWAITED) this.watch(row);
        const whole = (this.#watched.get(memory) ?? Number.NEGATIVE_INFINITY) > now;
        const before = row.seen;
        const seen = seenOf(memory, one.alert, one.verdict, reading, before ?? undefined, whole);
        if (seen !== before) row.see(seen);
        const isOther = one.alert.state !== memory.alert?.state;
        if (isOther || (seen !== before && hasMoved(before, seen))) this.#changed.add(memory);
      }
    }
    this.touch();
  }

  /** Something changed: a round, an acknowledgement, a silence. */
  touch(acted = false): void {
    this.#version += 1;
    this.#onChange(acted);
  }

  /** The alerts that changed since this was asked last. */
  takeChanged(): readonly Row[] {
    const rows = [...this.#changed].map((one) => this.#byAlert.get(one));
    this.#changed.clear();
    return rows.filter((row) => row !== undefined);
  }

  get rows(): readonly Row[] {
    this.#follow();
    return this.#rows;
  }

  find(rule: string, subject: string): Row | null {
    this.#follow();
    const alerts = this.#memory?.subjects.get(subject)?.alerts ?? [];
    const memory = alerts.find(({ watched }) => watched.rule.name === rule);
    return memory === undefined ? null : (this.#byAlert.get(memory) ?? null);
  }

  /** Somebody looks at it: the next rounds see all of it. */
  watch({ memory }: Row): void {
    const now = this.parts.clock.elapsed();
    if (this.#watched.size >= MOST_WATCHED) this.#leave(now);
    if (this.#watched.size < MOST_WATCHED) this.#watched.set(memory, now + WATCHED_MS);
  }

  /** Those that nobody looks at any more. */
  #leave(now: number): void {
    for (const [one, until] of this.#watched) if (until <= now) this.#watched.delete(one);
  }

  /** How all stand now; the same one until something changes, and for a second. */
  snapshot(): Snapshot {
    this.#follow();
    const { clock, silences } = this.parts;
    const known = this.#snapshot;
    const elapsed = clock.elapsed();
    if (known !== null) {
      if (known.version === this.#version) return known;
      if (elapsed - this.#madeAt < AT_MOST_EVERY_MS) return known;
    }
    const rules = (this.#memory?.rules ?? []).map(({ rule }) => rule);
    const made = snapshotOf(this.#rows, rules, silences(), this.#version, clock.now());
    this.#snapshot = made;
    this.#madeAt = elapsed;
    return made;
  }

  /** The next snapshot is made anew: whoever acted wants to see it. */
  forget(): void {
    this.#snapshot = null;
    this.touch(true);
  }

  /** A reload has other rules. */
  #follow(): void {
    const memory = this.parts.memory();
    if (memory === this.#memory) return;
    const before = this.#byAlert;
    this.#memory = memory;
    this.#rows = [];
    this.#byAlert = new Map();
    this.#snapshot = null;
    for (const [place, { alerts }] of memory.rules.entries()) {
      for (const one of alerts) {
        const row = new Row(one, place, this.#rows.length);
        const seen = before.get(one)?.seen;
        if (seen) row.see(seen);
        this.#rows.push(row);
        this.#byAlert.set(one, row);
      }
    }
  }
}

/** Whether there is another value to show. */
function hasMoved(before: Seen | null, after: Seen | null): boolean {
  const [old, now] = [before?.evidence?.value ?? null, after?.evidence?.value ?? null];
  if (old === null || now === null || typeof old !== "object" || typeof now !== "object") {
    return old !== now;
  }
  return old.digits !== now.digits || old.scale !== now.scale;
}

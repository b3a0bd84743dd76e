import type { Clock } from "../../base/clock.ts";
import { SECOND } from "../../base/duration.ts";
import type { Silence } from "../../model/index.ts";
import type { OwnDb } from "../read/own-db.ts";

/** People write silences beside the daemon; they are looked for at most so often. */
const FRESH_MS = 2 * SECOND;

/** The silences that are in force, as far as was looked. */
export class SilencesInForce {
  #all: readonly Silence[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;
  #onChange: () => void = () => {};

  constructor(
    private readonly db: OwnDb,
    private readonly clock: Clock,
  ) {}

  set onChange(listener: () => void) {
    this.#onChange = listener;
  }

  get list(): readonly Silence[] {
    const now = this.clock.now();
    return this.#all.filter(({ startsAt, endsAt }) => startsAt <= now && now < endsAt);
  }

  /** Looks for others, unless that was done just now; `at once`: all the same. */
  async refresh(atOnce = false): Promise<void> {
    const elapsed = this.clock.elapsed();
    if (!atOnce && elapsed - this.#lookedAt < FRESH_MS) return;
    this.#lookedAt = elapsed;
    const now = this.clock.now();
    const found = await this.db.glance(async ({ silences }) =>
      (await silences.all()).filter(({ endsAt }) => endsAt > now),
    );
    if (found === null || JSON.stringify(found) === JSON.stringify(this.#all)) return;
    this.#all = found;
    this.#onChange();
  }
}

import type { Clock } from "../../base/clock.ts";
import { SECOND } from "../../base/duration.ts";
import type { LiveEvent } from "../api/schemas/overview.ts";
import type { LiveAlerts } from "./live-alerts.ts";
import type { Row } from "./row.ts";

const AT_MOST_EVERY_MS = SECOND;
/** More changes are not named one by one: whoever shows them asks anew. */
const MOST_CHANGED = 200;
const MOST_NEWS = 20;

export interface FeedParts {
  readonly live: LiveAlerts;
  /** Real time. */
  readonly clock: Clock;
  /** What an event says beside the changes. */
  readonly state: () => Promise<Pick<LiveEvent, "version" | "at" | "watch" | "counts">>;
  readonly show: (rows: readonly Row[]) => Promise<LiveEvent["fired"]>;
  readonly nameOf: (row: Row) => string;
  readonly onTrouble: (error: unknown) => void;
}

/** Tells whoever listens what changes, at most once a second, and does nothing while nobody does. */
export class LiveFeed {
  readonly #listeners = new Set<(event: LiveEvent) => void>();
  #cancel: (() => void) | null = null;
  #toldAt = Number.NEGATIVE_INFINITY;
  #firing: ReadonlySet<Row> = new Set();

  constructor(private readonly parts: FeedParts) {}

  listen(onEvent: (event: LiveEvent) => void): () => void {
    if (this.#listeners.size === 0) {
      // What changed before somebody listened is no news to him.
      this.parts.live.takeChanged();
      this.#firing = new Set(this.parts.live.snapshot().places.firing);
    }
    this.#listeners.add(onEvent);
    return () => this.#listeners.delete(onEvent);
  }

  /**
   * Something changed. It is told in a second, since a round changes much within one, and each event makes
   * every open page ask anew; `atOnce`: somebody acted, and waits to see it.
   */
  poke(atOnce = false): void {
    if (this.#listeners.size === 0 || (this.#cancel !== null && !atOnce)) return;
    this.#cancel?.();
    const { clock } = this.parts;
    const least = this.#toldAt + AT_MOST_EVERY_MS - clock.elapsed();
    this.#cancel = clock.after(atOnce ? Math.max(0, least) : AT_MOST_EVERY_MS, () => {
      this.#cancel = null;
      this.#toldAt = clock.elapsed();
      this.#tell().catch(this.parts.onTrouble);
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#listeners.clear();
  }

  async #tell(): Promise<void> {
    const { live, state, show, nameOf } = this.parts;
    if (this.#listeners.size === 0) return;
    const now = await state();
    const changed = live.takeChanged();
    const before = this.#firing;
    const firing = new Set(live.snapshot().places.firing);
    this.#firing = firing;
    const fired = [...firing].filter((row) => !before.has(row)).slice(0, MOST_NEWS);
    const resolved = [...before].filter((row) => !firing.has(row)).slice(0, MOST_NEWS);
    const event: LiveEvent = {
      ...now,
      changed:
        changed.length > MOST_CHANGED
          ? null
          : changed.map(({ memory }) => ({
              rule: memory.watched.rule.name,
              subject: memory.subject.key,
            })),
      fired: await show(fired),
      resolved: resolved.map((row) => ({
        rule: row.memory.watched.rule.name,
        subject: row.memory.subject.key,
        name: nameOf(row),
      })),
    };
    for (const listener of this.#listeners) listener(event);
  }
}

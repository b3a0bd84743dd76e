import { type Clock, formatTime } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Notice } from "../../model/index.ts";
import type { Store } from "../../store/store.ts";
import type { OnDeliveryEvent } from "../event.ts";
import { collapse } from "./collapse.ts";
import { type Holds, holdsOf, type Mutes } from "./hold.ts";

export interface HoldingParts {
  /** The channel's. */
  readonly name: string;
  readonly store: Store;
  /** That of silences and mutes: the one on which the rules live. */
  readonly clock: Clock;
  /** Of a rule, by its name; undefined: nobody mutes it. */
  readonly mutesOf: (rule: string) => Mutes | undefined;
  readonly log: Log;
  readonly onEvent: OnDeliveryEvent;
}

/** What waits in one channel's outbox until no silence and no mute holds it back any more. */
export interface HeldBack {
  /** Looks anew at what may wait no more, and lets go of what nothing holds. */
  release(): Promise<void>;
  /** Mutes may have changed: the next `release` looks at all that is held. */
  review(): void;
  /** Whether all of these may be told now; those that may not are held back. */
  pass(notices: readonly Notice[]): Promise<boolean>;
}

/** One transaction lets go of about so many. */
const RELEASED_AT_ONCE = 500;

interface Group {
  readonly rule: string | null;
  readonly subject: string | null;
  /** Oldest first. */
  readonly notices: Notice[];
}

export function createHeldBack(parts: HoldingParts): HeldBack {
  const { name, store, clock, mutesOf, log, onEvent } = parts;
  /**
   * The alerts that have held notices, as far as is known here, and until when they wait. Others may end
   * that, but nobody begins it, so it only says where to look more closely.
   */
  const waiting = new Map<string, number>();
  /** So often all of it was to be looked at, and so often it was. */
  let reviews = 1;
  let reviewed = 0;
  /** The latest `release` looked at all of it. */
  let fresh = false;
  let seen = Number.NEGATIVE_INFINITY;

  async function look(now: number): Promise<Holds> {
    return holdsOf(name, await store.silences(now), mutesOf, now);
  }

  /** Until when a notice waits for older ones of its alert, or for the start of its rule; null: for none. */
  function queued({ rule, subject }: Pick<Notice, "rule" | "subject">): number | null {
    if (waiting.size === 0 || rule === null) return null;
    return waiting.get(keyOf(rule, subject)) ?? waiting.get(keyOf(rule, null)) ?? null;
  }

  function wait({ rule, subject }: Pick<Notice, "rule" | "subject">, until: number): void {
    const key = keyOf(rule, subject);
    waiting.set(key, Math.min(waiting.get(key) ?? until, until));
  }

  async function hold(ends: ReadonlyMap<string, number>): Promise<void> {
    const byEnd = new Map<number, string[]>();
    for (const [id, until] of ends) {
      const others = byEnd.get(until);
      if (others === undefined) byEnd.set(until, [id]);
      else others.push(id);
    }
    for (const [until, ids] of byEnd) await store.hold(name, ids, until);
  }

  async function letGo(groups: readonly Group[]): Promise<void> {
    let keep: string[] = [];
    let drop: string[] = [];
    let add: Notice[] = [];
    const write = async (): Promise<void> => {
      await store.release(name, { keep, drop, add });
      const told = [...keep, ...add.map(({ id }) => id)];
      log.info(
        { notices: told, dropped: drop },
        "no silence or mute applies any more; notices are queued",
      );
      if (drop.length > 0) onEvent({ kind: "dropped", channel: name, count: drop.length });
      [keep, drop, add] = [[], [], []];
    };
    for (const { notices } of groups) {
      const left = collapse(notices, name);
      keep.push(...left.keep);
      drop.push(...left.drop);
      add.push(...left.add);
      if (keep.length + drop.length >= RELEASED_AT_ONCE) await write();
    }
    if (keep.length + drop.length > 0) await write();
  }

  return {
    async release() {
      const now = clock.now();
      // The configuration may have changed, or the clock was set back to long before what was written.
      const asked = reviews;
      const all = reviewed < asked || now < seen;
      seen = now;
      const held = await store.held(name, all ? Number.MAX_SAFE_INTEGER : now);
      if (all) waiting.clear();
      if (held.length > 0) {
        const holds = await look(now);
        const free: Group[] = [];
        const ends = new Map<string, number>();
        for (const group of groupsOf(held)) {
          waiting.delete(keyOf(group.rule, group.subject));
          // What stands behind the start of its rule is held back anew when it is claimed.
          const end = earliest(group.notices.map((one) => holds.until(one)));
          if (end === null) free.push(group);
          else {
            for (const { id } of group.notices) ends.set(id, end);
            wait(group, end);
          }
        }
        await hold(ends);
        await letGo(free);
      }
      reviewed = asked;
      fresh = all;
    },

    review() {
      reviews += 1;
    },

    async pass(notices) {
      const holds = await look(clock.now());
      const ends = new Map<string, number>();
      let overtaking = false;
      for (const notice of notices) {
        const own = holds.until(notice);
        const until = own ?? queued(notice);
        if (until === null) continue;
        if (own === null && !fresh) {
          overtaking = true;
          continue;
        }
        ends.set(notice.id, until);
        wait(notice, until);
      }
      await hold(ends);
      if (ends.size > 0) {
        const until = formatTime(Math.min(...ends.values()));
        log.info(
          { notices: [...ends.keys()], until },
          "notices are suppressed by a silence or a mute",
        );
      }
      // Something may have let go of what it waits for, and nothing else would bring that to light.
      if (overtaking) reviews += 1;
      return ends.size === 0 && !overtaking;
    },
  };
}

function keyOf(rule: string | null, subject: string | null): string {
  return JSON.stringify([rule, subject]);
}

/** Those of one alert together. */
function groupsOf(held: readonly Notice[]): Group[] {
  const groups = new Map<string, Group>();
  for (const notice of held) {
    const { rule, subject } = notice;
    const key = keyOf(rule, subject);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { rule, subject, notices: [notice] });
    else known.notices.push(notice);
  }
  return [...groups.values()];
}

function earliest(ends: readonly (number | null)[]): number | null {
  let least: number | null = null;
  for (const end of ends) if (end !== null) least = Math.min(least ?? end, end);
  return least;
}

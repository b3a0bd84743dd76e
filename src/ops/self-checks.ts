import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "../base/clock.ts";
import { MINUTE } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import type { CheckEvent } from "../notices/self-event.ts";
import type { RuleMemory } from "../poll/memory.ts";

export interface CheckParts {
  /** The rules that had no round for three of their intervals. */
  readonly late: () => readonly RuleMemory[];
  /** The path of the database; null: it is on no disk. */
  readonly database: string | null;
  /** The daemon's own clock. */
  readonly clock: Clock;
  readonly log: Log;
  /** Tells people; resolves to whether they will hear of it. */
  readonly found: (event: CheckEvent) => Promise<boolean>;
  readonly space?: (path: string) => Promise<Space>;
}

/** Of a file system, in bytes; `free` is what this user may still write. */
export interface Space {
  readonly free: number;
  readonly total: number;
}

export interface SelfChecks {
  stop(): Promise<void>;
}

const EVERY_MS = MINUTE;
/** The disk is looked at in every tenth check: a daemon that keeps restarting does not nag. */
const DISK_EVERY = 10;
/** So long without a check is no busy machine any more. */
const ASLEEP_MS = 5 * MINUTE;
/** What comes and goes is one trouble: it is over after so long without it. */
const CALM_MS = 10 * MINUTE;
const SMALLEST_SHARE = 0.05;
const LEAST_BYTES = 200_000_000;
/** Of a disk that is not even a gigabyte large the least is this share. */
const LEAST_SHARE = 0.2;
/** It is over with so much more than that, so that it is not told again and again. */
const RECOVERED = 1.2;

/** Looks after the daemon once a minute: whether it slept, rules are late and the disk has room. */
export function startSelfChecks(parts: CheckParts): SelfChecks {
  const { clock, log } = parts;
  const sleep = watchSleep(parts);
  const lateness = watchLateness(parts);
  const disk = watchDisk(parts);
  let cancel = (): void => {};
  let count = 0;
  const guarded = (look: () => Promise<void>): (() => Promise<void>) => {
    let running: Promise<void> | null = null;
    // A look that is not over is not joined by another: it may wait for a disk that hangs.
    return () => {
      running ??= look()
        .catch((error: unknown) => log.error({ err: error }, "a self-check failed"))
        .finally(() => {
          running = null;
        });
      return running;
    };
  };
  const lookAtRules = guarded(async () => {
    // After a sleep every rule is late, which is said already, and its round is on its way.
    if (!(await sleep.tell())) await lateness(clock.now());
  });
  const lookAtDisk = guarded(disk.look);
  let looking: Promise<void> = Promise.resolve();
  const arm = (): void => {
    // By wall time, which shows at once that a machine woke up or that its clock was set.
    cancel = clock.at(clock.now() + EVERY_MS, () => {
      arm();
      sleep.awake();
      count += 1;
      looking = lookAtRules();
      if (count % DISK_EVERY === 0) void lookAtDisk();
    });
  };
  arm();
  return {
    async stop() {
      cancel();
      await Promise.all([looking, disk.stop()]);
    },
  };
}

interface SleepWatch {
  /** The daemon runs at this moment. */
  readonly awake: () => void;
  /** Tells of a sleep that is over; resolves to whether there was one. */
  readonly tell: () => Promise<boolean>;
}

/** A machine that slept, or a clock that was set forward: whether rounds came meanwhile or not. */
function watchSleep({ clock, found }: CheckParts): SleepWatch {
  let last = clock.now();
  let untold: { readonly from: number; readonly to: number } | null = null;
  return {
    awake() {
      const now = clock.now();
      if (now - last >= ASLEEP_MS) untold = { from: untold?.from ?? last, to: now };
      last = now;
    },
    async tell() {
      const sleep = untold;
      if (sleep === null) return false;
      untold = null;
      if (!(await found({ about: "slept", ...sleep }))) untold ??= sleep;
      return true;
    },
  };
}

/** Each rule is told once, however often it comes and goes; that all are back, once as well. */
function watchLateness({ late, found }: CheckParts): (now: number) => Promise<void> {
  /** The rules that were told, and since when they have been on time; null: they are late. */
  const told = new Map<string, number | null>();
  return async (now) => {
    const lateNow = new Map(late().map((one) => [one.rule.name, one.state.lastRound]));
    const fresh = [...lateNow].filter(([name]) => !told.has(name));
    for (const name of lateNow.keys()) if (told.has(name)) told.set(name, null);
    const rules = fresh.map(([name, lastRound]) => ({ name, lastRound }));
    if (rules.length > 0 && (await found({ about: "rules_late", rules }))) {
      for (const { name } of rules) told.set(name, null);
    }
    if (told.size === 0) return;
    const over: string[] = [];
    for (const [name, since] of told) {
      if (lateNow.has(name)) continue;
      // A clock that was set back must not make it wait.
      const calm = Math.min(since ?? now, now);
      told.set(name, calm);
      if (now - calm >= CALM_MS) over.push(name);
    }
    if (over.length === told.size && !(await found({ about: "rules_back" }))) return;
    for (const name of over) told.delete(name);
  };
}

interface DiskWatch {
  readonly look: () => Promise<void>;
  /** Waits for what is being told, but not for the disk. */
  stop(): Promise<void>;
}

function watchDisk({ database, found, log, space = spaceOf }: CheckParts): DiskWatch {
  let told = false;
  let stopped = false;
  let telling: Promise<boolean> = Promise.resolve(false);

  async function tell(event: CheckEvent): Promise<boolean> {
    telling = found(event);
    return await telling;
  }

  return {
    async look() {
      if (database === null) return;
      const folder = dirname(database);
      let seen: Space;
      try {
        seen = await space(database);
      } catch (error) {
        log.debug({ err: error }, "the free disk space is unknown");
        return;
      }
      if (stopped) return;
      const { free, total } = seen;
      const least = leastFree(total);
      if (!told && free < least) told = await tell({ about: "disk_full", folder, free });
      else if (told && free >= RECOVERED * least) {
        told = !(await tell({ about: "disk_back", folder, free }));
      }
    },
    async stop() {
      stopped = true;
      await telling;
    },
  };
}

/** With fewer free bytes a disk of so many is nearly full. */
export function leastFree(total: number): number {
  return Math.max(SMALLEST_SHARE * total, Math.min(LEAST_BYTES, LEAST_SHARE * total));
}

/** In bytes, of the file itself: it may lie behind a link, on another disk than its folder. */
export async function spaceOf(path: string): Promise<Space> {
  const { bsize, bavail, blocks } = await statfs(path);
  return { free: bavail * bsize, total: blocks * bsize };
}

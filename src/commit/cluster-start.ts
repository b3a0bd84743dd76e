import { setTimeout as pause } from "node:timers/promises";
import { SECOND } from "../base/duration.ts";
import { inTurns } from "../base/turns.ts";
import type { Memory } from "../poll/memory.ts";
import { Committer } from "./committer.ts";
import { Generations } from "./generations.ts";
import { memorySteps } from "./load.ts";
import { SourceAffinity } from "./source-affinity.ts";
import { Start } from "./start.ts";
import { openingChanges, ruleChanges, type StartupParts, versionOf } from "./startup.ts";

export interface ClusterStartParts
  extends Pick<StartupParts, "setup" | "kinds" | "source" | "store" | "clock" | "onEvent"> {
  /** Aborted when another daemon is to do it, or other rules are in force. */
  readonly signal: AbortSignal;
}

/** So long (real time) the first look of all daemons may take before the start is told with what is known. */
const LONGEST_START_MS = 40 * SECOND;
const LOOK_MS = SECOND;

/**
 * What of a start concerns rules and not their alerts, where several daemons share these: each opens its alerts by
 * itself, and once all have, one writes down which rules are watched, and tells of it once the first look is over.
 * May be done again. Throws StoreError.
 */
export async function startCluster(parts: ClusterStartParts): Promise<void> {
  const { setup, store, clock, signal, onEvent } = parts;
  const opened = await memoryOf(parts);
  const { memory, before, mark } = opened;
  const now = clock.now();
  const edits = ruleChanges(memory, before, now);
  const isNew = edits.length > 0 || memory.editedAnew || mark !== null;
  if (isNew) {
    const written = { ...memory, removedAlerts: [], moved: [], cleared: [], newSeries: [] };
    const marks = mark === null ? [] : [mark];
    for (const change of openingChanges(written, setup, now, marks)) {
      if (signal.aborted) return;
      await store.commit({ ...change, ruleChanges: edits.splice(0) });
    }
  }
  const news = new Map(
    memory.rules.filter(isUntold(memory)).map(({ rule, alerts }) => [rule.name, alerts.length]),
  );
  if (news.size === 0) return;
  const known = await lookedAt(parts, news);
  if (known === null || signal.aborted) return;
  // What was looked at was so by others, which this memory has not seen.
  for (const one of known.rules) one.endRound(clock.now());
  await new Start(known).tell(clock.now(), new Committer(store, onEvent, setup));
}

/**
 * Everything, once these rules, with as many alerts, have been looked at or that has taken too long; null: it was
 * aborted.
 */
async function lookedAt(
  parts: ClusterStartParts,
  news: ReadonlyMap<string, number>,
): Promise<Memory | null> {
  const { store, signal } = parts;
  const over = performance.now() + LONGEST_START_MS;
  while (!signal.aborted) {
    const isLate = performance.now() >= over;
    // To read everything again and again would keep daemons from the look that it waits for.
    const counts = await store.alertCounts?.([...news.keys()]);
    const mayBeOver = [...news].every(
      ([rule, count]) => counts === undefined || (counts.get(rule) ?? 0) >= count,
    );
    if (isLate || mayBeOver) {
      const { memory } = await memoryOf(parts);
      const isOver = memory.rules.every(
        ({ rule, alerts }) => !news.has(rule.name) || alerts.every(({ alert }) => alert !== null),
      );
      if (isLate || isOver) return memory;
    }
    await pause(LOOK_MS, undefined, { signal }).catch(() => {});
  }
  return null;
}

function isUntold({ edited }: Memory): (one: Memory["rules"][number]) => boolean {
  return ({ rule, state }) => state.startedAt === null || edited.has(rule.name);
}

/** All rules with all of their alerts, as they are kept by now, and nothing more. Throws StoreError. */
export async function wholeMemory(parts: WholeParts): Promise<Memory> {
  return (await memoryOf(parts)).memory;
}

type WholeParts = Omit<ClusterStartParts, "signal" | "onEvent">;

async function memoryOf({ setup, kinds, source, store, clock }: WholeParts) {
  const loaded = await store.load();
  const generations = new Generations(
    source,
    new SourceAffinity(source, clock),
    setup.service,
    loaded.marks,
  );
  const memory = await inTurns(
    memorySteps(setup.rules, kinds, versionOf, loaded, generations, clock.now()),
  );
  return { memory, before: loaded.rules, mark: generations.addresses.mark };
}

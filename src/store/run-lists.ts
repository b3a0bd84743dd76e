import type { Run } from "../model/index.ts";

/** The runs of each series by `first`, oldest first. */
export type RunLists = Map<number, Run[]>;

/** Puts a run where it belongs, or in the place of one with the same `first`. True: there was none. */
export function putRun(lists: RunLists, { series, first, last, value }: Run): boolean {
  const run = { series, first, last, value };
  const all = lists.get(series);
  if (all === undefined) {
    lists.set(series, [run]);
    return true;
  }
  const before = all.findLastIndex((other) => other.first <= first);
  const replaced = all[before]?.first === first ? 1 : 0;
  all.splice(before + 1 - replaced, replaced, run);
  return replaced === 0;
}

/** What is dated later than `now` is dated `now`, and of several such runs the last one stays. */
export function rewoundRuns(all: readonly Run[], now: number): Run[] {
  const newest = all.at(-1);
  const kept = all
    .filter(({ first }) => first <= now)
    .map((run) => ({ ...run, last: Math.min(run.last, now) }));
  if (newest === undefined || newest.first <= now) return kept;
  if (kept.at(-1)?.first === now) kept.pop();
  return [...kept, { ...newest, first: now, last: now }];
}

/** Those that reach past `from` and, before them, the newest that ended earlier. */
export function runsFrom(all: readonly Run[], from: number): readonly Run[] {
  const before = all.findLastIndex((run) => run.last < from);
  return all.slice(Math.max(before, 0));
}

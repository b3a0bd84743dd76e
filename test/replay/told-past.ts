import { createLogger } from "../../src/base/log.ts";
import { listTrackOf } from "../../src/cli/backtest-service.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { Answer, Ask, RawRecord } from "../../src/model/index.ts";
import { backtest } from "../../src/replay/past/backtest.ts";
import { historyPlan } from "../../src/replay/past/histories.ts";
import { needsByKey, needsOf } from "../../src/replay/past/needs.ts";
import type { ListTrack } from "../../src/replay/past/past-entries.ts";
import type { SubjectFacts } from "../../src/replay/past/past-subject.ts";
import { supportOf } from "../../src/replay/past/support.ts";
import { factsToday, type HistoryTrack, tracksOf } from "../../src/replay/past/tracks.ts";
import { setupOf } from "../support/world-setup.ts";

const HOUR = 3_600_000;
export const START = Date.UTC(2026, 10, 1);
const END = START + 12 * HOUR;

/** The time of an hour after the start, which may be a fraction, as the service writes it. */
export const iso = (hour: number): string =>
  new Date(START + hour * HOUR).toISOString().replace(".000Z", "Z");

/** Records by what they are; a function is asked for those of a token or pool. */
export type Told = Partial<
  Record<Ask["record"], readonly RawRecord[] | ((ask: Ask) => readonly RawRecord[])>
>;

/**
 * Rules on what the service tells of twelve hours. `told`: its histories, oldest first, and lists, the newest first;
 * `today`: records by the key of their ask.
 */
export async function replayed(yaml: string, told: Told, today: Record<string, RawRecord> = {}) {
  const { rules, selfNotify } = setupOf(yaml);
  const needs = rules.map((rule) => needsOf(rule, KINDS));
  const byKey = needsByKey(needs, () => false);
  const answers = new Map(
    Object.entries(today).map(([key, record]): [string, Answer] => [
      key,
      { status: "ok", records: [record] },
    ]),
  );
  const lookUp = (ask: Ask): Answer | undefined => answers.get(ask.key);
  const recordsOf = (ask: Ask): readonly RawRecord[] => {
    const records = told[ask.record] ?? [];
    return typeof records === "function" ? records(ask) : records;
  };
  const histories = new Map<string, HistoryTrack>();
  const lists = new Map<string, ListTrack>();
  const facts = new Map<string, SubjectFacts>();
  for (const [key, need] of byKey) {
    const { subject, kind } = need;
    facts.set(key, factsToday(need, lookUp, END));
    if (kind.pastList !== undefined) {
      const records = recordsOf(kind.pastList.page(subject, 0, 1_000));
      const items = kind.pastList.items({ status: "ok", records }) ?? [];
      const list = { items, since: 0 };
      const historyOf = (plan: NonNullable<ReturnType<typeof historyPlan>>) =>
        Promise.resolve(plan.asks(START, END, END).slice(0, 1).flatMap(recordsOf));
      lists.set(key, await listTrackOf(need, kind.pastList, list, lookUp, END, historyOf));
      continue;
    }
    const plan = historyPlan(need, END, lookUp);
    if (plan === null) continue;
    const records = plan.asks(START, END, END).slice(0, 1).flatMap(recordsOf);
    histories.set(key, { spacingMs: plan.spacingMs, points: plan.points(records, END) });
  }
  const tracks = await tracksOf(byKey, null, histories, facts, lists);
  const supports = needs.map((one) =>
    supportOf(one, tracks, { from: START, to: END, untold: new Map() }),
  );
  const { worlds } = await backtest({
    worlds: [supports.flatMap(({ rule }) => rule ?? [])],
    kinds: KINDS,
    from: START,
    to: END,
    tracks,
    recorded: null,
    lookBackMs: 0,
    selfNotify,
    log: createLogger({ level: "silent", stream: { write: () => true } }),
    stop: new AbortController().signal,
  });
  const notices = (worlds[0]?.notices ?? []).map(
    ({ notice }) => `${hours(notice.at)} ${notice.kind}`,
  );
  const firings = (worlds[0]?.stories.all ?? []).flatMap(({ firings: all }) =>
    all.map(({ start, end, extreme }) => [
      (start - START) / HOUR,
      end === null ? null : (end - START) / HOUR,
      extreme,
    ]),
  );
  const sources = supports.map(({ source }) => source);
  return { sources, told: notices, firings, refusals: supports.map(({ refusal }) => refusal) };
}

/** `3h`, or `3h 05m` within an hour. */
function hours(at: number): string {
  const minutes = (at - START) / 60_000;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)}h${rest === 0 ? "" : ` ${String(rest).padStart(2, "0")}m`}`;
}

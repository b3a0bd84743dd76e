import { systemClock } from "../base/clock.ts";
import { acrossKind } from "../decide/across.ts";
import type { Source } from "../fetch/source.ts";
import { KINDS } from "../kinds/index.ts";
import type { Answers, PastList } from "../kinds/kind.ts";
import type { Answer, Ask } from "../model/index.ts";
import { type HistoryPlan, historyPlan } from "../replay/past/histories.ts";
import type { Need } from "../replay/past/needs.ts";
import type { ListTrack } from "../replay/past/past-entries.ts";
import type { SubjectFacts } from "../replay/past/past-subject.ts";
import type { Untold } from "../replay/past/support.ts";
import { factsToday, type HistoryTrack } from "../replay/past/tracks.ts";
import {
  type Asking,
  type Counter,
  fetchAll,
  gapsOf,
  type Had,
  readKept,
  recordsOf,
} from "./backtest-fetch.ts";
import type { ReadList } from "./backtest-lists.ts";
import type { Told } from "./backtest-run.ts";

type Answered = ReadonlyMap<string, Answer>;

/** Kinds of which the service has no records, or none that a past could be made of. */
function isAsked({ kind, subject }: Need): boolean {
  const isList = kind.stream !== undefined && kind.pastList === undefined;
  return !isList && kind.kind !== "source" && acrossKind(subject.key) === null;
}

/** Asks what subjects are today, and for the histories of their metrics. Never rejects for what fails. */
export async function fetchTold(needs: readonly Need[], asking: Asking): Promise<Told> {
  const now = systemClock().now();
  const wanted = needs.filter(isAsked);
  const counter = { requests: 0, done: 0, failures: new Set<string>() };
  const answers = await askToday(wanted, now, asking, counter);
  const lookUp: Answers = ({ key }) => answers.get(key);
  const facts = new Map<string, SubjectFacts>();
  const untold = new Map<string, Untold>();
  const plans = new Map<string, { readonly plan: HistoryPlan; readonly needs: Need[] }>();
  for (const need of wanted) {
    const { subject, kind } = need;
    facts.set(subject.key, factsToday(need, lookUp, now));
    const plan = kind.pastList === undefined ? historyPlan(need, now, lookUp) : null;
    const isUnknown = kind.asks(subject, now, null).some((ask) => lookUp(ask)?.status === "failed");
    if (isUnknown) untold.set(subject.key, "failed");
    if (plan === null) continue;
    const known = plans.get(plan.key);
    if (known === undefined) plans.set(plan.key, { plan, needs: [need] });
    else known.needs.push(need);
  }
  const histories = new Map<string, HistoryTrack>();
  const asked = new Map<string, Promise<Had>>();
  // Rules on swaps and on prices need the same ones.
  const recordsOnce = (plan: HistoryPlan): Promise<Had> => {
    const found = asked.get(plan.key) ?? recordsOf(plan, now, asking, counter);
    asked.set(plan.key, found);
    return found;
  };
  await Promise.all(
    Array.from(plans.values(), async ({ plan, needs: its }) => {
      const records = await recordsOnce(plan);
      for (const need of its) {
        if (typeof records === "string" || records.length === 0) {
          if (records !== "unserved")
            untold.set(need.subject.key, records === "failed" ? "failed" : "empty");
          continue;
        }
        const own = historyPlan(need, now, lookUp) ?? plan;
        const points = own.points(records, now);
        const told = new Map(
          [...points].filter(([, all]) => all.some(([, value]) => value !== null)),
        );
        // Which way round prices are a point tells.
        facts.set(need.subject.key, factsToday(need, lookUp, now, records));
        if (told.size === 0) untold.set(need.subject.key, "empty");
        if (told.size === 0) continue;
        const ranges = own.ranges?.(records, now) ?? [];
        histories.set(need.subject.key, { spacingMs: own.spacingMs, points: told, ranges });
      }
    }),
  );
  const lists = new Map<string, ListTrack>();
  await Promise.all(
    wanted.map(async (need) => {
      const { subject, kind } = need;
      if (kind.pastList === undefined) return;
      const list = await readKept(subject, kind.pastList, now, asking, counter);
      if (list === "failed") untold.set(subject.key, "failed");
      if (typeof list === "string") return;
      const track = await listTrackOf(need, kind.pastList, list, lookUp, now, recordsOnce);
      lists.set(subject.key, track);
    }),
  );
  return { histories, facts, lists, untold, failures: [...counter.failures] };
}

/** How many requests `fetchTold` needs at most, without asking anything. */
export async function countRequests(
  needs: readonly Need[],
  { from, to, source, cache }: Pick<Asking, "from" | "to" | "source" | "cache">,
): Promise<{
  readonly today: number;
  readonly histories: number;
  readonly cached: number;
  /** Lists that are read by page: how many pages they have is not known before. */
  readonly lists: number;
}> {
  const now = systemClock().now();
  const wanted = needs.filter(isAsked);
  const today = source.plan(
    unique(wanted.flatMap((need) => asksOf(need, now, source, () => undefined))),
  );
  const keys = new Set<string>();
  let [histories, cached] = [0, 0];
  const lists = wanted.filter(({ kind }) => kind.pastList !== undefined);
  for (const need of wanted) {
    if (need.kind.pastList !== undefined) {
      // Its pool, and both of its tokens, which the pool names.
      histories += 3 * Math.ceil((now - from) / 3_600_000 / 1_000);
      continue;
    }
    // The pool of a position is known once it was asked for: each may have one of its own.
    const plan = historyPlan(need, now, () => undefined);
    const key = plan?.key ?? need.subject.key;
    if (keys.has(key) || (plan === null && need.kind.replayed === undefined)) continue;
    keys.add(key);
    if (plan === null) {
      histories += Math.ceil((now - from) / 3_600_000 / 1_000);
      continue;
    }
    const gaps = gapsOf(plan, (await cache?.find(plan.key)) ?? null, { from, to }, now);
    if (gaps.length === 0) cached += 1;
    for (const gap of gaps) histories += plan.asks(gap.from, gap.to, now).length;
  }
  return { today: today.length, histories, cached, lists: lists.length };
}

async function askToday(
  needs: readonly Need[],
  now: number,
  asking: Asking,
  counter: Counter,
): Promise<Answered> {
  const answers = new Map<string, Answer>();
  const lookUp: Answers = ({ key }) => answers.get(key);
  // What one answer shows to be needed is asked in the next wave.
  for (let wave = 0; wave < 3; wave += 1) {
    const asks = unique(needs.flatMap((need) => asksOf(need, now, asking.source, lookUp)));
    const missing = asks.filter(({ key }) => !answers.has(key));
    if (missing.length === 0) break;
    for (const [ask, answer] of await fetchAll(missing, asking, counter))
      answers.set(ask.key, answer);
  }
  return answers;
}

function asksOf(
  { subject, kind }: Need,
  now: number,
  source: Source,
  lookUp: Answers,
): readonly Ask[] {
  // The newest points of a history say nothing of what the subject is called.
  const own = kind.bucketMs === null ? kind.asks(subject, now, null) : [];
  const all = [
    ...own,
    ...kind.follow(subject, lookUp, null),
    ...(kind.facts?.(subject, lookUp) ?? []),
  ];
  return all.filter(({ record, chainId }) => source.serves(record, chainId));
}

function unique(asks: readonly Ask[]): readonly Ask[] {
  return [...new Map(asks.map((ask) => [ask.key, ask])).values()];
}

/** A read list as a replay goes through it, with what else its entries are made of. */
export async function listTrackOf(
  { subject, entries }: Pick<Need, "subject" | "entries">,
  list: PastList,
  { items, since }: ReadList,
  today: Answers,
  now: number,
  historyOf: (plan: NonNullable<ReturnType<typeof historyPlan>>) => Promise<Had>,
): Promise<ListTrack> {
  const beside = new Map<
    string,
    ListTrack["beside"] extends ReadonlyMap<string, infer P> ? P : never
  >();
  const hourly = new Set<string>();
  const failed = new Set<string>();
  const wanted = list.beside(subject, today);
  for (const { name, kind: kindName, target, metric, of } of wanted) {
    const kind = KINDS.get(kindName);
    if (kind === undefined) continue;
    for (const one of of) hourly.add(one);
    const plan = historyPlan(
      { subject: kind.subject(target), kind, metrics: new Set([metric]) },
      now,
      today,
    );
    const records = plan === null ? "unserved" : await historyOf(plan);
    if (records === "failed") failed.add(name);
    const points = typeof records === "string" ? undefined : plan?.points(records, now).get(metric);
    if (points?.some(([, value]) => value !== null) === true) beside.set(name, points);
  }
  const lacks = new Map<string, string>();
  for (const metric of entries) {
    for (const kind of new Set(
      wanted.filter(({ of }) => of.includes(metric)).map((one) => one.kind),
    )) {
      const its = wanted.filter((one) => one.kind === kind && one.of.includes(metric));
      if (its.some(({ name }) => beside.has(name))) continue;
      const what = kind === "token_price" ? "price history of its tokens" : "history of its pool";
      const isFailed = its.some(({ name }) => failed.has(name));
      lacks.set(
        metric,
        isFailed ? `the ${what} could not be fetched` : `the service has no ${what}`,
      );
    }
  }
  return { items: items.toReversed(), since, beside, hourly, lacks, today };
}

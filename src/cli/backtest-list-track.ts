import { KINDS } from "../kinds/index.ts";
import type { Answers, PastList } from "../kinds/kind.ts";
import { historyPlan } from "../replay/past/histories.ts";
import type { Need } from "../replay/past/needs.ts";
import type { ListTrack } from "../replay/past/past-entries.ts";
import type { Had } from "./backtest-fetch.ts";
import type { ReadList } from "./backtest-lists.ts";

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

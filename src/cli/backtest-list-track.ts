import { KINDS } from "../kinds/index.ts";
import type { Answers, PastList } from "../kinds/kind.ts";
import type { Answer, RawRecord } from "../model/index.ts";
import { historyPlan } from "../replay/past/histories.ts";
import type { Need } from "../replay/past/needs.ts";
import type { ListTrack } from "../replay/past/past-entries.ts";
import type { ReadList } from "./backtest-lists.ts";

/** A read list as a replay goes through it, with what else its entries are made of. */
export async function listTrackOf(
  { subject, entries }: Pick<Need, "subject" | "entries">,
  list: PastList,
  { items, since }: ReadList,
  today: Answers,
  now: number,
  historyOf: (
    plan: NonNullable<ReturnType<typeof historyPlan>>,
  ) => Promise<readonly RawRecord[] | null>,
): Promise<ListTrack> {
  const beside = new Map<
    string,
    ListTrack["beside"] extends ReadonlyMap<string, infer P> ? P : never
  >();
  const hourly = new Set<string>();
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
    const records = plan === null ? null : await historyOf(plan);
    const points = records === null ? undefined : plan?.points(records, now).get(metric);
    if (points?.some(([, value]) => value !== null) === true) beside.set(name, points);
  }
  const lacks = new Map<string, string>();
  for (const metric of entries) {
    for (const kind of new Set(
      wanted.filter(({ of }) => of.includes(metric)).map((one) => one.kind),
    )) {
      const its = wanted.filter((one) => one.kind === kind && one.of.includes(metric));
      if (its.every(({ name }) => !beside.has(name))) {
        lacks.set(
          metric,
          kind === "token_price"
            ? "the service has no price history of its tokens"
            : "the service has no history of its pool",
        );
      }
    }
  }
  return { items: items.toReversed(), since, beside, hourly, lacks, today };
}

/** What a page answered; null: it failed. */
export function recordsIn(answer: Answer | undefined): readonly RawRecord[] | null {
  return answer?.status === "ok" ? answer.records : null;
}

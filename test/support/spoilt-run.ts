import type { Notice } from "../../src/model/index.ts";
import { DEMO_KEY } from "../../src/serve/server.ts";
import type { ContractJournal } from "./contract-journal.ts";
import { MARKET_START, MarketWorld, type Observed } from "./market-world.ts";
import { createMemoryStore } from "./memory-store.ts";
import { type AnswerCache, type Spoil, SpoilingProxy } from "./spoiling-proxy.ts";
import { isVictim, KNOWN_WITHOUT_VALUE, rulesOnTwoOfEach } from "./two-of-each.ts";

const ROUND_MS = 180_000;
/** Rounds before the fault. */
const BEFORE = 2;

/** What a whole life of the daemon with one fault in its middle came to. */
export interface Life {
  readonly told: readonly Notice[];
  readonly observed: Observed;
  readonly journal: ContractJournal;
  readonly strays: number;
  /** Of each alert at the end: state, and whether it lacks a value. */
  readonly alerts: ReadonlyMap<string, string>;
  readonly errors: readonly string[];
  /** When its first round began, on the clock of `performance`, by which the journal dates what arrives. */
  readonly beganAt: number;
  /** Rounds (by their dates) while the fault lasted. */
  readonly spoilt: ReadonlySet<number>;
}

export interface LifeOptions {
  readonly spoil: Spoil | null;
  /** What is done to answers before and after the fault; default: nothing. */
  readonly otherwise?: Spoil;
  /** Rounds that the fault lasts; default: 4. */
  readonly during?: number;
  /** Rounds from its beginning to the end of the life. */
  readonly rounds?: number;
  /** Whether the fault is that no answer comes. */
  readonly silent?: boolean;
  readonly requestsPerSecond?: number;
  /** Default: 16. */
  readonly concurrency?: number;
  readonly roundMs?: number;
}

/** One for all lives: the market says the same at the same time. */
const cache: AnswerCache = new Map();

export async function live({
  spoil,
  during = 4,
  rounds = 6,
  roundMs = ROUND_MS,
  silent = false,
  otherwise,
  ...limits
}: LifeOptions): Promise<Life> {
  const from = MARKET_START + (BEFORE + 0.5) * roundMs;
  const until = from + during * roundMs;
  const isSpoilt = (at: number): boolean => at >= from && at < until;
  const proxies: SpoilingProxy[] = [];
  const world = await MarketWorld.create(null, {
    rules: rulesOnTwoOfEach(`${roundMs / 1_000}s`),
    store: createMemoryStore(),
    isSilent: (now) => silent && isSpoilt(now),
    ...limits,
    between: async (service, its) => {
      const spoilAt = (at: number): Spoil | null => (isSpoilt(at) ? spoil : (otherwise ?? null));
      const proxy = await SpoilingProxy.start({
        service,
        key: DEMO_KEY,
        now: () => its.now(),
        cache,
        spoilAt,
        onSpoilt: () => its.silence.arrive(),
      });
      proxies.push(proxy);
      return proxy;
    },
  });
  try {
    const beganAt = performance.now();
    await world.rounds(BEFORE + rounds, roundMs);
    const [proxy] = proxies;
    if (proxy === undefined) throw new Error("nothing was between");
    const dates = world.records.map(({ date }) => date);
    return {
      told: world.told,
      observed: await world.observed(),
      journal: proxy.journal,
      strays: proxy.strays,
      alerts: new Map(
        world.app.rounds.memory.rules.flatMap(({ alerts }) =>
          alerts.map(({ alert }) => [
            `${alert?.rule} ${alert?.subject}`,
            `${alert?.state}${alert?.missing === null ? "" : " without a value"}`,
          ]),
        ),
      ),
      errors: world.errors,
      beganAt,
      spoilt: new Set(dates.filter(isSpoilt)),
    };
  } finally {
    await world.end();
  }
}

/**
 * What a fault does to an alert. `same`: nothing. `blind`: it has no value while the fault lasts, and
 * says nothing, since its source was told. `gone`: it tells once that it has none, and once that
 * it has again.
 */
export type Effect = "same" | "blind" | "gone";
export type EffectOn = (kind: string, subject: string, rule: string) => Effect;

export const all =
  (effect: Effect): EffectOn =>
  () =>
    effect;
export const victims: EffectOn = (_, subject) => (isVictim(subject) ? "gone" : "same");

/** The watch kind of a rule, by its name. */
function kindOf(rule: string): string {
  const [name = ""] = rule.split("-");
  return name.replace(/_(?:many|one|daily)$/, "");
}

export const KINDS_OF_RULES: ReadonlySet<string> = new Set(
  [...rulesOnTwoOfEach("3m").matchAll(/kind: (\w+)/g)].map(([, kind]) => kind ?? ""),
);

const DAEMONS_OWN = "source";

/** Each way in which a life differs from what it should have been, in words; by watch kind. */
export function differences(
  life: Life,
  good: Life,
  effectOn: EffectOn,
  unordered = false,
): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const say = (kind: string, what: string): void => {
    found.set(kind, [...(found.get(kind) ?? []), what]);
  };
  const [told, goodTold] = [byAlert(life.told), byAlert(good.told)];
  for (const key of good.alerts.keys()) {
    const [rule = "", subject = ""] = key.split(" ");
    const kind = kindOf(rule);
    if (kind === DAEMONS_OWN) continue;
    const effect = KNOWN_WITHOUT_VALUE.has(rule) ? "same" : effectOn(kind, subject, rule);
    const [has, should] = [told.get(key) ?? [], goodTold.get(key) ?? []];
    const expected =
      effect === "same" ? should.map(whole) : storyOf(rule, should, effect, life.spoilt);
    const actual = effect === "same" ? has.map(whole) : has.map((one) => brief(rule, one));
    if (!isSame(actual, expected, unordered && isOfEntries(rule))) {
      const more = actual.filter((one) => !expected.includes(one));
      const less = expected.filter((one) => !actual.includes(one));
      say(
        kind,
        `${key} told ${more.join(", ")} in place of ${less.join(", ")} (${actual.length} of ${expected.length})`,
      );
    }
    if (life.alerts.get(key) !== good.alerts.get(key)) {
      say(kind, `${key} is ${life.alerts.get(key)} in place of ${good.alerts.get(key)}`);
    }
  }
  for (const [key, has] of told) {
    const [rule = ""] = key.split(" ");
    if (good.alerts.has(key) || rule === "null" || kindOf(rule) === DAEMONS_OWN) continue;
    if (goodTold.get(key)?.map(whole).join("\n") !== has.map(whole).join("\n")) {
      say(kindOf(rule), `${key} told ${has.map((one) => brief(rule, one)).join(", ")}`);
    }
  }
  for (const [series, runs] of good.observed) {
    const [subject = ""] = series.split(" ");
    const kind = kindOfSubject(subject);
    if (kind === DAEMONS_OWN) continue;
    const seen = life.observed.get(series) ?? [];
    const same = effectOn(kind, subject, "") === "same";
    if (same ? JSON.stringify(seen) !== JSON.stringify(runs) : !isPartOf(seen, runs)) {
      say(kind, `${series} was ${JSON.stringify(seen)} in place of ${JSON.stringify(runs)}`);
    }
  }
  return found;
}

/** Within a block the order of entries is that of the list, and nothing where that has none. */
function isSame(
  actual: readonly string[],
  expected: readonly string[],
  unordered: boolean,
): boolean {
  const [a, b] = unordered ? [actual.toSorted(), expected.toSorted()] : [actual, expected];
  return a.join("\n") === b.join("\n");
}

function kindOfSubject(subject: string): string {
  return subject.split(":")[0] ?? "";
}

type Runs = readonly {
  readonly first: number;
  readonly last: number;
  readonly value: string | null;
}[];

/** Whatever was seen was true at that time; nothing is seen of what there is no value of. */
function isPartOf(seen: Runs, good: Runs): boolean {
  const at = (date: number): string | null =>
    good.findLast(({ first }) => first <= date)?.value ?? null;
  return seen.every(
    ({ first, last, value }) => value === null || (at(first) === value && at(last) === value),
  );
}

function byAlert(told: readonly Notice[]): ReadonlyMap<string, readonly Notice[]> {
  const by = new Map<string, Notice[]>();
  for (const notice of told) {
    const key = `${notice.rule} ${notice.kind === "started" ? "*" : notice.subject}`;
    by.set(key, [...(by.get(key) ?? []), notice]);
  }
  return by;
}

/** What was told of each list, in order. */
export function entriesOf({ told }: Life): ReadonlyMap<string, readonly string[]> {
  const lists = [...byAlert(told)].filter(([key]) => isOfEntries(key.split(" ")[0] ?? ""));
  return new Map(
    lists.map(([key, list]) => [key, list.map(({ kind, values }) => values[0]?.value ?? kind)]),
  );
}

/** Ids that come in capitals are the same ids; a start describes some of its subjects. */
function whole(notice: Notice): string {
  const { kind, at, rule, firing = [] } = notice;
  if (kind !== "started") return JSON.stringify(notice).toLowerCase();
  return `started ${rule} ${at} ${firing
    .map(({ subject }) => subject)
    .toSorted()
    .join(" ")}`;
}

function isOfEntries(rule: string): boolean {
  return rule.endsWith("-each");
}

/** Entries are told whenever they are found; everything else has its time. */
function brief(rule: string, { kind, at, values: [value] }: Notice): string {
  if (kind !== "changed") return kind;
  return isOfEntries(rule) ? `${value?.value}` : `${at}: ${value?.base} -> ${value?.value}`;
}

/** What is told where there is no value while the fault lasts, by what is told without it. */
function storyOf(
  rule: string,
  good: readonly Notice[],
  effect: Effect,
  spoilt: ReadonlySet<number>,
): readonly string[] {
  const gone = effect === "gone";
  if (isOfEntries(rule)) {
    const isBefore = ({ at }: Notice): boolean => at < Math.min(...spoilt);
    const [before, later] = [good.filter(isBefore), good.filter((one) => !isBefore(one))];
    return [
      ...before.map((one) => brief(rule, one)),
      ...(gone ? ["no_data", "data_back"] : []),
      ...later.map((one) => brief(rule, one)),
    ];
  }
  const last = Math.max(...spoilt);
  const back = last + ROUND_MS;
  const before = good.filter(({ at }) => at < Math.min(...spoilt)).map((one) => brief(rule, one));
  const after = good.filter(({ at }) => at > back).map((one) => brief(rule, one));
  // What changed meanwhile is told as one change, when there is a value again.
  const missed = good.filter(
    ({ at, kind }) => kind === "changed" && at > Math.min(...spoilt) - 1 && at <= back,
  );
  const [base, value] = [missed[0]?.values[0]?.base, missed.at(-1)?.values[0]?.value];
  const once = missed.length === 0 || base === value ? [] : [`${back}: ${base} -> ${value}`];
  return [...before, ...(gone ? ["no_data", "data_back"] : []), ...once, ...after];
}

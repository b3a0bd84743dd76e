import { isCompleted } from "../decide/notification-state.ts";
import type { WatchKind } from "../kinds/kind.ts";
import type { Alert, Ask, Rule, Subject } from "../model/index.ts";
import type { Share } from "../poll/division.ts";
import type { AlertMemory, Memory, RuleMemory } from "../poll/memory.ts";
import {
  isKeyRefused,
  isWithin,
  returnedIn,
  type Scope,
  type ScopeOutage,
  scopeFromKey,
  scopeKey,
} from "../poll/outages.ts";
import type { Answered } from "../poll/round-sum.ts";

const SERVICE: Scope = { record: null, chainId: null };

/** Whether an alert knows nothing because of what a scope does not answer. */
function isBlind({ alert, unanswered, ...one }: AlertMemory, scope: Scope): boolean {
  if (unanswered === null) return false;
  // What it looks at may be known all the same, as of a position without its pool.
  if (alert !== null && (alert.missing === null || isCompleted(alert))) return false;
  return isWithin(scope, unanswered.record, chainOf(one));
}

/** Whether an alert has no value without what a scope answers. */
function needs(one: AlertMemory, scope: Scope, date: number): boolean {
  if (one.alert !== null && isCompleted(one.alert)) return false;
  return recordsOf(one, date).some((record) => isWithin(scope, record, chainOf(one)));
}

function recordsOf({ watched, owner }: AlertMemory, date: number): readonly Ask["record"][] {
  const { subject, cursor } = watched.members[0] ?? owner;
  return asked(watched.kind, subject, date, cursor);
}

function asked(
  kind: WatchKind,
  subject: Subject,
  date: number,
  cursor: string | null = null,
): readonly Ask["record"][] {
  if (kind.records.length > 0) return kind.records;
  return kind.asks(subject, date, cursor).map(({ record }) => record);
}

/** Null: it is of several chains together. */
function chainOf({ subject }: Pick<AlertMemory, "subject">): number | null {
  return subject.chainId === 0 ? null : subject.chainId;
}

/** Those of which an alert lacks a value: of a sum any of them may be the last to come back. */
function chainsOf({ watched, subject }: AlertMemory): readonly number[] {
  if (subject.chainId !== 0) return [subject.chainId];
  return [...new Set(watched.rule.subjects.map(({ chainId }) => chainId))];
}

/** What other daemons watch beside this one. */
export interface Elsewhere {
  /** All rules, whoever decides them. */
  readonly rules: readonly Rule[];
  readonly kinds: ReadonlyMap<string, WatchKind>;
  /** What of them this daemon decides. */
  readonly share: Share;
}

/** Finds at the end of a round what an alert without an answer is a part of. */
export class OutageScopes {
  readonly #scopes = new Map<string, Scope | null>();
  readonly #crowds = new Map<string, boolean>();
  readonly #returned = new Map<string, number | null>();
  /** What people know to be down. */
  readonly #told: readonly Scope[];
  /** Made when it is asked for: a round of many rules mostly ends without. */
  #current: ReadonlySet<RuleMemory> | null = null;

  constructor(
    private readonly memory: Memory,
    /** Those of the round at `date`. */
    private readonly rules: readonly RuleMemory[],
    private readonly date: number,
    private readonly elsewhere: Elsewhere | null = null,
  ) {
    this.#told = [...memory.sources.values()].flatMap(({ subject, state }) => {
      const scope = scopeFromKey(subject);
      return state === "firing" && scope !== null ? [scope] : [];
    });
  }

  /** The largest part of the service that answers nothing, if that is why; null: it is for the alert alone. */
  scopeOf(one: AlertMemory, record: Ask["record"]): Scope | null {
    const chainId = chainOf(one);
    const { missingAfterMs } = one.watched.rule;
    const told = this.#told.find((scope) => isWithin(scope, record, chainId));
    if (told !== undefined) return told;
    return once(this.#scopes, `${record} ${chainId} ${missingAfterMs}`, () => {
      const ofChain =
        chainId === null
          ? []
          : [
              { record: null, chainId },
              { record, chainId },
            ];
      let best: { readonly scope: Scope; readonly outage: ScopeOutage } | null = null;
      for (const scope of [SERVICE, { record, chainId: null }, ...ofChain]) {
        const outage = this.#outage(scope, missingAfterMs);
        if (outage === null || !this.#isCrowd(scope, outage)) continue;
        if (best === null || isLarger(outage, best.outage)) best = { scope, outage };
      }
      return best?.scope ?? null;
    });
  }

  /** Without what people know already. */
  outageOf(scope: Scope): ScopeOutage | null {
    return this.memory.outages.outageOf(scope, this.memory.sources, this.#told);
  }

  /**
   * How many rules and alerts know nothing because of it, of which people do not know yet; after a start also
   * those that are looked at later, and need what is not answered, as what other daemons watch does.
   */
  blindBy(scope: Scope): { rules: number; alerts: number } {
    const isConcerned = (one: AlertMemory, part: Scope): boolean =>
      this.#isOfLater(one.watched) ? needs(one, part, this.date) : isBlind(one, part);
    const isNews = (one: AlertMemory): boolean =>
      isConcerned(one, scope) && !this.#told.some((told) => isConcerned(one, told));
    const counts = this.#elsewhereBy(scope);
    for (const { rule, alerts } of this.memory.rules) {
      const count = alerts.filter(isNews).length;
      if (count > 0) counts.set(rule.name, (counts.get(rule.name) ?? 0) + count);
    }
    return { rules: counts.size, alerts: [...counts.values()].reduce((sum, one) => sum + one, 0) };
  }

  /** By rules the alerts of other daemons that need what a scope answers, but for those of which people know it. */
  #elsewhereBy(scope: Scope): Map<string, number> {
    const counts = new Map<string, number>();
    if (this.elsewhere === null) return counts;
    const { rules, kinds, share } = this.elsewhere;
    const isNeeded = (record: Ask["record"], chainId: number | null): boolean =>
      isWithin(scope, record, chainId) &&
      !this.#told.some((told) => isWithin(told, record, chainId));
    for (const { name, kind: kindName, across, subjects } of rules) {
      const kind = kinds.get(kindName);
      if (kind === undefined) continue;
      const alerts = across === null ? subjects : subjects.slice(0, 1);
      const isOfSeveral =
        across !== null && subjects.some(({ chainId }) => chainId !== subjects[0]?.chainId);
      const count = alerts.filter((subject) => {
        if (share.slots.has(share.division.slotOf(name, subject.key))) return false;
        const chainId = isOfSeveral ? null : subject.chainId;
        return asked(kind, subject, this.date).some((record) => isNeeded(record, chainId));
      }).length;
      if (count > 0) counts.set(name, count);
    }
    return counts;
  }

  /**
   * Whether people know of it: of this, of what it is a part of, or of an outage that has only grown. A key that they
   * know to be refused is found to be so by others whenever those ask next.
   */
  isTold(scope: Scope, fresh: readonly Alert[]): boolean {
    const service = this.memory.outages.outageOf(SERVICE, this.memory.sources);
    return [...this.memory.sources.values(), ...fresh].some((alert) => {
      const told = scopeFromKey(alert.subject);
      if (alert.state !== "firing" || told === null) return false;
      if (covers(told, scope)) return true;
      if (service === null) return false;
      const begun = service.byKey && isKeyRefused(alert) ? alert.createdAt : alert.since;
      return (service.quietSince ?? begun) <= begun;
    });
  }

  /**
   * Whether its source is only coming back: what was not answered yet may be next. What is still without a
   * value a round after others of its kind on its chain, or as long after the outage as the rule is patient,
   * is told by itself.
   */
  isReturning(one: AlertMemory, record: Ask["record"], answered: Answered): boolean {
    return chainsOf(one).some((chainId) =>
      this.#isReturning(one.watched, record, chainId, answered),
    );
  }

  #isReturning(
    watched: RuleMemory,
    record: Ask["record"],
    chainId: number,
    answered: Answered,
  ): boolean {
    const { outages, sources } = this.memory;
    if (answered.get(record)?.has(chainId) !== true) {
      const returned = once(this.#returned, scopeKey({ record, chainId }), () =>
        returnedIn({ record, chainId }, sources),
      );
      return returned !== null && this.date - returned < watched.rule.missingAfterMs;
    }
    const own = outages.answeredBefore(record, chainId, this.date);
    const last = own ?? sources.get(record)?.heldAt ?? null;
    const before = watched.roundBefore(this.date);
    return last === null || (before !== null && last < before);
  }

  /** Whether a rule is looked at only in a later round than this, for the first time after a start. */
  #isOfLater(rule: RuleMemory): boolean {
    if (!rule.isUnseen) return false;
    this.#current ??= new Set(this.rules);
    return !this.#current.has(rule);
  }

  #outage(scope: Scope, patienceMs: number): ScopeOutage | null {
    const outage = this.outageOf(scope);
    if (outage === null) return null;
    const { quietSince } = outage;
    return quietSince === null || this.date - quietSince >= patienceMs ? outage : null;
  }

  /**
   * Whether an alert that was not looked at since a restart knew nothing before it because of what a scope did not
   * answer, by what is stored.
   */
  #wasBlind(one: AlertMemory, scope: Scope): boolean {
    const { alert, watched } = one;
    const chainId = chainOf(one);
    const { lastRound } = watched.state;
    if (alert === null || alert.missing === null || chainId === null || lastRound === null)
      return false;
    if (!this.#isOfLater(watched) || isCompleted(alert)) return false;
    return recordsOf(one, this.date).some((record) => {
      const heldAt = this.memory.sources.get(scopeKey({ record, chainId }))?.heldAt ?? null;
      return isWithin(scope, record, chainId) && (heldAt === null || heldAt < lastRound);
    });
  }

  /** One kind of records is not the whole service, and one subject is told by its own name. */
  #isCrowd(scope: Scope, outage: ScopeOutage): boolean {
    if (scope.chainId === null) return scope.record !== null || outage.records > 1;
    return once(this.#crowds, `${scope.record} ${scope.chainId}`, () => {
      const blind = new Set<string>();
      for (const { alerts } of this.memory.rules) {
        for (const one of alerts) {
          if (isBlind(one, scope) || this.#wasBlind(one, scope)) blind.add(one.subject.key);
        }
      }
      return blind.size > 1;
    });
  }
}

/** There may be many alerts of one kind: what is known of one is found once. */
function once<T>(known: Map<string, T>, key: string, find: () => T): T {
  const before = known.get(key);
  if (before !== undefined) return before;
  const found = find();
  known.set(key, found);
  return found;
}

function isLarger(one: ScopeOutage, other: ScopeOutage): boolean {
  if (one.cells !== other.cells) return one.cells > other.cells;
  return one.isWhole && !other.isWhole;
}

function covers(told: Scope, scope: Scope): boolean {
  return (
    (told.record === null || told.record === scope.record) &&
    (told.chainId === null || told.chainId === scope.chainId)
  );
}

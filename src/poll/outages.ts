import { type Alert, type Ask, isRecordName, RECORDS, type ScopeRead } from "../model/index.ts";
import { type ChainTally, emptyTally, type RecordTally, type Tallies } from "./tally.ts";

/** A part of the service that may fail as a whole: records of a kind, a chain, both, or all of it. */
export interface Scope {
  /** Null: of every kind. */
  readonly record: Ask["record"] | null;
  /** Null: of every chain. */
  readonly chainId: number | null;
}

/** Records of one kind on one chain: what a request asks for, and so what fails together. */
interface Cell {
  readonly record: Ask["record"];
  readonly chainId: number;
  /** The date of the last round that asked. */
  asked: number;
  /** Of the last in which something was answered, and of the one before, also before a restart; null: of none. */
  answered: number | null;
  answeredBefore: number | null;
  /** In the last round: requests that failed, and asks that were refused. */
  failed: number;
  refused: number;
  /** Nothing but the key was why. */
  byKey: boolean;
  detail: string | null;
}

const SERVICE = "service";
const CHAIN = "chain:";

/** The subject of the notices about a scope; `v4_pool`, `chain:137`, `v4_pool@137`, `service`. */
export function scopeKey({ record, chainId }: Scope): string {
  if (chainId === null) return record ?? SERVICE;
  return record === null ? `${CHAIN}${chainId}` : `${record}@${chainId}`;
}

export function scopeFromKey(key: string): Scope | null {
  if (key === SERVICE) return { record: null, chainId: null };
  if (isOfService(key)) return { record: key, chainId: null };
  const chain = /^(?:chain:|(\w+)@)(\d{1,15})$/.exec(key);
  if (chain === null) return null;
  const [, record, chainId] = chain;
  if (record === undefined) return { record: null, chainId: Number(chainId) };
  return isOfService(record) ? { record, chainId: Number(chainId) } : null;
}

/** What the source says of itself is no part of the service: it is answered whatever the service does. */
function isOfService(text: string): text is Ask["record"] {
  return (RECORDS as readonly string[]).includes(text);
}

export function isWithin(scope: Scope, record: Ask["record"], chainId: number | null): boolean {
  if (scope.record !== null && scope.record !== record) return false;
  return scope.chainId === null || scope.chainId === chainId;
}

/** How a scope fares in which nothing was answered in the last rounds. */
export interface ScopeOutage {
  /** When something was answered last, or an outage of some of it ended; null: never. */
  readonly quietSince: number | null;
  /** Kinds of records, and kinds on a chain, that were asked for since and not answered. */
  readonly records: number;
  readonly cells: number;
  /** That is all that there is of it. */
  readonly isWhole: boolean;
  /** Nothing but the key is why. */
  readonly byKey: boolean;
  readonly detail: string | null;
}

/** How each kind of records fares on each chain, since the daemon was started. */
export class Outages {
  readonly #cells = new Map<string, Cell>();

  /** As a new run of a daemon begins, which knows no more than what is stored. */
  restart(): void {
    this.#cells.clear();
  }

  /** What a round at `date` came to. `sources`: what is stored of records, without this round. */
  observe(date: number, tallies: Tallies, sources: ReadonlyMap<string, Alert>): void {
    for (const [record, { chains }] of tallies) {
      // What the source says of itself is answered whatever the service does.
      if (record === "endpoint") continue;
      for (const [chainId, tally] of chains) {
        const key = scopeKey({ record, chainId });
        const cell =
          this.#cells.get(key) ?? newCell(record, chainId, date, sources.get(key)?.heldAt ?? null);
        this.#cells.set(key, cell);
        // Several groups of rules may ask at one date.
        const again = cell.asked === date;
        cell.asked = date;
        if (tally.answered > 0 && cell.answered !== date) {
          cell.answeredBefore = cell.answered;
          cell.answered = date;
        }
        cell.failed = tally.failed + (again ? cell.failed : 0);
        cell.refused = tally.refused + (again ? cell.refused : 0);
        cell.byKey = tally.byKey === tally.failed + tally.refused && (!again || cell.byKey);
        cell.detail = tally.detail ?? (again ? cell.detail : null);
      }
    }
  }

  /** Whether a round later than that at `date` has asked for something of a scope. */
  isAskedAfter(date: number, scope: Scope = NO_SCOPE): boolean {
    for (const { asked, record, chainId } of this.#cells.values()) {
      if (asked > date && isWithin(scope, record, chainId)) return true;
    }
    return false;
  }

  /** In which round before `date` something of a record was answered on a chain; null: in none. */
  answeredBefore(record: Ask["record"], chainId: number, date: number): number | null {
    const cell = this.#cells.get(scopeKey({ record, chainId }));
    if (cell === undefined) return null;
    return cell.answered === date ? cell.answeredBefore : cell.answered;
  }

  /**
   * Null: nothing was asked for since something was answered, or nothing but ids was refused that never
   * were good. `sources`: what is stored of records. `told`: what people know to be down, which counts no more.
   */
  outageOf(
    scope: Scope,
    sources: ReadonlyMap<string, Alert>,
    told: readonly Scope[] = [],
  ): ScopeOutage | null {
    const all = [...this.#cells.values()].filter((cell) =>
      isWithin(scope, cell.record, cell.chainId),
    );
    const good = latest([...all.map(({ answered }) => answered), storedAnswer(scope, sources)]);
    const cells = all.filter(
      ({ asked, record, chainId }) =>
        (good === null || asked > good) && !told.some((one) => isWithin(one, record, chainId)),
    );
    if (cells.length === 0) return null;
    const failed = cells.some((cell) => cell.failed > 0);
    const refused = cells.reduce((sum, cell) => sum + cell.refused, 0);
    // One id that is refused is a bad id; several that were good are not, nor is all that was ever asked.
    const isOfIds = good === null && scope.record !== null && this.#hasAnswered(sources);
    if (!failed && (refused < 2 || isOfIds)) return null;
    return {
      quietSince: latest([good, returnedIn(scope, sources)]),
      records: new Set(cells.map(({ record }) => record)).size,
      cells: cells.length,
      isWhole: cells.length === all.length,
      byKey: cells.every(({ byKey }) => byKey),
      detail: cells.find(({ detail }) => detail !== null)?.detail ?? null,
    };
  }

  /** Whether anything was ever answered. */
  #hasAnswered(sources: ReadonlyMap<string, Alert>): boolean {
    for (const { answered } of this.#cells.values()) if (answered !== null) return true;
    for (const { heldAt } of sources.values()) if (heldAt !== null) return true;
    return false;
  }

  /** The clock was set back. */
  rewind(now: number): void {
    const earlier = (date: number | null): number | null =>
      date === null ? null : Math.min(date, now);
    for (const cell of this.#cells.values()) {
      cell.asked = Math.min(cell.asked, now);
      cell.answered = earlier(cell.answered);
      cell.answeredBefore = earlier(cell.answeredBefore);
    }
  }
}

/** What the alert of a source says of its trouble, where that is the key. */
export const KEY_REFUSED = "key refused";

export function isKeyRefused({ state, lastNotified }: Alert): boolean {
  return state === "firing" && lastNotified.value === KEY_REFUSED;
}

/** What the alert of a source says once it was down, and is back since. */
export const RETURNED = "returned";

/** When something of a scope was answered last as it is stored, also what this run has not asked for yet. */
function storedAnswer(scope: Scope, sources: ReadonlyMap<string, Alert>): number | null {
  return latest(
    Array.from(sources, ([key, { heldAt }]) => {
      const { record, chainId } = scopeFromKey(key) ?? NO_SCOPE;
      return record !== null && isWithin(scope, record, chainId) ? heldAt : null;
    }),
  );
}

const NO_SCOPE: Scope = { record: null, chainId: null };

/**
 * When the last outage was over of which people were told, of a scope or of what has parts of it: what was not
 * answered yet gets its time. Null: there was none. `sources`: what is stored of them.
 */
export function returnedIn(scope: Scope, sources: ReadonlyMap<string, Alert>): number | null {
  return latest(
    Array.from(sources, ([key, alert]) => {
      const told = hasReturned(alert) ? scopeFromKey(key) : null;
      return told !== null && haveParts(told, scope) ? alert.since : null;
    }),
  );
}

/** Whether there are records that are within both. */
function haveParts(one: Scope, other: Scope): boolean {
  return (
    (one.record === null || other.record === null || one.record === other.record) &&
    (one.chainId === null || other.chainId === null || one.chainId === other.chainId)
  );
}

function hasReturned({ state, lastNotified }: Alert): boolean {
  return state === "ok" && lastNotified.value === RETURNED;
}

function newCell(
  record: Ask["record"],
  chainId: number,
  asked: number,
  answered: number | null,
): Cell {
  const nothing = { answeredBefore: null, failed: 0, refused: 0, byKey: true, detail: null };
  return { record, chainId, asked, answered, ...nothing };
}

function latest(dates: readonly (number | null)[]): number | null {
  return dates.reduce<number | null>(
    (most, date) => (date === null ? most : Math.max(most ?? date, date)),
    null,
  );
}

type Scopes = Readonly<Record<string, ScopeRead>>;

/** As much of tallies as outages are judged by. Counts that say nothing more are left out, so that rounds are alike. */
export function scopesOf(tallies: Tallies): Scopes {
  const scopes: Record<string, ScopeRead> = {};
  for (const [record, { chains }] of tallies) {
    for (const [chainId, { answered, failed, refused, byKey, detail }] of chains) {
      scopes[scopeKey({ record, chainId })] = {
        answered: answered > 0,
        failed: failed > 0,
        refused: refused > 1 ? 2 : refused === 1 ? 1 : 0,
        byKey: byKey === failed + refused,
        detail,
      };
    }
  }
  return scopes;
}

/** Tallies that outages are judged by as by those that `scopesOf` was given; a key that it does not make is left out. */
export function talliesOf(scopes: Scopes): Tallies {
  const tallies = new Map<Ask["record"], RecordTally>();
  for (const [key, { answered, failed, refused, byKey, detail }] of Object.entries(scopes)) {
    const [record, chain] = key.split("@");
    const chainId = Number(chain);
    if (record === undefined || !isRecordName(record) || !Number.isSafeInteger(chainId)) continue;
    const tally = tallies.get(record) ?? emptyTally();
    tallies.set(record, tally);
    const failures = failed ? 1 : 0;
    const one: ChainTally = {
      answered: answered ? 1 : 0,
      failed: failures,
      refused,
      byKey: byKey ? failures + refused : -1,
      detail,
    };
    tally.chains.set(chainId, one);
    tally.answered += one.answered;
    tally.failed += one.failed;
    tally.detail ??= detail;
  }
  return tallies;
}

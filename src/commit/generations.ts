import { createHash } from "node:crypto";
import type { Source } from "../fetch/source.ts";
import type { WatchKind } from "../kinds/kind.ts";
import type { Ask, Family, Setup, SubjectMarks } from "../model/index.ts";
import type { Sources, SubjectMemory } from "../poll/memory.ts";
import type { SourceAffinity } from "./source-affinity.ts";

/** A record that another family answers than before. */
export interface FamilyMove {
  readonly record: Ask["record"];
  readonly family: Family;
}

interface Renewed {
  readonly isNew: boolean;
  /** Null: nothing is known of before. */
  readonly move: FamilyMove | null;
  readonly mark: SubjectMarks;
}

/**
 * Tells the samples of one source from those of another. A subject's series, cursor and marks are kept
 * under a name of their own for each generation of it, which ends when another family or another address answers:
 * what was measured before is no base for what is measured from then on.
 */
export class Generations {
  readonly addresses: Addresses;
  readonly #ways: NonNullable<Source["ways"]>;
  readonly #byKind = new Map<WatchKind, string>();

  constructor(
    source: Source,
    private readonly affinity: SourceAffinity,
    service: Setup["service"],
    /** As they were when it was opened. */
    readonly marks: ReadonlyMap<string, string>,
  ) {
    this.#ways = (ask) => source.ways?.(ask) ?? [];
    this.addresses = readAddresses(marks.get(ADDRESSES_MARK), service);
  }

  /** Takes over what the store knows of a subject that was just made. */
  begin(subject: SubjectMemory, now: number): void {
    const known = this.#byKind.get(subject.kind);
    if (known !== undefined) {
      subject.generation = known;
      return;
    }
    const asks = subject.kind.asks(subject.subject, now);
    const shared = asks.filter((ask) => this.affinity.isShared(ask));
    if (shared.length > 0) {
      const { sources, changes } = provenanceFrom(this.marks.get(markName(subject)), shared);
      subject.provenance = { shared, sources, changes };
      for (const [i, ask] of shared.entries()) {
        const source = sources?.[i] ?? null;
        if (source !== null) this.affinity.restore(ask, source);
      }
    }
    subject.generation = this.#generationOf(subject, asks);
    // All subjects of such a kind ask for the same records, which one family has.
    const isAlike = shared.length === 0 && subject.kind.records.length > 0;
    if (isAlike) this.#byKind.set(subject.kind, subject.generation);
  }

  /** The generation of what is made of several subjects: another one as soon as one of theirs is. */
  beginTogether(owner: SubjectMemory, members: readonly SubjectMemory[]): void {
    owner.generation = generationTogether(members);
  }

  /** Whether an address that it is asked at has moved since the last run. */
  hasMoved(subject: SubjectMemory, now: number): boolean {
    const { moved } = this.addresses;
    if (moved.length === 0) return false;
    const bases = this.#basesOf(subject, subject.kind.asks(subject.subject, now));
    return moved.some(({ base }) => bases.has(base));
  }

  /**
   * Whether other families answer a subject than those of its samples, or may do so; it is in another generation
   * then.
   */
  renew(subject: SubjectMemory, now: number): Renewed | null {
    const { provenance } = subject;
    if (provenance === null) return null;
    const sources = provenance.shared.map(({ key }) => this.affinity.sourceOf(key));
    const before = provenance.sources;
    if (sources.every((source, i) => source === (before?.[i] ?? null))) return null;
    const isNew =
      before === null
        ? // Written by a version that did not know: it may have gone to and fro.
          subject.series.some(({ first }) => first > Number.NEGATIVE_INFINITY) &&
          provenance.shared.some((ask) => this.affinity.isOpen(ask))
        : sources.some((source, i) => source !== (before[i] ?? source));
    if (isNew) provenance.changes += 1;
    provenance.sources = sources;
    subject.generation = this.#generationOf(subject, subject.kind.asks(subject.subject, now));
    const [move = null] = provenance.shared.flatMap(({ record }, i): FamilyMove[] => {
      const [family, old] = [sources[i] ?? null, before?.[i] ?? null];
      return family === null || old === null || family === old ? [] : [{ record, family }];
    });
    const value = JSON.stringify([provenance.changes, ...sources]);
    return { isNew, move, mark: { subject: markName(subject), value } };
  }

  /** Whether any of what an owner is made of is in another generation than when its samples were taken. */
  renewTogether(owner: SubjectMemory, members: readonly SubjectMemory[]): boolean {
    const generation = generationTogether(members);
    if (generation === owner.generation) return false;
    owner.generation = generation;
    return true;
  }

  /** Whether the answers that are there come from elsewhere than the subject's samples. */
  isForeign({ provenance }: SubjectMemory): boolean {
    if (provenance === null || provenance.sources === null) return false;
    const { shared, sources } = provenance;
    return shared.some(({ key }, i) => {
      const before = sources[i] ?? null;
      return before !== null && this.affinity.sourceOf(key) !== before;
    });
  }

  /** Whether this family is asked for a record of a subject whose samples are from the other one. */
  goesTo({ record, family }: FamilyMove, { provenance }: SubjectMemory): boolean {
    if (provenance === null || provenance.sources === null) return false;
    const { shared, sources } = provenance;
    return shared.some((ask, i) => {
      const before = sources[i] ?? null;
      const isOther = before !== null && before !== family && ask.record === record;
      return isOther && this.affinity.askedOf(ask.key) === family;
    });
  }

  #generationOf(subject: SubjectMemory, asks: readonly Ask[]): string {
    const { generations } = this.addresses;
    const bases = [...this.#basesOf(subject, asks)].toSorted();
    const counts = bases.map((base) => generations.get(base) ?? 0);
    const place = counts.some((count) => count > 0) ? `@${counts.join(".")}` : "";
    const changes = subject.provenance?.changes ?? 0;
    return changes === 0 ? place : `${place}~${changes}`;
  }

  /** The addresses, by their keys, that what a subject cannot do without is asked at. */
  #basesOf({ kind, provenance }: SubjectMemory, asks: readonly Ask[]): ReadonlySet<string> {
    const needed = asks.filter(({ record }) => kind.records.includes(record));
    const bases = new Set<string>();
    for (const ask of needed.length > 0 ? needed : asks) {
      const at = provenance?.shared.findIndex(({ key }) => key === ask.key) ?? -1;
      const source = provenance?.sources?.[at] ?? null;
      for (const { family, base } of this.#ways(ask)) {
        if (source === null || family === source) bases.add(base);
      }
    }
    return bases;
  }
}

/** The address of a service that asks EVM nodes. */
const NODES = "EVM nodes";

/** Under which name the store keeps where a subject's values come from, among the marks. */
function markName({ key }: SubjectMemory): string {
  return `family:${key}`;
}

function generationTogether(members: readonly SubjectMemory[]): string {
  const generations = members.map(({ key, generation }) => `${key}${generation}`);
  if (members.every(({ generation }) => generation === "")) return "";
  return `@${createHash("sha256").update(generations.toSorted().join("\n")).digest("hex").slice(0, 8)}`;
}

function provenanceFrom(
  text: string | undefined,
  shared: readonly Ask[],
): { readonly sources: Sources | null; readonly changes: number } {
  const list: unknown = text === undefined ? null : JSON.parse(text);
  if (!Array.isArray(list)) return { sources: null, changes: 0 };
  const [changes, ...sources] = list as readonly unknown[];
  return {
    changes: typeof changes === "number" ? changes : 0,
    sources: shared.map((_, i) => {
      const source = sources[i];
      return source === "current" || source === "earlier" ? source : null;
    }),
  };
}

/** Under which name the store keeps the addresses of the service, among the marks. */
const ADDRESSES_MARK = "service:addresses";

/** An address of the service that is another one than in the run before. */
interface Moved {
  /** The configuration's key. */
  readonly base: string;
  readonly from: string;
  readonly to: string;
}

/** The addresses of the service over all runs. */
export interface Addresses {
  /** How often the address under each key of the configuration has changed; absent: never. */
  readonly generations: ReadonlyMap<string, number>;
  readonly moved: readonly Moved[];
  /** What to write down; null: nothing is new. */
  readonly mark: SubjectMarks | null;
}

/**
 * Holds the addresses of the configuration against those that the store has seen last (`text`). One that
 * is taken away and put back is still the same.
 */
function readAddresses(text: string | undefined, service: Setup["service"]): Addresses {
  const known = new Map(knownFrom(text));
  const moved: Moved[] = [];
  let isNew = false;
  // Where the daemon answers itself its own address is another one at each start, and says nothing.
  const isOwn = service.rpc !== null && service.rpc !== undefined;
  for (const [base, url] of [
    ["base_url", service.baseUrl],
    ["legacy_base_url", service.legacyBaseUrl ?? null],
  ] as const) {
    if (url === null) continue;
    const to = isOwn ? NODES : addressOf(url);
    const before = known.get(base);
    if (before?.address === to) continue;
    isNew = true;
    known.set(base, { address: to, generation: before === undefined ? 0 : before.generation + 1 });
    if (before !== undefined) moved.push({ base, from: before.address, to });
  }
  const entries = [...known].map(([base, { address, generation }]) => [base, address, generation]);
  return {
    generations: new Map([...known].map(([base, { generation }]) => [base, generation])),
    moved,
    mark: isNew ? { subject: ADDRESSES_MARK, value: JSON.stringify(entries) } : null,
  };
}

/** As much of an address as says where it leads: no secret that somebody may have put into it. */
function addressOf(url: string): string {
  if (!URL.canParse(url)) return "";
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`.replace(/\/+$/, "");
}

interface Known {
  readonly address: string;
  readonly generation: number;
}

function knownFrom(text: string | undefined): (readonly [string, Known])[] {
  const list: unknown = text === undefined ? [] : JSON.parse(text);
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const [base, address, generation] = Array.isArray(entry) ? (entry as readonly unknown[]) : [];
    const isWhole = typeof base === "string" && typeof address === "string";
    return isWhole && typeof generation === "number"
      ? [[base, { address, generation }] as const]
      : [];
  });
}

import { chainName } from "../base/chains.ts";
import type { Clock } from "../base/clock.ts";
import { MINUTE, SECOND } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import type { Source } from "../fetch/source.ts";
import type { WatchKind } from "../kinds/kind.ts";
import {
  HOLDINGS_MARK,
  heldIn,
  holdingsFromText,
  ownerAsk,
  ownerKey,
  withHoldings,
} from "../kinds/owned.ts";
import type { Ask, Held, Holdings, Setup } from "../model/index.ts";
import type { Store } from "../store/store.ts";

export interface HoldingsParts {
  readonly kinds: ReadonlyMap<string, WatchKind>;
  readonly store: Pick<Store, "mark">;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn" | "info">;
  /** Whether it is this daemon that watches what owners hold; absent: it is. */
  readonly isOurs?: () => boolean;
}

/** What owners hold is asked for as often as their rules are polled, and once a minute at least. */
const OFTEN_MS = SECOND;
const RARELY_MS = MINUTE;
/** An answer is waited for so long, in real milliseconds. */
const PATIENCE_MS = 15 * SECOND;

/** Keeps a setup at what the owners hold whose positions it watches. */
export class HoldingsWatch {
  readonly #parts: HoldingsParts;
  #given: Setup;
  #known: Holdings;
  /** What was not in the newest answer: it has left if the next one does not have it either. */
  readonly #missing = new Map<string, ReadonlySet<string>>();
  readonly #failing = new Set<string>();
  #isFollowed = true;
  #cancel = (): void => {};
  /** Looks when it is time; null: it was not started, or there is no owner. */
  #begin: (() => void) | null = null;
  #isWaiting = false;
  #looking: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();

  private constructor(parts: HoldingsParts, given: Setup, known: Holdings) {
    this.#parts = parts;
    this.#given = given;
    this.#known = known;
  }

  /** Takes over what the store has kept of owners, or what the setup knows already. */
  static async open(given: Setup, parts: HoldingsParts): Promise<HoldingsWatch> {
    const known = given.holdings ?? holdingsFromText(await parts.store.mark(HOLDINGS_MARK));
    return new HoldingsWatch(parts, given, known);
  }

  /** Why an owner's positions could not be read, a line each. */
  readonly troubles: string[] = [];

  /** The setup with what its owners hold, as far as that is known; it is the one to be kept from now on. */
  expand(given: Setup): Setup {
    this.#given = given;
    this.#begin?.();
    return withHoldings(given, this.#known, this.#parts.kinds);
  }

  /**
   * The setup with what its owners hold: those of whom nothing is known are asked about, at a source that is
   * closed again unless it is `given`.
   */
  async begin(
    setup: Setup,
    openSource: (setup: Setup) => Source,
    given: Source | undefined,
  ): Promise<Setup> {
    if ([...this.#asked().keys()].some((key) => !this.#known.has(key))) {
      const source = openSource(setup);
      await this.look(source);
      if (source !== given) await source.close();
    }
    return this.expand(setup);
  }

  /** Goes on with what another daemon has written down last. Throws StoreError. */
  async takeOver(): Promise<void> {
    this.#known = holdingsFromText(await this.#parts.store.mark(HOLDINGS_MARK));
    this.#missing.clear();
  }

  /** Asks what the owners hold. Resolves to whether that is something else than before. Never rejects. */
  async look(source: Source): Promise<boolean> {
    const asked = this.#asked();
    this.troubles.length = 0;
    const next = new Map(this.#known);
    let moved = false;
    await Promise.all(
      [...asked].map(async ([key, ask]) => {
        const held = await this.#held(source, key, ask);
        const known = this.#known.get(key);
        if (held === null || areSame(known, held)) return;
        next.set(key, held);
        moved = true;
      }),
    );
    if (moved) this.#known = next;
    return moved;
  }

  /**
   * Looks again and again, where `follow` goes over to the setup with what has changed, as it is when its turn has come; returns
   * the way to stop.
   */
  start(
    source: () => Source,
    follow: (given: () => Setup) => Promise<unknown>,
  ): () => Promise<void> {
    this.#begin = () => {
      // A setup that is followed later may have the first owner.
      if (this.#isWaiting || this.#stop.signal.aborted || this.#asked().size === 0) return;
      this.#isWaiting = true;
      this.#cancel = this.#parts.clock.after(ownersEveryMs(this.#given.rules), () => {
        this.#looking = this.#again(source, follow);
      });
    };
    this.#begin();
    return async () => {
      this.#cancel();
      this.#stop.abort();
      await this.#looking;
    };
  }

  async #again(
    source: () => Source,
    follow: (given: () => Setup) => Promise<unknown>,
  ): Promise<void> {
    const moved = await this.look(source());
    if (this.#stop.signal.aborted) return;
    this.#isFollowed &&= !moved;
    if (!this.#isFollowed) {
      // Where it is no time for it, it is tried with the next look.
      await follow(() => this.#given).then(
        () => {
          this.#isFollowed = true;
        },
        (error: unknown) =>
          this.#parts.log.warn({ err: error }, "other positions are not watched yet"),
      );
    }
    this.#isWaiting = false;
    this.#begin?.();
  }

  async #held(source: Source, key: string, ask: Ask): Promise<Held | null> {
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(PATIENCE_MS)]);
    const [request] = source.plan([ask]);
    const answers = request === undefined ? [] : await source.fetch(request, signal);
    const answer = answers[0] ?? { status: "absent" as const };
    const known = this.#known.get(key);
    const held = heldIn(answer, ask.record, known);
    if (held === null) {
      const detail = answer.status === "failed" ? answer.failure.detail : "no list in the answer";
      const what = `${ask.record === "v3_owned" ? "V3" : "V4"} positions of ${ask.wallet ?? ""}`;
      this.troubles.push(`${what} on ${chainName(ask.chainId)} cannot be read: ${detail}`);
      if (!this.#failing.has(key)) {
        this.#parts.log.warn({ owner: ask.wallet, detail }, "an owner's positions cannot be read");
      }
      this.#failing.add(key);
      return null;
    }
    this.#failing.delete(key);
    const absent = new Set([...(known?.keys() ?? [])].filter((nft) => !held.has(nft)));
    const before = this.#missing.get(key);
    this.#missing.set(key, absent);
    // One answer may be of a node that is behind, or of a block that is taken back.
    const stay = [...absent].filter((nft) => before?.has(nft) !== true);
    return new Map([...held, ...stay.map((nft) => [nft, known?.get(nft) ?? ""] as const)]);
  }

  #asked(): ReadonlyMap<string, Ask> {
    if (this.#parts.isOurs?.() === false) return new Map();
    return ownerAsks(this.#given.rules, this.#parts.kinds);
  }
}

/** How often it is asked for what the owners of these rules hold, in milliseconds. */
export function ownersEveryMs(rules: Setup["rules"]): number {
  const owned = rules.filter(({ owners }) => owners !== undefined);
  const shortest = Math.min(
    ...owned.map(({ schedule }) =>
      schedule.eachBlock ? OFTEN_MS : (schedule.everyMs ?? RARELY_MS),
    ),
  );
  return Math.min(Math.max(shortest, OFTEN_MS), RARELY_MS);
}

/** The asks for what owners hold, each once, by `ownerKey`. */
export function ownerAsks(
  rules: Setup["rules"],
  kinds: ReadonlyMap<string, WatchKind>,
): ReadonlyMap<string, Ask> {
  const asks = new Map<string, Ask>();
  for (const { kind: name, owners = [] } of rules) {
    const kind = kinds.get(name);
    if (kind === undefined) continue;
    for (const owner of owners) {
      const ask = ownerAsk(kind, owner);
      if (ask !== null) asks.set(ownerKey(name, owner), ask);
    }
  }
  return asks;
}

/** What owners hold, asked for once. */
export interface OwnersLook {
  /** With the positions of all of them. */
  readonly setup: Setup;
  /** Whose could not be read, a line each: of those it has what was known `before`, or none. */
  readonly troubles: readonly string[];
}

/** Asks a source once for what all owners of a setup hold. Never rejects. */
export async function lookAtOwners(
  setup: Setup,
  before: Holdings,
  openSource: (setup: Setup) => Source,
  parts: HoldingsParts,
): Promise<OwnersLook> {
  const asks = ownerAsks(setup.rules, parts.kinds);
  if (asks.size === 0) return { setup, troubles: [] };
  const watch = await HoldingsWatch.open({ ...setup, holdings: new Map() }, parts);
  const { holdings } = await watch.begin(setup, openSource, undefined);
  const found = new Map<string, Held>();
  for (const key of asks.keys()) {
    found.set(key, holdings?.get(key) ?? before.get(key) ?? new Map());
  }
  return {
    setup: withHoldings(setup, found, parts.kinds),
    troubles: watch.troubles.toSorted(),
  };
}

function areSame(one: Held | undefined, other: Held): boolean {
  return one?.size === other.size && [...other.keys()].every((nft) => one.has(nft));
}

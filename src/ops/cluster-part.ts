import { setTimeout as pause } from "node:timers/promises";
import { SECOND } from "../base/duration.ts";
import { keepNewest } from "../base/keep-newest.ts";
import { behindText } from "../cluster/rollout.ts";
import type { Holding } from "../cluster/worker.ts";
import type { Receivers } from "../delivery/deliver.ts";
import type { Setup } from "../model/index.ts";
import { Division, type Share, SLOTS } from "../poll/division.ts";
import { channelLease, KEEPER, slotFrom } from "../store/postgres/member-access.ts";

const NOTHING: Holding = { config: 0, held: new Map(), current: new Set(), behind: new Map() };
/** So many configurations are remembered of which others may still decide by. */
const MOST_KNOWN = 6;
/** A service counts requests in any second: those of who asked less, or more, before are over then. */
const RATE_WINDOW_MS = SECOND;

/**
 * What a daemon does that shares the work with others: its part of the rules, of the requests and of the channels. A
 * setup is bound to what was held when it was opened, so that going back to it goes back to that.
 */
export class ClusterPart {
  readonly #bound = new WeakMap<Setup, Holding>();
  readonly #divisions = new WeakMap<Setup["rules"], Division>();
  /** By the hash of a configuration how it divides the work. */
  readonly #known = new Map<string, Division>();
  #waiting: {
    readonly plain: Division;
    readonly text: string;
    readonly division: Division;
  } | null = null;
  #holding: Holding = NOTHING;
  #pace: number | null = null;

  /** `paceNodes`: from now on so much of the requests that each node may be sent is this daemon's. */
  constructor(private readonly paceNodes: (part: number) => void) {}

  /** The names of leases with their epochs. */
  get held(): Holding["held"] {
    return this.#holding.held;
  }

  get keeps(): boolean {
    return this.held.has(KEEPER);
  }

  /** How many parts of the work it has. */
  get slots(): number {
    return slotsOf(this.#holding).size;
  }

  /** Setups that are opened from now on decide for this. */
  bind(setup: Setup, holding: Holding = this.#holding): void {
    this.#bound.set(setup, holding);
  }

  /** What is decided, from now on, by this setup. Nothing may be decided by the one before any more. */
  async enter(setup: Setup): Promise<{ readonly setup: Setup; readonly share: Share }> {
    const holding = this.#bound.get(setup) ?? this.#holding;
    this.#holding = holding;
    this.#bound.set(setup, holding);
    const pace = slotsOf(holding).size;
    const before = this.#pace ?? pace;
    // What follows the blocks of nodes goes on beside the rounds: it asks less at once, and more when others do not any more.
    this.paceNodes(partOf(Math.min(before, pace)));
    if (before !== pace) await pause(RATE_WINDOW_MS);
    this.paceNodes(partOf(pace));
    this.#pace = pace;
    return { setup: this.paced(setup), share: this.share(setup, holding) };
  }

  /** The same rules, and other channels or the upkeep. */
  take(holding: Holding): void {
    this.#holding = holding;
  }

  get holding(): Holding {
    return this.#holding;
  }

  /** Others may decide by this configuration while this one has another one already. */
  know(hash: string, setup: Setup): void {
    keepNewest(this.#known, hash, this.#wholeOf(setup), MOST_KNOWN);
  }

  /** What waits for others in these slots, as a text. */
  waitingText(setup: Setup, holding: Holding): string {
    return this.divisionOf(setup, holding).waitingText(slotsOf(holding));
  }

  share(setup: Setup, holding: Holding = this.#holding): Share {
    return {
      config: holding.config,
      division: this.divisionOf(setup, holding),
      slots: slotsOf(holding),
      current: new Set([...holding.current].map(slotFrom).filter((slot) => slot !== null)),
    };
  }

  /** Without what others still decide by older configurations: without anything where one of these is not known. */
  divisionOf(setup: Setup, { behind }: Holding = this.#holding): Division {
    const plain = this.#wholeOf(setup);
    const isKnown = [...behind.keys()].every((hash) => this.#known.has(hash));
    const others = [...behind].flatMap(([hash, slots]) => {
      const division = this.#known.get(hash);
      return division === undefined || division === plain ? [] : [{ division, slots }];
    });
    if (isKnown && others.length === 0) return plain;
    const text = isKnown ? behindText(behind) : "";
    if (this.#waiting?.plain !== plain || this.#waiting.text !== text) {
      this.#waiting = { plain, text, division: new Division(setup.rules, isKnown ? others : null) };
    }
    return this.#waiting.division;
  }

  #wholeOf({ rules }: Setup): Division {
    const known = this.#divisions.get(rules) ?? new Division(rules);
    this.#divisions.set(rules, known);
    return known;
  }

  /** With this part of the requests a second and at a time. */
  paced(setup: Setup): Setup {
    const slots = slotsOf(this.#bound.get(setup) ?? this.#holding).size;
    const { service } = setup;
    return {
      ...setup,
      service: {
        ...service,
        requestsPerSecond: service.requestsPerSecond * partOf(slots),
        concurrency: placesOf(service.concurrency, slots),
      },
    };
  }

  /** Whether what owners hold is this one's to watch. */
  hasOwned(setup: Setup, holding: Holding = this.#holding): boolean {
    return this.divisionOf(setup, holding).hasOwned(slotsOf(holding));
  }

  /** The channels to which this daemon delivers. */
  receivers(all: Receivers, holding: Holding = this.#holding): Receivers {
    const isMine = ([name]: readonly [string, unknown]): boolean =>
      holding.held.has(channelLease(name));
    return {
      ...all,
      channels: new Map([...all.channels].filter(isMine)),
      elsewhere: new Set([...all.channels].filter((one) => !isMine(one)).map(([name]) => name)),
    };
  }
}

/** Of nothing nothing is asked, and no rate is 0. */
function partOf(slots: number): number {
  return Math.max(1, slots) / SLOTS;
}

/** Of so many requests at a time those of a daemon with so many slots: one at least. */
export function placesOf(concurrency: number, slots: number): number {
  return Math.max(1, Math.floor((concurrency * slots) / SLOTS));
}

export function slotsOf({ held }: Holding): ReadonlySet<number> {
  return new Set([...held.keys()].map(slotFrom).filter((slot) => slot !== null));
}

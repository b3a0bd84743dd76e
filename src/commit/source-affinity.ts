import type { Clock } from "../base/clock.ts";
import { MINUTE } from "../base/duration.ts";
import type { Request, Source } from "../fetch/source.ts";
import type { Answer, Ask, Family } from "../model/index.ts";

/**
 * So long, and in so many rounds, a family may not answer before the other one is asked: a little less than
 * after what time people are told by default that there is no data.
 */
const PATIENCE_MS = 4.5 * MINUTE;
const PATIENT_ROUNDS = 2;
/** While neither answers they take turns, each for longer than before, and for so many rounds at most. */
const LONGEST_TURN = 8;

/** What is known of an ask that two families can answer. */
interface Standing {
  /** Who answered last, which is where its values come from; null: nobody yet. */
  source: Family | null;
  /** Who is asked; null: the source may choose. */
  asked: Family | null;
  /** When it was answered last, epoch milliseconds. */
  answeredAt: number;
  /** Rounds since then, or since the other one was asked. */
  misses: number;
  /** After so many the other one has its turn. */
  turn: number;
  /** There is another one that could be asked. */
  isOpen: boolean;
  /** That one was asked in the round in which the first did not know it. */
  isTried: boolean;
}

/**
 * Keeps each ask with the family that answers it: two families say different things of one balance, or
 * the same at different times, and to go to and fro between them would be a change each time. Only where
 * one has stopped answering, or never has, the other is asked.
 */
export class SourceAffinity {
  /** By the key of the ask. */
  readonly #standings = new Map<string, Standing>();
  readonly #failing = new Set<Standing>();
  readonly #shared = new Map<string, boolean>();
  #moved = false;

  constructor(
    private readonly source: Source,
    private readonly clock: Clock,
  ) {}

  /** Whether several families can answer the ask, configured or not. */
  isShared(ask: Pick<Ask, "record" | "instead">): boolean {
    const key = `${ask.record}:${ask.instead ?? ""}`;
    let shared = this.#shared.get(key);
    if (shared === undefined) {
      shared = (this.source.ways?.(ask) ?? []).length > 1;
      this.#shared.set(key, shared);
    }
    return shared;
  }

  /** Whether there is a choice, as the service is configured. */
  isOpen(ask: Pick<Ask, "record" | "instead">): boolean {
    const ways = this.source.ways?.(ask) ?? [];
    return ways.filter(({ address }) => address !== null).length > 1;
  }

  /** Takes over who answered before a restart. */
  restore(ask: Ask, source: Family): void {
    const standing = this.#standingOf(ask.key);
    if (standing.source !== null) return;
    standing.source = source;
    standing.asked = source;
    standing.answeredAt = this.clock.now();
  }

  /** Who answered an ask last; null: nobody yet. */
  sourceOf(key: string): Family | null {
    return this.#standings.get(key)?.source ?? null;
  }

  /** Who is asked for it now; null: nobody yet. */
  askedOf(key: string): Family | null {
    return this.#standings.get(key)?.asked ?? null;
  }

  /** Whether other families are asked than when it was asked last, so that plans must be made anew. */
  hasMoved(now: number): boolean {
    for (const one of this.#failing) {
      const begun = one.source === null;
      const isDue = begun || (one.misses >= PATIENT_ROUNDS && now - one.answeredAt >= PATIENCE_MS);
      if (!isDue || !one.isOpen || one.misses < one.turn) continue;
      one.asked = one.asked === "current" ? "earlier" : "current";
      one.misses = 0;
      one.turn = Math.min(2 * one.turn, LONGEST_TURN);
      this.#moved = true;
    }
    const moved = this.#moved;
    this.#moved = false;
    return moved;
  }

  /** The source, with each ask at its family, and with an eye on who answers. */
  watch(): Source {
    const source = this.source;
    return {
      ...source,
      plan: (asks) => {
        const requests = source.plan(asks.map((ask) => this.#placed(ask)));
        for (const request of requests) this.#note(request);
        return requests;
      },
      fetch: async (request, signal, round) => {
        const answers = await source.fetch(request, signal, round);
        if (this.#standings.size === 0) return answers;
        for (const [i, ask] of request.asks.entries()) this.#learn(request, ask, answers[i]);
        return await this.#elsewhere(request, answers, signal, round);
      },
    };
  }

  /**
   * What a family that was never asked before does not know is asked at the other one in the same round,
   * once: a token that only one of them has needs no second round for its first value.
   */
  async #elsewhere(
    { asks, family }: Request,
    answers: readonly Answer[],
    signal: AbortSignal,
    round?: object,
  ): Promise<readonly Answer[]> {
    const other = family === "current" ? "earlier" : "current";
    const unknown = asks.filter((ask, i) => {
      const standing = ask.like === undefined ? this.#standings.get(ask.key) : undefined;
      const isElsewhere = standing !== undefined && isUnknown(standing, answers[i]);
      if (isElsewhere) standing.isTried = true;
      return isElsewhere;
    });
    if (unknown.length === 0) return answers;
    const found = new Map(asks.map((ask, i) => [ask.key, answers[i]]));
    for (const request of this.source.plan(unknown.map((ask) => ({ ...ask, family: other })))) {
      const others = await this.source.fetch(request, signal, round);
      for (const [i, ask] of request.asks.entries()) {
        const answer = others[i];
        const standing = this.#standings.get(ask.key);
        if (answer?.status !== "ok" || standing === undefined) continue;
        standing.asked = other;
        this.#learn(request, ask, answer);
        this.#moved = true;
        found.set(ask.key, answer);
      }
    }
    return asks.map(({ key }) => found.get(key)).filter((answer) => answer !== undefined);
  }

  #placed(ask: Ask): Ask {
    const family = this.#standings.get(ask.like ?? ask.key)?.asked ?? null;
    return family === null || !this.isShared(ask) ? ask : { ...ask, family };
  }

  /** What was chosen once stays: another plan may be made before the first answer. */
  #note({ family, asks }: Request): void {
    if (family === undefined) return;
    for (const ask of asks) {
      if (ask.like !== undefined || !this.isShared(ask)) continue;
      const standing = this.#standingOf(ask.key);
      standing.isOpen = this.isOpen(ask);
      // One that is configured no more cannot be asked.
      if (standing.asked === null || !standing.isOpen) standing.asked = family;
    }
  }

  #learn({ family }: Request, { key, like }: Ask, answer: Answer | undefined): void {
    const standing = like === undefined ? this.#standings.get(key) : undefined;
    if (standing === undefined || family !== standing.asked) return;
    // A family that knew it says by a good answer that there is none; one that never did only lacks it.
    const isGood =
      answer?.status === "ok" || (answer?.status === "absent" && standing.source === family);
    if (!isGood) {
      standing.misses += 1;
      this.#failing.add(standing);
      return;
    }
    standing.source = family;
    standing.answeredAt = this.clock.now();
    standing.misses = 0;
    standing.turn = 1;
    this.#failing.delete(standing);
  }

  #standingOf(key: string): Standing {
    let standing = this.#standings.get(key);
    if (standing === undefined) {
      standing = {
        source: null,
        asked: null,
        answeredAt: 0,
        misses: 0,
        turn: 1,
        isOpen: false,
        isTried: false,
      };
      this.#standings.set(key, standing);
    }
    return standing;
  }
}

/** The family that was asked says that there is no such thing, and has never said anything else. */
function isUnknown({ source, isOpen, isTried }: Standing, answer: Answer | undefined): boolean {
  if (source !== null || !isOpen || isTried || answer === undefined) return false;
  return (
    answer.status === "absent" ||
    (answer.status === "failed" && answer.failure.reason === "refused")
  );
}

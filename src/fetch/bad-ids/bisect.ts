import type { EndpointName } from "../../api/endpoints.ts";
import type { Answer, Ask, Failure } from "../../model/index.ts";
import { batchSize, groupKey, requestOf } from "../plan.ts";
import type { Request } from "../source.ts";
import {
  BadIds,
  Extras,
  halves,
  LEFT_BY_KNOWN,
  LEFT_BY_REFUSED,
  MOST_EXTRAS,
  RefusedGroups,
  type RoundExtras,
} from "./bad-ids.ts";

/** The result of one request. */
export type Part =
  | { readonly ok: true; readonly answers: readonly Answer[] }
  | {
      readonly ok: false;
      readonly failure: Failure;
      /** It may lie with one of the ids: refused, or an answer that cannot be read. */
      readonly ofContent: boolean;
    };

type FailedPart = Extract<Part, { ok: false }>;

/** Sends one request. An extra one asks `allow` before each attempt after the first. */
export type Send = (request: Request, signal: AbortSignal, allow?: () => boolean) => Promise<Part>;

/**
 * Keeps one bad id from blinding its batch: a batch that is refused is asked again in halves, down
 * to the bad ids, which from then on are asked alone. If both halves fail, the fault is with the
 * endpoint, and no more is asked in this round. The extra requests are bounded for each round.
 */
export class Bisection {
  readonly #bad = new BadIds();
  readonly #extras = new Extras();
  readonly #refused = new RefusedGroups();
  /** When something was answered last, and how many requests failed since. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  #failedSince = 0;

  /** `now`: milliseconds of a clock that is never set back. */
  constructor(
    private readonly sendPart: Send,
    private readonly now: () => number,
    private readonly onBad: (ask: Ask, failure: Failure) => void,
  ) {}

  /** Failures of ids while the endpoint answered nothing say nothing of the ids. */
  private async send(request: Request, signal: AbortSignal, allow?: () => boolean): Promise<Part> {
    const part = await this.sendPart(request, signal, allow);
    if (!part.ok) {
      this.#failedSince += 1;
      return part;
    }
    const now = this.now();
    if (this.#failedSince >= OUTAGE_REQUESTS && now - this.#answeredAt >= OUTAGE_MS) {
      this.#refused.clear();
      this.#bad.clear();
    }
    this.#answeredAt = now;
    this.#failedSince = 0;
    return part;
  }

  /** One answer for each ask, in order. All requests of a round must share the signal. */
  fetch(request: Request, signal: AbortSignal): Promise<readonly Answer[]> {
    return isBatch(request) && this.#bad.size > 0
      ? this.#fetchApart(request, signal)
      : this.#fetchWhole(request, signal);
  }

  async #fetchWhole(request: Request, signal: AbortSignal): Promise<readonly Answer[]> {
    const part = await this.send(request, signal);
    if (part.ok || !part.ofContent || !isBatch(request)) return answersOf(request, part);
    if (signal.aborted) return answersOf(request, { ...part, failure: late(part.failure) });
    const { endpoint } = request;
    const round = this.#extras.of(signal);
    const found = new Map<Ask, Answer>();
    const split = new Split(endpoint, round, signal, found);
    await round.inTurn(endpoint, () => this.#splitFirst(request, part, split));
    const rest = failed(signal.aborted ? late(part.failure) : part.failure);
    return request.asks.map((ask) => found.get(ask) ?? rest);
  }

  /** Asks known bad ids alone and all others together. */
  async #fetchApart(request: Request, signal: AbortSignal): Promise<readonly Answer[]> {
    const now = this.now();
    const { endpoint } = request;
    const apart = request.asks.filter((ask) => this.#bad.has(badKey(endpoint, ask), now));
    if (apart.length === 0) return this.#fetchWhole(request, signal);
    const others = request.asks.filter((ask) => !apart.includes(ask));
    const found = new Map<Ask, Answer>();
    const ask = async (asks: readonly Ask[]): Promise<void> => {
      const answers = await this.#fetchWhole(requestOf(endpoint, asks), signal);
      for (const [i, one] of asks.entries()) {
        const answer = answers[i];
        if (answer !== undefined) found.set(one, answer);
      }
    };
    await Promise.all([
      ...(others.length > 0 ? [ask(others)] : []),
      ...apart.map(async (one) => {
        const answer = await this.#fetchBad(endpoint, one, signal);
        if (answer !== null) found.set(one, answer);
      }),
    ]);
    const left = request.asks.filter((one) => !found.has(one));
    const [first] = left;
    if (first !== undefined) {
      // Nothing is held against them any more: what comes back is used for all in the same round.
      if (this.#bad.has(badKey(endpoint, first), now)) this.#fail(left, endpoint, found);
      else await ask(left);
    }
    return request.asks.map((one) => found.get(one) ?? failed(NOT_ASKED));
  }

  #fail(asks: readonly Ask[], endpoint: EndpointName, found: Map<Ask, Answer>): void {
    for (const one of asks) {
      found.set(one, failed(this.#bad.failure(badKey(endpoint, one)) ?? NOT_ASKED));
    }
  }

  /** Null: it is not its turn to be asked. */
  async #fetchBad(endpoint: EndpointName, ask: Ask, signal: AbortSignal): Promise<Answer | null> {
    const key = badKey(endpoint, ask);
    const round = this.#extras.of(signal);
    const take = (): boolean => round.take(endpoint, 1, LEFT_BY_KNOWN);
    if (!this.#bad.takeTurn(key, MOST_EXTRAS - LEFT_BY_KNOWN, take)) return null;
    const part = await this.send(requestOf(endpoint, [ask]), signal, take);
    if (part.ok) this.#bad.pardon(key);
    else if (part.ofContent) return this.#remember(endpoint, ask, part.failure);
    return answersOf({ asks: [ask] }, part)[0] ?? failed(NOT_ASKED);
  }

  /** The first split shows whether it lies with the endpoint or with ids. */
  async #splitFirst(request: Request, whole: FailedPart, split: Split): Promise<void> {
    const [first] = request.asks;
    if (first === undefined) return;
    const group = groupKey(split.endpoint, first);
    const { refusing } = split.round;
    if (!refusing.has(group) && this.#refused.skips(group)) refusing.add(group);
    if (refusing.has(group)) return split.set(request.asks, refusal(whole.failure));
    if (!split.take(2, this.#refused.has(group) ? LEFT_BY_REFUSED : 0)) return;
    const parts = this.#refused.split(group, request.asks);
    const sent = await this.#sendParts(parts, split);
    if (sent.some(({ part }) => part.ok)) {
      this.#refused.forget(group);
      for (const one of sent) await this.#narrow(one, split);
      return;
    }
    for (const one of sent) {
      if (one.part.ok) continue;
      const { failure, ofContent } = one.part;
      const isId = one.asks.length === 1 && ofContent && failure.reason === "refused";
      // The result of an interrupted half is unknown, and so is that of the other half.
      if (split.signal.aborted) split.set(one.asks, late(failure));
      else split.set(one.asks, isId ? failure : refusal(failure));
    }
    if (sent.every(({ part }) => !part.ok && part.ofContent)) {
      refusing.add(group);
      this.#refused.note(group, request.asks.length);
    }
  }

  /** Keeps the answers of a part, or looks into it until its bad ids stand alone. */
  async #narrow({ asks, part }: SentPart, split: Split): Promise<void> {
    const [first] = asks;
    if (part.ok) split.keep(asks, part.answers);
    else if (part.ofContent && asks.length === 1 && first !== undefined) {
      split.keep(asks, [this.#remember(split.endpoint, first, part.failure)]);
    } else if (split.signal.aborted) this.#suspect(asks, part.failure, split);
    else if (!part.ofContent || !split.take(2)) split.set(asks, part.failure);
    else {
      for (const one of await this.#sendParts(halves(asks), split)) await this.#narrow(one, split);
    }
  }

  #sendParts(parts: readonly (readonly Ask[])[], split: Split): Promise<SentPart[]> {
    const allow = (): boolean => split.take(1);
    return Promise.all(
      parts.map(async (asks) => ({
        asks,
        part: await this.send(requestOf(split.endpoint, asks), split.signal, allow),
      })),
    );
  }

  /** No time to look further: in the next round each is asked alone, and what is answered is good again. */
  #suspect(asks: readonly Ask[], failure: Failure, split: Split): void {
    const ended = late(failure);
    split.set(asks, ended);
    for (const ask of asks) this.#bad.remember(badKey(split.endpoint, ask), ended, this.now());
  }

  #remember(endpoint: EndpointName, ask: Ask, { detail }: Failure): Answer {
    const failure: Failure = { reason: "refused", detail };
    const now = this.now();
    const key = badKey(endpoint, ask);
    const isNews = !this.#bad.has(key, now) || this.#bad.failure(key)?.reason !== "refused";
    this.#bad.remember(key, failure, now);
    if (isNews) this.onBad(ask, failure);
    return failed(failure);
  }
}

/** So many requests that failed, and none that was answered for so long, are an outage. */
const OUTAGE_REQUESTS = 3;
const OUTAGE_MS = 120_000;

/** Several asks that mean the same are no batch. */
function isBatch({ endpoint, asks }: Request): boolean {
  return asks.length > 1 && batchSize(endpoint) > 1;
}

/** Another endpoint may know an id that this one refuses. */
function badKey(endpoint: EndpointName, { key }: Ask): string {
  return `${endpoint}:${key}`;
}

interface SentPart {
  readonly asks: readonly Ask[];
  readonly part: Part;
}

/** One refused batch while it is looked into. */
class Split {
  constructor(
    readonly endpoint: EndpointName,
    readonly round: RoundExtras,
    readonly signal: AbortSignal,
    private readonly found: Map<Ask, Answer>,
  ) {}

  take(count: number, leave = 0): boolean {
    return this.round.take(this.endpoint, count, leave);
  }

  keep(asks: readonly Ask[], answers: readonly Answer[]): void {
    for (const [i, ask] of asks.entries()) {
      const answer = answers[i];
      if (answer !== undefined) this.found.set(ask, answer);
    }
  }

  set(asks: readonly Ask[], failure: Failure): void {
    for (const ask of asks) this.found.set(ask, failed(failure));
  }
}

/** Only for asks that a sender left without an answer. */
const NOT_ASKED: Failure = { reason: "malformed", detail: "no answer" };

/** The time was over before it was known which ids a refusal was for. */
function late(failure: Failure): Failure {
  if (failure.reason === "out_of_time") return failure;
  return { reason: "out_of_time", detail: `out of time after: ${failure.detail}` };
}

/** If every part of a batch is refused, the endpoint is the cause: it is reported as trouble of the source. */
function refusal(failure: Failure): Failure {
  if (failure.reason !== "refused") return failure;
  return {
    reason: "server_error",
    detail: `every part of a request was refused: ${failure.detail}`,
  };
}

function failed(failure: Failure): Answer {
  return { status: "failed", failure };
}

function answersOf({ asks }: Pick<Request, "asks">, part: Part): readonly Answer[] {
  if (part.ok) return part.answers;
  const answer = failed(part.failure);
  return asks.map(() => answer);
}

import type { Answer } from "../model/index.ts";
import { onAbort } from "./abort.ts";
import { batchSize, specOf } from "./endpoint-facts.ts";
import type { Request, Source } from "./source.ts";

type Answers = Promise<readonly Answer[]>;

/**
 * Sends equal requests of one round once. Only endpoints that answer with one record are meant: token
 * info is asked for as itself and in place of another record. Lists are too large to be kept.
 */
export class SharedRequests {
  readonly #rounds = new WeakMap<AbortSignal, Map<string, Answers>>();
  /** Of all rounds: groups of rules are polled at the same time, each with a signal of its own. */
  readonly #underWay = new Map<string, Answers>();

  constructor(private readonly send: Source["fetch"]) {}

  async fetch(request: Request, signal: AbortSignal): Answers {
    const { endpoint, path, asks } = request;
    if (batchSize(endpoint) > 1 || specOf(endpoint).shape !== "object") {
      return await this.send(request, signal);
    }
    const round = this.#rounds.get(signal) ?? new Map<string, Answers>();
    this.#rounds.set(signal, round);
    const key = `${endpoint}:${path}`;
    const answers = round.get(key) ?? this.#sendOnce(key, request, signal);
    round.set(key, answers);
    const [answer] = await answers;
    return answer === undefined ? [] : asks.map(() => answer);
  }

  async #sendOnce(key: string, request: Request, signal: AbortSignal): Answers {
    const other = this.#underWay.get(key);
    if (other !== undefined) {
      const answers = await untilAbort(other, signal);
      // The other round may have had less time than this one.
      if (answers !== null && !answers.some(isOutOfTime)) return answers;
    }
    const own = this.send(request, signal).finally(() => {
      if (this.#underWay.get(key) === own) this.#underWay.delete(key);
    });
    this.#underWay.set(key, own);
    return await own;
  }
}

/** Null: the signal was aborted first. */
async function untilAbort(answers: Answers, signal: AbortSignal) {
  let stopListening = (): void => {};
  const aborted = new Promise<null>((resolve) => {
    stopListening = onAbort(signal, () => resolve(null));
  });
  try {
    return await Promise.race([answers, aborted]);
  } finally {
    stopListening();
  }
}

function isOutOfTime(answer: Answer): boolean {
  return answer.status === "failed" && answer.failure.reason === "out_of_time";
}

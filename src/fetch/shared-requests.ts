import { onAbort } from "../base/abort.ts";
import type { Answer } from "../model/index.ts";
import { batchSize, itemOf, specOf } from "./endpoint.ts";
import type { Request } from "./source.ts";

type Answers = Promise<readonly Answer[]>;

/** Sends equal requests of one round once, whichever rules and records they are for. */
export class SharedRequests {
  readonly #rounds = new WeakMap<object, Map<string, Answers>>();

  constructor(private readonly send: (request: Request, signal: AbortSignal) => Answers) {}

  async fetch(request: Request, signal: AbortSignal, round: object): Answers {
    const { endpoint, path, asks } = request;
    const sent = this.#rounds.get(round) ?? new Map<string, Answers>();
    this.#rounds.set(round, sent);
    const isSingle = batchSize(endpoint) === 1;
    // The answers of a batch are in the order of its items, of which one may be asked for twice.
    const items = isSingle ? "" : asks.map((ask) => itemOf(endpoint, ask)).join();
    const key = `${endpoint}:${path}:${items}`;
    const other = sent.get(key);
    if (other !== undefined) {
      const answers = await untilAbort(other, signal);
      // Other rules of the round may have had less time than these.
      const [first] = answers ?? [];
      if (answers !== null && first !== undefined && !answers.some(isOutOfTime)) {
        return isSingle ? asks.map(() => first) : answers;
      }
    }
    const own = this.send(request, signal);
    sent.set(key, own);
    const answers = await own;
    // One record, such as token info, is kept until the round is over; batches and lists are too large.
    if (!isSingle || specOf(endpoint).shape !== "object") sent.delete(key);
    return answers;
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

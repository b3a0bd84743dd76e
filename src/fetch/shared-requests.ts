import { onAbort } from "../base/abort.ts";
import type { Answer } from "../model/index.ts";
import { batchSize, itemOf, specOf } from "./endpoint.ts";
import type { Request } from "./source.ts";

type Answers = Promise<readonly Answer[]>;

interface Sent {
  readonly request: Request;
  readonly answers: Answers;
}

/** Sends equal requests of one round once, whichever rules and records they are for. */
export class SharedRequests {
  /** By path, which is the same for asks of the same items. */
  readonly #rounds = new WeakMap<object, Map<string, Sent>>();

  constructor(private readonly send: (request: Request, signal: AbortSignal) => Answers) {}

  async fetch(request: Request, signal: AbortSignal, round: object): Answers {
    const { endpoint, path, asks } = request;
    const sent = this.#rounds.get(round) ?? new Map<string, Sent>();
    this.#rounds.set(round, sent);
    const isSingle = batchSize(endpoint) === 1;
    const other = sent.get(path);
    if (other !== undefined && isEqual(other.request, request)) {
      const answers = await untilAbort(other.answers, signal);
      // Other rules of the round may have had less time than these.
      const [first] = answers ?? [];
      if (answers !== null && first !== undefined && !answers.some(isOutOfTime)) {
        return isSingle ? asks.map(() => first) : answers;
      }
    }
    const own = this.send(request, signal);
    sent.set(path, { request, answers: own });
    const answers = await own;
    // One record, such as token info, is kept until the round is over; batches and lists are too large.
    const isKept = isSingle && specOf(endpoint).shape === "object";
    if (!isKept && sent.get(path)?.answers === own) sent.delete(path);
    return answers;
  }
}

/** The answers of a batch are in the order of its items, of which one may be asked for twice. */
function isEqual(sent: Request, { endpoint, asks }: Request): boolean {
  if (sent.endpoint !== endpoint) return false;
  if (batchSize(endpoint) === 1) return true;
  return (
    sent.asks.length === asks.length &&
    sent.asks.every(
      (ask, i) => asks[i] !== undefined && itemOf(endpoint, ask) === itemOf(endpoint, asks[i]),
    )
  );
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

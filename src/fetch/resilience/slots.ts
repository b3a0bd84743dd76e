import type { EndpointName } from "../../api/endpoints.ts";
import { onAbort } from "../../base/waiting.ts";

/** Three quarters of all requests at once may be to one endpoint: one that hangs leaves room to the others. */
const SHARE = 0.75;
/** With fewer slots than these none can be spared. */
const MANY = 4;

/** The requests to one endpoint. */
interface Lane {
  underWay: number;
  /** When it was given a slot last, in slots given since the start. */
  served: number;
  /** The requests that wait for a slot, in order of arrival. */
  readonly waiting: Set<(hasSlot: boolean) => void>;
}

/**
 * How many requests may be under way, in all and to each endpoint. The last free slot is for an endpoint
 * that has none under way, and one that becomes free goes to the endpoint with the fewest, of several to
 * the one that has waited for longest: endpoints that hang leave room to those that do not.
 */
export class Slots {
  readonly #most: number;
  readonly #spared: number;
  readonly #lanes = new Map<EndpointName, Lane>();
  #free: number;
  #given = 0;

  constructor(concurrency: number) {
    this.#free = concurrency;
    this.#most = Math.max(1, Math.floor(concurrency * SHARE));
    this.#spared = concurrency < MANY ? 0 : 1;
  }

  /** Runs `send` in a slot, once it is the endpoint's turn; without one when the signal is aborted. */
  async run<T>(endpoint: EndpointName, signal: AbortSignal, send: () => Promise<T>): Promise<T> {
    const lane = this.#laneOf(endpoint);
    const hasSlot = this.#begins(lane) || (await turnOf(lane, signal));
    try {
      return await send();
    } finally {
      if (hasSlot) this.#leave(lane);
    }
  }

  /** Resolves once a request to the endpoint could begin, after those that came before, or at an abort. */
  async room(endpoint: EndpointName, signal: AbortSignal): Promise<void> {
    const lane = this.#laneOf(endpoint);
    const hasSlot = this.#begins(lane) || (await turnOf(lane, signal));
    if (hasSlot) this.#leave(lane);
  }

  #laneOf(endpoint: EndpointName): Lane {
    let lane = this.#lanes.get(endpoint);
    if (lane === undefined) {
      lane = { underWay: 0, served: 0, waiting: new Set() };
      this.#lanes.set(endpoint, lane);
    }
    return lane;
  }

  /** Takes a slot if there is one for a request that comes now. */
  #begins(lane: Lane): boolean {
    if (lane.waiting.size > 0 || !this.#mayBegin(lane)) return false;
    this.#take(lane);
    return true;
  }

  #mayBegin({ underWay }: Lane): boolean {
    if (underWay === 0) return this.#free > 0;
    return underWay < this.#most && this.#free > this.#spared;
  }

  #take(lane: Lane): void {
    this.#free -= 1;
    this.#given += 1;
    lane.underWay += 1;
    lane.served = this.#given;
  }

  #leave(left: Lane): void {
    this.#free += 1;
    left.underWay -= 1;
    for (let lane = this.#next(); lane !== null; lane = this.#next()) {
      const [first] = lane.waiting;
      if (first === undefined) return;
      this.#take(lane);
      first(true);
    }
  }

  /** The next lane that waits and may begin. */
  #next(): Lane | null {
    let next: Lane | null = null;
    for (const lane of this.#lanes.values()) {
      if (lane.waiting.size === 0 || !this.#mayBegin(lane)) continue;
      if (next === null || isBefore(lane, next)) next = lane;
    }
    return next;
  }
}

function isBefore(one: Lane, other: Lane): boolean {
  if (one.underWay !== other.underWay) return one.underWay < other.underWay;
  return one.served < other.served;
}

/** True: whoever left has taken the slot for the one that waits. False: its signal was aborted. */
function turnOf({ waiting }: Lane, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (hasSlot: boolean): void => {
      waiting.delete(end);
      stopListening();
      resolve(hasSlot);
    };
    const stopListening = onAbort(signal, () => end(false));
    waiting.add(end);
  });
}

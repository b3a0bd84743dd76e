import type { EndpointName } from "../contract/endpoints.ts";

/** Three quarters of all requests at once may be to one endpoint: one that hangs leaves room to the others. */
const SHARE = 0.75;
/** With fewer slots than these none can be spared. */
const MANY = 4;

/** The requests to one endpoint. */
interface Lane {
  underWay: number;
  /** Those that wait for a slot, in the order in which they came. */
  readonly waiting: (() => void)[];
}

/**
 * How many requests may be under way, in all and to each endpoint. The last free slot is for an endpoint
 * that has none under way, and a slot that is left goes to the one with the fewest: however many
 * endpoints hang but one, that one is answered.
 */
export class Slots {
  readonly #most: number;
  readonly #spared: number;
  readonly #lanes = new Map<EndpointName, Lane>();
  #free: number;

  constructor(concurrency: number) {
    this.#free = concurrency;
    this.#most = Math.max(1, Math.floor(concurrency * SHARE));
    this.#spared = concurrency < MANY ? 0 : 1;
  }

  /** Runs `send` in a slot, once it is the endpoint's turn. */
  async run<T>(endpoint: EndpointName, send: () => Promise<T>): Promise<T> {
    const lane = await this.#enter(endpoint);
    try {
      return await send();
    } finally {
      this.#leave(lane);
    }
  }

  /** Resolves once a request to the endpoint could begin, after those that came before. */
  async room(endpoint: EndpointName): Promise<void> {
    this.#leave(await this.#enter(endpoint));
  }

  async #enter(endpoint: EndpointName): Promise<Lane> {
    let lane = this.#lanes.get(endpoint);
    if (lane === undefined) {
      lane = { underWay: 0, waiting: [] };
      this.#lanes.set(endpoint, lane);
    }
    const { waiting } = lane;
    if (waiting.length === 0 && this.#mayBegin(lane)) this.#take(lane);
    else {
      // Whoever leaves takes the slot for it.
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    }
    return lane;
  }

  #mayBegin({ underWay }: Lane): boolean {
    if (underWay === 0) return this.#free > 0;
    return underWay < this.#most && this.#free > this.#spared;
  }

  #take(lane: Lane): void {
    this.#free -= 1;
    lane.underWay += 1;
  }

  #leave(left: Lane): void {
    this.#free += 1;
    left.underWay -= 1;
    for (let lane = this.#next(); lane !== null; lane = this.#next()) {
      this.#take(lane);
      lane.waiting.shift()?.();
    }
  }

  /** Of those that wait and may begin the one with the fewest under way. */
  #next(): Lane | null {
    let next: Lane | null = null;
    for (const lane of this.#lanes.values()) {
      if (lane.waiting.length === 0 || !this.#mayBegin(lane)) continue;
      if (next === null || lane.underWay < next.underWay) next = lane;
    }
    return next;
  }
}

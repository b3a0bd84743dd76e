import pLimit from "p-limit";
import type { EndpointName } from "../contract/endpoints.ts";

type Limit = ReturnType<typeof pLimit>;

/** Three quarters of all requests at once may be to one endpoint: one that hangs leaves room to the others. */
const SHARE = 0.75;

/** How many requests may be under way, in all and to each endpoint. */
export class Slots {
  readonly all: Limit;
  readonly #most: number;
  readonly #byEndpoint = new Map<EndpointName, Limit>();

  constructor(concurrency: number) {
    this.all = pLimit(concurrency);
    this.#most = Math.max(1, Math.floor(concurrency * SHARE));
  }

  of(endpoint: EndpointName): Limit {
    let own = this.#byEndpoint.get(endpoint);
    if (own === undefined) {
      own = pLimit(this.#most);
      this.#byEndpoint.set(endpoint, own);
    }
    return own;
  }
}

import type { SourceLog } from "./client.ts";
import { endpointsOf } from "./endpoint-facts.ts";
import type { Bases } from "./origins.ts";
import type { Request } from "./source.ts";

/** Says where a value is asked for that two endpoints serve: once for each record, chain and choice. */
export class ChoiceLog {
  readonly #said = new Set<string>();

  constructor(private readonly log: SourceLog) {}

  note(requests: readonly Request[], bases: Bases): void {
    // With one address there is nothing to choose.
    if (bases.base_url === null || bases.legacy_base_url === null) return;
    for (const { record, endpoint, asks } of requests) {
      const [first] = asks;
      if (first === undefined || endpointsOf(first).length < 2) continue;
      const chain = first.chainId;
      const key = `${record}:${chain}:${endpoint}`;
      if (this.#said.has(key)) continue;
      this.#said.add(key);
      this.log("of two endpoints one was chosen", { record, chain, endpoint });
    }
  }
}

import { ENDPOINTS_OF } from "../api/endpoints.ts";
import type { Request, Source } from "../fetch/source.ts";
import { type Answer, type Ask, RECORDS } from "../model/index.ts";

/** The batch size of the service, so that a replayed round looks like a live one. */
const BATCH = 20;

const ALL: readonly Ask["record"][] = [...RECORDS, "endpoint"];

/** A source that is answered by a function. Plans batches by record and never fails by itself. */
export function scriptedSource(
  answer: (asks: readonly Ask[]) => readonly Answer[] | Promise<readonly Answer[]>,
): Source {
  return {
    serves: () => true,
    plan: (asks) => ALL.flatMap((record) => batches(record, asks)),
    fetch: async (request) => await answer(request.asks),
    room: () => Promise.resolve(),
    verify: () => Promise.resolve("valid"),
    close: () => Promise.resolve(),
  };
}

function batches(record: Ask["record"], asks: readonly Ask[]): readonly Request[] {
  const all = asks.filter((ask) => ask.record === record);
  const [endpoint] = ENDPOINTS_OF[record];
  return Array.from({ length: Math.ceil(all.length / BATCH) }, (_, i) => ({
    record,
    endpoint,
    asks: all.slice(i * BATCH, (i + 1) * BATCH),
    path: "/",
  }));
}

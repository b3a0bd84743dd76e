import { CONTRACT } from "./contract-journal.ts";
import type { Life } from "./spoilt-run.ts";

/** One attempt and two more. */
const MOST_ATTEMPTS = 3;
/** For bad ids, for each endpoint and round. */
const MOST_EXTRAS = 40;

/** Every way in which the requests of a life were more, or other, than they may be; in words. */
export function limitsBroken(
  { journal, strays, errors }: Life,
  good: Life,
  concurrency = 16,
): string[] {
  const found = [...new Set(journal.deviations), ...errors];
  if (strays > 0) found.push(`${strays} requests went where a redirect led`);
  if (journal.mostOpen > concurrency) found.push(`${journal.mostOpen} requests at one time`);
  for (const [name, { length }] of journal.byRound(({ url }) => url)) {
    if (length > MOST_ATTEMPTS) found.push(`${length} attempts of ${name}`);
  }
  // What is asked when all is well is no extra; a batch that never was one before is.
  const planned = new Set(good.journal.arrivals.map(({ url }) => url));
  for (const [name, arrivals] of journal.byRound(({ endpoint }) => endpoint ?? "")) {
    const extras = arrivals.filter(
      ({ endpoint, url }) => isOfBatches(endpoint) && !planned.has(url),
    );
    if (extras.length > MOST_EXTRAS) found.push(`${extras.length} extra requests: ${name}`);
  }
  for (const [name, arrivals] of good.journal.byRound(({ url }) => url)) {
    if (arrivals.length > 1) found.push(`${arrivals.length} times when all is well: ${name}`);
  }
  return found;
}

function isOfBatches(endpoint: string | null): boolean {
  const { params = {} } = CONTRACT.endpoints[endpoint ?? ""] ?? {};
  return Object.values(params).some(({ repeat, separator }) => (repeat ?? separator) !== undefined);
}

/** How many arrived in each round, without those of the first that was spoilt: they know no better. */
export function laterRequests({ journal, spoilt }: Life): readonly number[] {
  const [, ...later] = [...spoilt];
  return later.map((date) => journal.arrivals.filter(({ at }) => at === date).length);
}

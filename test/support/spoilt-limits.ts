import { type Arrival, CONTRACT } from "./contract-journal.ts";
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
  const usual = good.journal.byRound(({ url }) => url);
  for (const [name, arrivals] of journal.byRound(({ url }) => url)) {
    // Rules that are polled apart may ask for one batch at different moments of the first round.
    const times = isOfBatches(arrivals[0]?.endpoint ?? null) ? (usual.get(name)?.length ?? 1) : 1;
    if (arrivals.length > times * MOST_ATTEMPTS)
      found.push(`${arrivals.length} attempts of ${name}`);
  }
  // What is asked when all is well is no extra; a batch that never was one before is, but for the plan of
  // the other family in its turn: it takes the tokens of one wallet in a request.
  const planned = new Set(good.journal.arrivals.map(({ url }) => url));
  for (const [name, arrivals] of journal.byRound(({ endpoint }) => endpoint ?? "")) {
    const others = arrivals.filter(
      ({ endpoint, url }) => isOfBatches(endpoint) && !planned.has(url),
    );
    // The first of a wallet is the plan; what is asked of it besides is an extra.
    const first = new Map(others.toReversed().map((one) => [walletOf(one), one.url]));
    const extras = others.filter(
      (one) => one.endpoint !== "balance" || first.get(walletOf(one)) !== one.url,
    );
    if (extras.length > MOST_EXTRAS) found.push(`${extras.length} extra requests: ${name}`);
  }
  return found;
}

function walletOf({ params }: Arrival): string {
  return `${params.get("chain_id")} ${params.get("wallet")}`;
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

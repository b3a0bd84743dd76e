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
  const usual = good.journal.byRound(({ url }) => url);
  for (const [name, { length }] of journal.byRound(({ url }) => url)) {
    // A token's info is asked for itself, and for the supply when it is the other family's turn.
    const most = name.includes("/api/tokens/info?") ? 2 * MOST_ATTEMPTS : MOST_ATTEMPTS;
    // What is asked twice in a round when all is well, as in the first, may be attempted as often each time.
    if (length > most * Math.max(1, usual.get(name)?.length ?? 0))
      found.push(`${length} attempts of ${name}`);
  }
  // What is asked when all is well is no extra; a batch that never was one before is. Nor is a wallet that the
  // other family is asked for in its turn: of those it takes one in a request.
  const planned = new Set(good.journal.arrivals.map(({ url }) => url));
  const wallets = new Set(
    good.journal.arrivals
      .filter(({ endpoint }) => endpoint === "legacy_balances")
      .flatMap(({ params }) => (params.get("wallets") ?? "").split(",")),
  );
  const isInTurn = (endpoint: string | null, params: URLSearchParams): boolean =>
    endpoint === "balance" && wallets.has(params.get("wallet") ?? "");
  for (const [name, arrivals] of journal.byRound(({ endpoint }) => endpoint ?? "")) {
    const extras = arrivals.filter(
      ({ endpoint, url, params }) =>
        isOfBatches(endpoint) && !planned.has(url) && !isInTurn(endpoint, params),
    );
    if (extras.length > MOST_EXTRAS) found.push(`${extras.length} extra requests: ${name}`);
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

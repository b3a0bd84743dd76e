import { compare, type Decimal, isZero } from "../base/decimal.ts";
import type { RawRecord } from "../model/index.ts";
import { fieldsOf, metricsOf, numberIn } from "./fields.ts";
import { type HistorySpec, historyKind } from "./history.ts";
import type { WatchKind } from "./kind.ts";
import { TOKEN_TARGETS, TOKEN_WORDS, tokenName } from "./token-record.ts";
import { infoAsk, type TokenFacts, tokenFacts } from "./tokens.ts";

const FIELDS = fieldsOf("price_point");
const PRICES: readonly string[] = ["open", "high", "low", "close"];

const SPEC: HistorySpec = {
  kind: "price_history",
  words: TOKEN_WORDS,
  targets: TOKEN_TARGETS,
  records: ["price_point"],
  metrics: metricsOf("price_point", {
    price_usd: ["price", "price"],
    price_eth: "price in ETH",
    price_btc: "price in BTC",
    volume_24h: ["volume (24 h)", "volume"],
    price_change_24h: "price change (24 h)",
    price_change_percentage_24h: "price change in percent (24 h)",
    open: "opening price",
    high: "highest price",
    low: "lowest price",
    close: "closing price",
  }),
  fields: FIELDS,
  fieldOf: (metric) => metric,
  doubts,
  ids: (token) => ({ token }),
  recordOf: () => "price_point",
  idOf: ({ ids }) => ids.token ?? "",
  facts: ({ chainId, ids }) => [infoAsk(chainId, ids.token ?? "")],
  follow: () => [],
  describe: ({ chainId, ids }, answers) => {
    const token = ids.token ?? "";
    const facts = tokenFacts(answers(infoAsk(chainId, token)));
    return {
      label: tokenName(token, facts),
      page: `/token/${token}`,
      // No field counts raw units.
      decimals: () => null,
      unit: (metric) => priceUnit(metric, facts) ?? "",
    };
  },
};

/** The hours, or with `period: d` the days, of a token's price. */
export const priceHistory: WatchKind = historyKind(SPEC, "h");
export const priceHistoryDaily: WatchKind = historyKind(SPEC, "d");

/** What follows a price in another currency than dollars; null for any other metric. */
export function priceUnit(metric: string, { symbol }: TokenFacts): string | null {
  const of = symbol ?? "token";
  if (metric === "price_eth") return `ETH per ${of}`;
  return metric === "price_btc" ? `BTC per ${of}` : null;
}

/** What a point says of a price; null where it cannot be true. */
export function pricePoint(point: RawRecord, metric: string): Decimal | null {
  return doubts(point).has(metric) ? null : number(point, metric);
}

/** What has a market is worth something, and nothing is higher than its highest price. */
function doubts(record: RawRecord): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const [high, low] = [number(record, "high"), number(record, "low")];
  if (high !== null && low !== null && compare(high, low) < 0) {
    for (const name of PRICES) found.set(name, "its high is below its low");
  }
  const usd = number(record, "price_usd");
  const others = ["price_eth", "price_btc", "market_cap"].map((name) => number(record, name));
  if (usd !== null && isZero(usd) && others.some((one) => one !== null && !isZero(one))) {
    found.set("price_usd", "price_usd is 0 with a market");
  }
  return found;
}

function number(record: RawRecord, name: string): Decimal | null {
  return numberIn(FIELDS, record, name);
}

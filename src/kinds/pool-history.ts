import { POOL_ID } from "../api/endpoints.ts";
import { compare, type Decimal } from "../base/decimal.ts";
import { shortId } from "../base/text.ts";
import type { Ask, RawRecord, Subject } from "../model/index.ts";
import { type Fields, fieldsOf, metricsFrom, numberIn } from "./fields.ts";
import { type HistorySpec, historyKind } from "./history.ts";
import type { WatchKind } from "./kind.ts";
import {
  directionOf,
  earlierPoolAsk,
  pairFacts,
  pairRecord,
  unansweredFacts,
} from "./pool-tokens.ts";
import { pairLabel, pairOf, sideOf, tokenDecimals, unitOf } from "./tokens.ts";
import { poolField } from "./v4-pool.ts";

/** Both versions have the same points. */
const FIELDS = fieldsOf("v4_pool_point");
const PRICES: readonly string[] = ["open", "high", "low", "close"];

/** Rules write `volume_usd` where a point says `volumeUSD`. */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.keys(FIELDS).map((name) => [snakeCase(name), name]),
);

const SNAKE_FIELDS: Fields = Object.fromEntries(
  Object.entries(FIELDS).map(([name, spec]) => [snakeCase(name), spec]),
);

const SPEC: HistorySpec = {
  kind: "pool_history",
  words: { subjects: "pools" },
  targets: {
    key: "pools",
    id: {
      pattern: /^0x(?:[0-9a-f]{64}|[0-9a-f]{40})$/i,
      expected:
        "a V4 pool's id, 0x and 64 hex digits, or a V3 pool's address, 0x and 40 hex digits",
    },
    protocols: null,
  },
  // Which of the two records is needed depends on the pool.
  records: [],
  metrics: metricsFrom(SNAKE_FIELDS, {
    sqrt_price: "sqrt price",
    volume_token0: "volume of token0",
    volume_token1: "volume of token1",
    volume_token0_d: "volume of token0",
    volume_token1_d: "volume of token1",
    volume_usd: ["volume", "volume"],
    volume_percentage_change: "volume change",
    collected_fees_token0: "fees of token0",
    collected_fees_token1: "fees of token1",
    collected_fees_usd: ["fees", "fees"],
    swap_count: ["swaps", "count"],
    open: "opening price",
    high: "highest price",
    low: "lowest price",
    close: ["closing price", "price"],
  }),
  fields: FIELDS,
  fieldOf: (metric) => NAMES.get(metric) ?? "",
  doubts: (record) => {
    const high = price(record, "high");
    const low = price(record, "low");
    if (high === null || low === null || compare(high, low) >= 0) return new Map();
    return new Map(PRICES.map((name) => [name, "its high is below its low"]));
  },
  ids: (pool) => ({ pool }),
  recordOf: (subject) => (isV4(subject) ? "v4_pool_point" : "v3_pool_point"),
  idOf: ({ ids }) => ids.pool ?? "",
  facts: (subject, answers) => pairFacts(poolAsk(subject), answers),
  follow: (subject, answers) => unansweredFacts(poolAsk(subject), answers),
  describe: (subject, answers) => {
    const { chainId } = subject;
    const id = subject.ids.pool ?? "";
    const pool = pairRecord(answers(poolAsk(subject)), chainId, answers);
    const pair = pairOf(pool, chainId);
    return {
      label: pair && pool ? pairLabel(pair, poolField(pool, "fee")) : shortId(id),
      // A V4 pool is an entry in one big contract: explorers have no page for it.
      page: isV4(subject) ? null : `/address/${id}`,
      decimals: (metric) => {
        const side = sideOf(SNAKE_FIELDS[metric]?.quantity);
        return side === null ? null : tokenDecimals(pool, side);
      },
      unit: (metric, newest) =>
        unitOf(pair, PRICES.includes(metric) ? directionName(newest) : metric),
    };
  },
};

/** The hours, or with `period: d` the days, of a V4 or V3 pool. */
export const poolHistory: WatchKind = historyKind(SPEC, "h");
export const poolHistoryDaily: WatchKind = historyKind(SPEC, "d");

function poolAsk(subject: Subject): Ask {
  const record = isV4(subject) ? "v4_pool_24h" : "v3_pool";
  return earlierPoolAsk(record, subject.chainId, subject.ids.pool ?? "");
}

function isV4({ ids }: Subject): boolean {
  return POOL_ID.test(ids.pool ?? "");
}

/** `volumeToken0D` as `volume_token0_d`, `collectedFeesUSD` as `collected_fees_usd`. */
function snakeCase(name: string): string {
  return name.replace(
    /([a-z0-9])([A-Z]+)/g,
    (_, before: string, after: string) => `${before}_${after.toLowerCase()}`,
  );
}

function price(record: RawRecord, name: string): Decimal | null {
  return numberIn(FIELDS, record, name);
}

/** The metric of a V4 pool that has the direction of a point's prices; empty: they do not tell. */
function directionName(point: RawRecord | null): string {
  if (point === null) return "";
  const { sqrtPrice: sqrtPriceX96, tick } = point;
  const direction = directionOf(price(point, "close"), null, { sqrtPriceX96, tick });
  if (direction === null) return "";
  return direction === "first" ? "price0" : "price1";
}

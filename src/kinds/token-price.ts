import { type Decimal, isZero } from "../base/decimal.ts";
import { isMap } from "../base/json.ts";
import type { Answer, Ask, RawRecord, Subject } from "../model/index.ts";
import { pastByHours } from "./bucket-time.ts";
import { type Fields, fieldsOf, metricsFrom, numberIn, recordOf } from "./fields.ts";
import type { Mark, WatchKind } from "./kind.ts";
import { pricePoint, priceUnit } from "./price-history.ts";
import {
  type Doubt,
  TOKEN_TARGETS,
  TOKEN_WORDS,
  TokenReading,
  tokenSubject,
} from "./token-record.ts";
import { tokenFacts } from "./tokens.ts";

/** What the names of an object's fields begin with where they stand beside the record's own. */
const PREFIXES: Readonly<Record<string, string>> = { current_price: "price_", market_data: "" };

const NESTED = fieldsOf("token_price");
const FIELDS: Fields = Object.fromEntries(
  Object.entries(NESTED).flatMap(([name, spec]) =>
    spec.fields === undefined
      ? [[name, spec]]
      : Object.entries(spec.fields).map(([inner, one]) => [flatName(name, inner), one]),
  ),
);

/** Of these there is a history, by the same names. */
const PRICES: ReadonlySet<string> = new Set(["price_usd", "price_eth", "price_btc"]);

/** The market price of a token on one chain, with what the service knows of its market. */
export const tokenPrice: WatchKind = {
  kind: "token_price",
  aliases: ["price"],
  words: TOKEN_WORDS,
  targets: TOKEN_TARGETS,
  bucketMs: null,
  records: ["token_price"],
  ownTime: "last_updated",
  metrics: metricsFrom(FIELDS, {
    price_usd: ["price", "price"],
    price_eth: "price in ETH",
    price_btc: "price in BTC",
    market_cap_usd: "market cap",
    volume_24h_usd: ["volume (24 h)", "volume", "volume_24h"],
    price_change_24h: "price change (24 h)",
    price_change_percentage_24h: "price change in percent (24 h)",
    price_change_7d: "price change (7 days)",
    price_change_percentage_7d: "price change in percent (7 days)",
    high_24h: "highest price (24 h)",
    low_24h: "lowest price (24 h)",
    total_supply: ["supply", "supply"],
    last_updated: "last change",
  }),

  subject: (target) => tokenSubject("token_price", target),

  asks: (subject) => [askOf(subject)],

  follow: () => [],

  history: ({ chainId, ids }, metricName, from, now) => {
    if (!PRICES.has(metricName)) return null;
    return pastByHours(
      { record: "price_point", chainId, id: ids.token ?? "" },
      pricePoint,
      from,
      now,
    );
  },

  read: (subject, answers) => {
    const answer = flat(answers(askOf(subject)));
    const record = recordOf(answer);
    const facts = tokenFacts(answer);
    return new TokenReading({
      subject,
      record: "token_price",
      fields: FIELDS,
      answer,
      doubts: record === null ? [] : doubtsOf(record),
      facts,
      unit: (metric) => priceUnit(metric, facts),
      marks: record === null ? [] : [markOf(subject.key, record)],
    });
  },
};

function askOf({ key, chainId, ids }: Subject): Ask {
  return { key, record: "token_price", chainId, id: ids.token ?? "" };
}

function flatName(object: string, field: string): string {
  return `${PREFIXES[object] ?? `${object}_`}${field}`;
}

/** The answer with the fields of its objects beside the others. */
function flat(answer: Answer | undefined): Answer | undefined {
  if (answer?.status !== "ok") return answer;
  return { status: "ok", records: answer.records.map(flatRecord) };
}

function flatRecord(record: RawRecord): RawRecord {
  const fields: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(NESTED)) {
    const value = record[name];
    if (spec.fields === undefined) fields[name] = value;
    else if (isMap(value)) {
      for (const inner of Object.keys(spec.fields)) fields[flatName(name, inner)] = value[inner];
    }
  }
  return fields;
}

/** What has a market is worth something: a price or a market cap of 0 then is one that is not known. */
function doubtsOf(record: RawRecord): readonly Doubt[] {
  const doubts: Doubt[] = [];
  if (
    isNothing(record, "price_usd") &&
    hasAny(record, ["price_eth", "price_btc", "market_cap_usd"])
  ) {
    doubts.push({ field: "price_usd", trouble: "price_usd is 0 with a market" });
  }
  if (isNothing(record, "market_cap_usd") && hasAny(record, ["price_usd"])) {
    if (hasAny(record, ["circulating_supply"])) {
      doubts.push({ field: "market_cap_usd", trouble: "market_cap_usd is 0 with a price" });
    }
  }
  return doubts;
}

function isNothing(record: RawRecord, name: string): boolean {
  const value = number(record, name);
  return value !== null && isZero(value);
}

function hasAny(record: RawRecord, names: readonly string[]): boolean {
  return names.some((name) => {
    const value = number(record, name);
    return value !== null && !isZero(value);
  });
}

function number(record: RawRecord, name: string): Decimal | null {
  return numberIn(FIELDS, record, name);
}

/** The record tells when it was made, to the second. */
function markOf(key: string, record: RawRecord): Mark {
  const seconds = number(record, "last_updated");
  return {
    key,
    block: null,
    time: seconds === null ? null : Math.floor(Number(seconds.toString())),
  };
}

import { type Decimal, isZero } from "../base/decimal.ts";
import type { RawRecord, Subject } from "../model/index.ts";
import { fieldsOf, metricsOf, numberIn, recordOf } from "./fields.ts";
import type { WatchKind } from "./kind.ts";
import {
  type Doubt,
  TOKEN_TARGETS,
  TOKEN_WORDS,
  TokenReading,
  tokenSubject,
} from "./token-record.ts";
import { infoAsk, tokenFacts } from "./tokens.ts";

const FIELDS = fieldsOf("token_info");

/** What the service knows of a token on one chain: names, decimals, supply, holders, transfers. */
export const tokenInfo: WatchKind = {
  kind: "token_info",
  aliases: ["token"],
  words: TOKEN_WORDS,
  targets: TOKEN_TARGETS,
  bucketMs: null,
  records: ["token_info"],
  metrics: metricsOf("token_info", {
    total_supply: ["supply", "supply"],
    total_supply_formatted: "supply",
    holder_count: ["holders", "holders", "count"],
    transfer_count: "transfers",
  }),

  subject: (target) => tokenSubject("token_info", target),

  asks: (subject) => [askOf(subject)],

  follow: () => [],

  // The record itself tells the decimals of its amounts.
  facts: () => [],

  read: (subject, answers) => {
    const answer = answers(askOf(subject));
    const record = recordOf(answer);
    return new TokenReading({
      subject,
      record: "token_info",
      answer,
      doubts: record === null ? [] : doubtsOf(record),
      facts: { ...tokenFacts(answer), trouble: null },
    });
  },
};

function askOf({ chainId, ids }: Subject) {
  return infoAsk(chainId, ids.token ?? "");
}

/** A token with a supply has holders: an indexer that starts anew counts none at first. */
function doubtsOf(record: RawRecord): readonly Doubt[] {
  const holders = number(record, "holder_count");
  const supply = number(record, "total_supply");
  if (holders === null || !isZero(holders) || supply === null || isZero(supply)) return [];
  return [{ field: "holder_count", trouble: "holder_count is 0 with a supply" }];
}

function number(record: RawRecord, name: string): Decimal | null {
  return numberIn(FIELDS, record, name);
}

import { type Decimal, isZero } from "../base/decimal.ts";
import type { Answer, Ask, Subject } from "../model/index.ts";
import { answerTrouble, fieldsOf, fieldTroubles, metricsOf, numberIn, recordOf } from "./fields.ts";
import type { Answers, WatchKind } from "./kind.ts";
import {
  type Doubt,
  TOKEN_COUNT_WORDS,
  TOKEN_TARGETS,
  TokenReading,
  tokenSubject,
} from "./token-record.ts";
import { supplyAsk } from "./token-supply.ts";
import { NO_FACTS } from "./tokens.ts";

/**
 * How many wallets hold a token on one chain. A count of 0 is believed only of a token without
 * supply, which is asked for then: an indexer that starts anew counts none at first.
 */
export const holderCount: WatchKind = {
  kind: "holder_count",
  words: TOKEN_COUNT_WORDS,
  targets: TOKEN_TARGETS,
  bucketMs: null,
  records: ["holder_count"],
  metrics: metricsOf("holder_count", { holder_count: ["holders", "holders", "count"] }),

  subject: (target) => tokenSubject("holder_count", target),

  asks: (subject) => [countAsk(subject)],

  follow: (subject, answers) =>
    countsNobody(answers(countAsk(subject))) ? [supplyOf(subject)] : [],

  read: (subject, answers) => {
    const doubt = doubtOf(subject, answers);
    return new TokenReading({
      subject,
      record: "holder_count",
      answer: answers(countAsk(subject)),
      doubts: doubt === null ? [] : [doubt],
      facts: NO_FACTS,
    });
  },
};

function countAsk({ key, chainId, ids }: Subject): Ask {
  return { key, record: "holder_count", chainId, id: ids.token ?? "" };
}

function supplyOf({ chainId, ids }: Subject): Ask {
  return supplyAsk(chainId, ids.token ?? "");
}

function countsNobody(answer: Answer | undefined): boolean {
  const count = valueOf(answer, "holder_count", "holder_count");
  return count !== null && isZero(count);
}

/** Why a count of 0 is not believed; null for any other count, and where it may be true. */
function doubtOf(subject: Subject, answers: Answers): Doubt | null {
  if (!countsNobody(answers(countAsk(subject)))) return null;
  const answer = answers(supplyOf(subject));
  const supply = valueOf(answer, "supply", "total_supply");
  if (supply !== null && isZero(supply)) return null;
  const why = supply === null ? `, and its supply: ${supplyTrouble(answer)}` : " with a supply";
  return { field: "holder_count", trouble: `holder_count is 0${why}` };
}

function supplyTrouble(answer: Answer | undefined): string {
  const record = recordOf(answer);
  if (record === null) return answerTrouble(answer);
  const { total_supply } = fieldsOf("supply");
  return total_supply === undefined ? "" : fieldTroubles(record, { total_supply }).join("");
}

function valueOf(
  answer: Answer | undefined,
  of: "supply" | "holder_count",
  name: string,
): Decimal | null {
  const record = recordOf(answer);
  return numberIn(fieldsOf(of), record, name);
}

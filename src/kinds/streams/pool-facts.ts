import { ADDRESS, POOL_ID, TOKEN_METADATA } from "../../api/endpoints.ts";
import { readField } from "../../api/fields.ts";
import { Decimal, isZero } from "../../base/decimal.ts";
import { isMap } from "../../base/json.ts";
import type { Answer, Ask, RawRecord, Subject } from "../../model/index.ts";
import { answerTrouble, recordOf } from "../fields.ts";
import type { Answers } from "../kind.ts";
import { earlierPoolAsk, pairFacts, pairRecord } from "../pool-tokens.ts";
import { decimalsIn, type TokenKey, tokenDecimals } from "../tokens.ts";
import { poolAsk, poolField } from "../v4-pool.ts";

/** What entries need to know of their pool, and where it is asked. */
export interface PoolSource {
  readonly id: { readonly pattern: RegExp; readonly expected: string };
  /** The pool's page below the explorer's address; null where explorers have none. */
  readonly page: ((pool: string) => string) | null;
  /** What never changes, as far as the answers show what it is. */
  facts(subject: Subject, answers: Answers): readonly Ask[];
  /** What is asked for when there are new entries. */
  asks(subject: Subject, answers: Answers): readonly Ask[];
  /** What was asked once and did not tell, for when entries wait for it: it is asked once more. */
  again(subject: Subject, answers: Answers): readonly Ask[];
  /** Both tokens with address, symbol, decimals and price, and the pool's state, as a V4 pool has them. */
  record(subject: Subject, answers: Answers): RawRecord | null;
}

/** The pool's own record tells everything. */
export const V4_POOL_SOURCE: PoolSource = {
  id: { pattern: POOL_ID, expected: "a pool id, 0x and 64 hex digits" },
  page: null,
  facts: () => [],
  asks: (subject) => [v4PoolAsk(subject)],
  again: () => [],
  record: (subject, answers) => recordOf(answers(v4PoolAsk(subject))),
};

/** The pool's record names the tokens by address; the rest is asked for each token. */
export const V3_POOL_SOURCE: PoolSource = {
  id: { pattern: ADDRESS, expected: "a pool's address, 0x and 40 hex digits" },
  page: (pool) => `/address/${pool}`,
  facts: (subject, answers) => pairFacts(v3PoolAsk(subject), newest(answers)),
  asks: (subject, answers) =>
    tokensOf(subject, newest(answers)).map((token) => priceAsk(subject.chainId, token)),
  again: (subject, answers) =>
    pairFacts(v3PoolAsk(subject), newest(answers))
      .filter((ask) => !tells(ask, answers(ask)))
      .map(again),
  record: (subject, given) => {
    const answers = newest(given);
    const pool = pairRecord(answers(v3PoolAsk(subject)), subject.chainId, answers);
    if (pool === null) return null;
    const priced = (token: unknown): RawRecord | null => {
      if (!isMap(token)) return null;
      const address = addressOf(token);
      const answer = address === null ? undefined : answers(priceAsk(subject.chainId, address));
      return { ...token, price: usdOf(recordOf(answer)) };
    };
    return { ...pool, token0: priced(pool.token0), token1: priced(pool.token1) };
  },
};

/** The same ask in a round in which the answer is known for good, and is not good enough. */
function again(ask: Ask): Ask {
  return { ...ask, key: `${ask.key}:again` };
}

/** What was answered once more in place of what did not tell. */
function newest(answers: Answers): Answers {
  return (ask) => {
    const known = answers(ask);
    return tells(ask, known) ? known : (answers(again(ask)) ?? known);
  };
}

/** Whether an answer is not there yet, or tells what is asked of a pool or a token. */
function tells(ask: Ask, answer: Answer | undefined): boolean {
  if (answer === undefined) return true;
  const record = recordOf(answer);
  if (ask.record === "token_info") return record !== null && decimalsIn(record) !== null;
  return record !== null || ask.record !== "v3_pool";
}

function v4PoolAsk({ chainId, ids }: Subject): Ask {
  return poolAsk(chainId, ids.pool ?? "");
}

function v3PoolAsk({ chainId, ids }: Subject): Ask {
  return earlierPoolAsk("v3_pool", chainId, ids.pool ?? "");
}

/** The same ask as a rule on the token's price makes. */
function priceAsk(chainId: number, token: string): Ask {
  return { key: `token_price:${chainId}:${token}`, record: "token_price", chainId, id: token };
}

function tokensOf(subject: Subject, answers: Answers): string[] {
  const pool = pairRecord(answers(v3PoolAsk(subject)), subject.chainId, answers);
  return [pool?.token0, pool?.token1]
    .map((token) => (isMap(token) ? addressOf(token) : null))
    .filter((address) => address !== null);
}

function addressOf({ address }: RawRecord): string | null {
  return typeof address === "string" ? address : null;
}

function usdOf(price: RawRecord | null): unknown {
  const current = price?.current_price;
  return isMap(current) ? current.usd : null;
}

/** A token's price in dollars; null where it is not known: a token worth nothing is one unpriced. */
export function tokenPrice(pool: RawRecord | null, key: TokenKey): Decimal | null {
  const token = pool?.[key];
  if (!isMap(token)) return null;
  const price = readField(
    token,
    "price",
    TOKEN_METADATA.price ?? { type: "number", quantity: "usd" },
  );
  return price instanceof Decimal && !isZero(price) ? price : null;
}

/** Which of these fields a pool does not tell, or of its tokens price or decimals; null: it tells all. */
export function lacksOf(pool: RawRecord | null, fields: readonly string[]): string | null {
  if (pool === null) return "the pool is not known";
  const field = fields.find((name) => poolField(pool, name) === null);
  if (field !== undefined) return `the pool's ${field} is not known`;
  for (const key of ["token0", "token1"] as const) {
    if (tokenDecimals(pool, key) === null) return `the decimals of ${key} are not known`;
    if (tokenPrice(pool, key) === null) return `the price of ${key} is not known`;
  }
  return null;
}

/** What is missing of what entries need besides, and the record whose request failed, if one did. */
export interface Unmet {
  readonly trouble: string;
  readonly record: Ask["record"] | null;
}

/** What answers did not tell of a pool, of which `missing` says a part; null: nothing is missing. */
export function unmetOf(
  pool: PoolSource,
  subject: Subject,
  answers: Answers,
  missing: string | null,
): Unmet | null {
  if (missing === null) return null;
  let without: string | null = null;
  for (const ask of [...pool.facts(subject, answers), ...pool.asks(subject, answers)]) {
    const answer: Answer | undefined = answers(ask);
    if (answer?.status === "ok") continue;
    if (answer?.status === "failed" && answer.failure.reason !== "refused") {
      return { trouble: answer.failure.detail, record: ask.record };
    }
    without ??= `${ask.record.endsWith("pool") ? "the pool" : "a token"}: ${answerTrouble(answer)}`;
  }
  return { trouble: without ?? missing, record: null };
}

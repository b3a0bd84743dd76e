import { Decimal, isZero } from "../../base/decimal.ts";
import { ADDRESS, POOL_ID, TOKEN_METADATA } from "../../contract/endpoints.ts";
import { readField } from "../../contract/fields.ts";
import type { Ask, RawRecord, Subject } from "../../model.ts";
import { recordOf } from "../fields.ts";
import { earlierPoolAsk, pairFacts, pairRecord } from "../pool-tokens.ts";
import type { TokenKey } from "../tokens.ts";
import { poolAsk } from "../v4-pool.ts";
import type { Answers } from "../watch.ts";

/** What entries need to know of their pool, and where it is asked. */
export interface PoolSource {
  readonly id: { readonly pattern: RegExp; readonly expected: string };
  /** The pool's page below the explorer's address; null where explorers have none. */
  readonly page: ((pool: string) => string) | null;
  /** What never changes, as far as the answers show what it is. */
  facts(subject: Subject, answers: Answers): readonly Ask[];
  /** What is asked for when there are new entries. */
  asks(subject: Subject, answers: Answers): readonly Ask[];
  /** Both tokens with address, symbol, decimals and price, and the pool's state, as a V4 pool has them. */
  record(subject: Subject, answers: Answers): RawRecord | null;
}

/** The pool's own record tells everything. */
export const V4_POOL_SOURCE: PoolSource = {
  id: { pattern: POOL_ID, expected: "a pool id, 0x and 64 hex digits" },
  page: null,
  facts: () => [],
  asks: (subject) => [v4PoolAsk(subject)],
  record: (subject, answers) => recordOf(answers(v4PoolAsk(subject))),
};

/** The pool's record names the tokens by address; the rest is asked for each token. */
export const V3_POOL_SOURCE: PoolSource = {
  id: { pattern: ADDRESS, expected: "a pool's address, 0x and 40 hex digits" },
  page: (pool) => `/address/${pool}`,
  facts: (subject, answers) => pairFacts(v3PoolAsk(subject), answers),
  asks: (subject, answers) =>
    tokensOf(subject, answers).map((token) => priceAsk(subject.chainId, token)),
  record: (subject, answers) => {
    const pool = pairRecord(answers(v3PoolAsk(subject)), subject.chainId, answers);
    if (pool === null) return null;
    const priced = (token: unknown): RawRecord | null => {
      if (!isRecord(token)) return null;
      const address = addressOf(token);
      const answer = address === null ? undefined : answers(priceAsk(subject.chainId, address));
      return { ...token, price: usdOf(recordOf(answer)) };
    };
    return { ...pool, token0: priced(pool.token0), token1: priced(pool.token1) };
  },
};

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
    .map((token) => (isRecord(token) ? addressOf(token) : null))
    .filter((address) => address !== null);
}

function addressOf({ address }: RawRecord): string | null {
  return typeof address === "string" ? address : null;
}

function usdOf(price: RawRecord | null): unknown {
  const current = price?.current_price;
  return isRecord(current) ? current.usd : null;
}

function isRecord(value: unknown): value is RawRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A token's price in dollars; null where it is not known: a token worth nothing is one unpriced. */
export function tokenPrice(pool: RawRecord | null, key: TokenKey): Decimal | null {
  const token = pool?.[key];
  if (!isRecord(token)) return null;
  const price = readField(
    token,
    "price",
    TOKEN_METADATA.price ?? { type: "number", quantity: "usd" },
  );
  return price instanceof Decimal && !isZero(price) ? price : null;
}

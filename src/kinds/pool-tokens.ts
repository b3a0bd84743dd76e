import { readField } from "../api/fields.ts";
import type { Answer, Ask, RawRecord } from "../model/index.ts";
import { fieldsOf, recordOf } from "./fields.ts";
import type { Answers } from "./kind.ts";
import { infoAsk } from "./token-facts.ts";
import type { TokenKey } from "./tokens.ts";

/** The records of pools in the earlier family name their tokens by address only. */
export type EarlierPool = "v3_pool" | "v4_pool_24h";

const TOKENS: readonly TokenKey[] = ["token0", "token1"];
const NATIVE = `0x${"0".repeat(40)}`;

/** The ask for a pool of the earlier family; `id` in lower case. */
export function earlierPoolAsk(record: EarlierPool, chainId: number, id: string): Ask {
  return { key: `${record}:${chainId}:${id}`, record, chainId, id };
}

/** What never changes of a pool: the pool's own record once, and the info of its tokens. */
export function pairFacts(pool: Ask, answers: Answers): readonly Ask[] {
  const record = recordOf(answers(pool));
  if (record === null) return [pool];
  const tokens = TOKENS.map((key) => tokenOf(record, key));
  return [
    pool,
    ...tokens
      .filter((token) => token !== null && token !== NATIVE)
      .map((token) => infoAsk(pool.chainId, token ?? "")),
  ];
}

/** The facts that answers of this round show to be needed; nothing once they are there. */
export function unansweredFacts(pool: Ask, answers: Answers): readonly Ask[] {
  return pairFacts(pool, answers).filter((ask) => answers(ask) === undefined);
}

/**
 * Both tokens and the fee as the record of a V4 pool in the current family has them, as far as the
 * pool's answer and the infos of its tokens tell; null without an answer.
 */
export function pairRecord(
  answer: Answer | undefined,
  chainId: number,
  answers: Answers,
): RawRecord | null {
  const pool = recordOf(answer);
  if (pool === null) return null;
  const token = (key: TokenKey): RawRecord | null => {
    const address = tokenOf(pool, key);
    if (address === null) return null;
    const info = recordOf(answers(infoAsk(chainId, address)));
    return { address, symbol: info?.symbol, decimals: info?.decimals };
  };
  return { token0: token("token0"), token1: token("token1"), fee: pool.fee_tier };
}

function tokenOf(pool: RawRecord, key: TokenKey): string | null {
  const spec = fieldsOf("v3_pool")[key];
  const value = spec === undefined ? null : readField(pool, key, spec);
  return typeof value === "string" ? value : null;
}

import type { Answer, Ask } from "../model/index.ts";
import { answerTrouble, recordOf } from "./fields.ts";
import { decimalsIn, symbolIn } from "./tokens.ts";

/** What never changes of a token, as far as its info tells. */
export interface TokenFacts {
  /** Clean and short. */
  readonly symbol: string | null;
  /** 0 to 255. */
  readonly decimals: number | null;
  /** Why the decimals are not known although they were asked for, in clean words. */
  readonly trouble: string | null;
}

export const NO_FACTS: TokenFacts = { symbol: null, decimals: null, trouble: null };

/** The ask for a token's info, the same for all who want it; `token` in lower case. */
export function infoAsk(chainId: number, token: string): Ask {
  return { key: `token_info:${chainId}:${token}`, record: "token_info", chainId, id: token };
}

/** What the info of a token tells; of anything but a good answer nothing is known. */
export function tokenFacts(info: Answer | undefined): TokenFacts {
  if (info === undefined) return NO_FACTS;
  const record = recordOf(info);
  if (record === null) return { ...NO_FACTS, trouble: `its decimals: ${answerTrouble(info)}` };
  const decimals = decimalsIn(record);
  const trouble = decimals === null ? "the token's info does not tell its decimals" : null;
  return { symbol: symbolIn(record), decimals, trouble };
}

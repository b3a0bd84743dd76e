import type { Ask } from "../model/index.ts";
import { pastByDays } from "./bucket-time.ts";
import { metricsOf } from "./fields.ts";
import type { WatchKind } from "./kind.ts";
import { TOKEN_COUNT_WORDS, TOKEN_TARGETS, TokenReading, tokenSubject } from "./token-record.ts";
import { infoAsk, tokenFacts } from "./tokens.ts";

/** The ask for a token's supply; `token` in lower case. A count of no holders asks for it too. */
export function supplyAsk(chainId: number, token: string): Ask {
  return { key: `token_supply:${chainId}:${token}`, record: "supply", chainId, id: token };
}

/** The total supply of a token on one chain, in the token's raw units. */
export const tokenSupply: WatchKind = {
  kind: "token_supply",
  aliases: ["supply", "total_supply", "mint"],
  words: TOKEN_COUNT_WORDS,
  targets: TOKEN_TARGETS,
  bucketMs: null,
  records: ["supply"],
  metrics: metricsOf("supply", { total_supply: ["supply", "supply"] }),

  subject: (target) => tokenSubject("token_supply", target),

  asks: ({ chainId, ids }) => [supplyAsk(chainId, ids.token ?? "")],

  follow: () => [],

  facts: ({ chainId, ids }) => [infoAsk(chainId, ids.token ?? "")],

  history: ({ chainId, ids }, metric, from, now) =>
    metric === "total_supply"
      ? pastByDays({ record: "supply_point", chainId, id: ids.token ?? "" }, metric, from, now)
      : null,

  read: (subject, answers) => {
    const { chainId, ids } = subject;
    const token = ids.token ?? "";
    return new TokenReading({
      subject,
      record: "supply",
      answer: answers(supplyAsk(chainId, token)),
      facts: tokenFacts(answers(infoAsk(chainId, token))),
    });
  },
};

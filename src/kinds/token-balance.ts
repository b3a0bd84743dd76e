import { shortId } from "../base/text.ts";
import type { Ask, Subject } from "../model/index.ts";
import { pastByDays } from "./bucket-time.ts";
import { metricsOf } from "./fields.ts";
import type { WatchKind } from "./kind.ts";
import { TOKEN_COUNT_WORDS, TOKEN_TARGETS, TokenReading } from "./token-record.ts";
import { infoAsk, tokenFacts } from "./tokens.ts";

/** What one wallet holds of a token on one chain, in the token's raw units. */
export const tokenBalance: WatchKind = {
  kind: "token_balance",
  aliases: ["balance", "balances", "wallet"],
  words: { ...TOKEN_COUNT_WORDS, subjects: "balances" },
  targets: { ...TOKEN_TARGETS, accounts: ["wallet"] },
  bucketMs: null,
  records: ["balance"],
  metrics: metricsOf("balance", { balance: ["balance", "value", "amount"] }),

  subject: ({ chainId, id, wallet: address, name }) => {
    const token = (id ?? "").toLowerCase();
    const wallet = (address ?? "").toLowerCase();
    const key = `token_balance:${chainId}:${token}:${wallet}`;
    return { key, kind: "token_balance", chainId, ids: { token, wallet }, name };
  },

  asks: (subject) => [balanceAsk(subject)],

  follow: () => [],

  facts: ({ chainId, ids }) => [infoAsk(chainId, ids.token ?? "")],

  history: (subject, metric, from, now) => {
    const { key, chainId, ids } = subject;
    const { token: id = "", wallet = "" } = ids;
    // The past of one family must not stand before what the other one says.
    return metric === "balance"
      ? pastByDays({ record: "balance_point", chainId, id, wallet, like: key }, metric, from, now)
      : null;
  },

  read: (subject, answers) => {
    const { token = "", wallet = "" } = subject.ids;
    const facts = tokenFacts(answers(infoAsk(subject.chainId, token)));
    return new TokenReading({
      subject,
      record: "balance",
      answer: answers(balanceAsk(subject)),
      facts,
      // The wallet first: a headline that is too long loses the end of a name.
      label: `${shortId(wallet)} (${facts.symbol ?? `token ${shortId(token)}`})`,
      page: `/token/${token}?a=${wallet}`,
    });
  },
};

function balanceAsk({ key, chainId, ids }: Subject): Ask {
  const { token: id = "", wallet = "" } = ids;
  return { key, record: "balance", chainId, id, wallet };
}

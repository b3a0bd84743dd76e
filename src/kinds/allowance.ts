import { shortId } from "../base/text.ts";
import type { Ask, Subject } from "../model/index.ts";
import { metricsOf } from "./fields.ts";
import type { WatchKind } from "./kind.ts";
import { TOKEN_COUNT_WORDS, TOKEN_TARGETS, TokenReading } from "./token-record.ts";
import { infoAsk, tokenFacts } from "./tokens.ts";

/** How much of a token an account lets a contract take, in the token's raw units. */
export const allowance: WatchKind = {
  kind: "allowance",
  aliases: ["approval", "approvals", "allowances"],
  words: { ...TOKEN_COUNT_WORDS, subjects: "allowances" },
  targets: { ...TOKEN_TARGETS, accounts: ["owner", "spender"] },
  bucketMs: null,
  records: ["allowance"],
  metrics: metricsOf("allowance", { allowance: ["allowance", "approval", "value", "amount"] }),

  subject: ({ chainId, id, owner: from, spender: to, name }) => {
    const [token, owner, spender] = [id, from, to].map((one) => (one ?? "").toLowerCase());
    const ids = { token: token ?? "", owner: owner ?? "", spender: spender ?? "" };
    const key = `allowance:${chainId}:${ids.token}:${ids.owner}:${ids.spender}`;
    return { key, kind: "allowance", chainId, ids, name };
  },

  asks: (subject) => [askOf(subject)],

  follow: () => [],

  facts: ({ chainId, ids }) => [infoAsk(chainId, ids.token ?? "")],

  read: (subject, answers) => {
    const { token = "", owner = "", spender = "" } = subject.ids;
    const facts = tokenFacts(answers(infoAsk(subject.chainId, token)));
    return new TokenReading({
      subject,
      record: "allowance",
      answer: answers(askOf(subject)),
      facts,
      label: `${shortId(owner)} for ${shortId(spender)} (${facts.symbol ?? `token ${shortId(token)}`})`,
      page: `/token/${token}?a=${owner}`,
    });
  },
};

function askOf({ key, chainId, ids }: Subject): Ask {
  const { token: id = "", owner = "", spender = "" } = ids;
  return { key, record: "allowance", chainId, id, owner, spender };
}

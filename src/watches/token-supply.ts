import { shortId } from "../base/text.ts";
import type { Ask } from "../model.ts";
import { metricsOf } from "./fields.ts";
import { TOKEN_TARGETS, TokenReading } from "./token-record.ts";
import type { WatchKind } from "./watch.ts";

/** The ask for a token's supply; `token` in lower case. A count of no holders asks for it too. */
export function supplyAsk(chainId: number, token: string): Ask {
  return { key: `token_supply:${chainId}:${token}`, record: "supply", chainId, id: token };
}

/** The total supply of a token on one chain, in the token's raw units. */
export const tokenSupply: WatchKind = {
  kind: "token_supply",
  targets: TOKEN_TARGETS,
  bucketMs: null,
  records: ["supply"],
  metrics: metricsOf("supply", { total_supply: "supply" }, []),

  subject: ({ chainId, id, name }) => {
    const token = (id ?? "").toLowerCase();
    const { key } = supplyAsk(chainId, token);
    return { key, kind: "token_supply", chainId, ids: { token }, name };
  },

  asks: ({ chainId, ids }) => [supplyAsk(chainId, ids.token ?? "")],

  follow: () => [],

  read: (subject, answers) => {
    const token = subject.ids.token ?? "";
    return new TokenReading({
      subject,
      record: "supply",
      answer: answers(supplyAsk(subject.chainId, token)),
      doubt: null,
      label: shortId(token),
      page: `/token/${token}`,
    });
  },
};

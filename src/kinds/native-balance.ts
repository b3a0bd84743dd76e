import { chainById } from "../base/chains.ts";
import { shortId } from "../base/text.ts";
import type { Ask, Subject } from "../model/index.ts";
import { metricsOf } from "./fields.ts";
import type { WatchKind } from "./kind.ts";
import { TOKEN_TARGETS, TokenReading } from "./token-record.ts";
import { NATIVE_DECIMALS } from "./tokens.ts";

/** What an account holds of its chain's own currency, such as the ether that pays a keeper's gas. */
export const nativeBalance: WatchKind = {
  kind: "native_balance",
  aliases: ["eth_balance", "ether_balance", "gas_balance", "native"],
  words: { subjects: "accounts", metricFirst: true },
  targets: { ...TOKEN_TARGETS, key: "wallet" },
  bucketMs: null,
  records: ["native_balance"],
  knowsDecimals: true,
  metrics: metricsOf("native_balance", { balance: ["balance", "value", "amount", "eth"] }),

  subject: ({ chainId, id, name }) => {
    const wallet = (id ?? "").toLowerCase();
    const key = `native_balance:${chainId}:${wallet}`;
    return { key, kind: "native_balance", chainId, ids: { wallet }, name };
  },

  asks: (subject) => [askOf(subject)],

  follow: () => [],

  read: (subject, answers) => {
    const wallet = subject.ids.wallet ?? "";
    const symbol = chainById(subject.chainId)?.nativeSymbol ?? "native";
    return new TokenReading({
      subject,
      record: "native_balance",
      answer: answers(askOf(subject)),
      facts: { symbol, decimals: NATIVE_DECIMALS, trouble: null },
      label: shortId(wallet),
      page: `/address/${wallet}`,
    });
  },
};

function askOf({ key, chainId, ids }: Subject): Ask {
  return { key, record: "native_balance", chainId, id: "", wallet: ids.wallet ?? "" };
}
